package import SyncCore

/// Values and relationships by slot, for the layers above.
extension ManagedObject {
  /// The current value of an attribute.
  package final func currentValue(at slot: Int) -> Value { value(at: slot) }

  /// The objects that a relationship leads to now: for a to-one at most one, for an ordered
  /// relationship in its order, else in the order of insertion.
  package final func currentObjects(at slot: Int) -> [ManagedObject] {
    switch home.shape.kinds[slot] {
    case .attribute:
      return []
    case .toOne(let ordinal):
      return destination(ordinal).map { [$0] } ?? []
    case .toMany(let ordinal):
      let members = members(ordinal)
      guard !home.shape.relationships[ordinal].isOrdered else { return members }
      return members.sorted(on: \.identifier.insertionOrder)
    }
  }
}

/// Filters look at an object as it is now, unsaved values included. A deleted object is nothing to
/// them, also where a delete rule leaves a reference that leads there: neither the store nor a
/// child context has it.
extension ManagedObject: FilterSubject, FilterArgument {
  package var filterOperand: FilterOperand { .object(objectID) }

  package var filterRow: Int64 { rowNumber }

  package func filterValue(at slot: Int) throws -> Value { value(at: slot) }

  package func filterReference(at slot: Int) throws -> Int64? {
    if case .int(let row) = value(at: slot) { row } else { nil }
  }

  package func filterObject(at slot: Int) throws -> (any FilterSubject)? {
    guard case .toOne(let ordinal) = binding.shape.kinds[slot] else { return nil }
    return destination(ordinal).flatMap { $0.isKnownDeleted ? nil : $0 }
  }

  package func filterMembers(at slot: Int) throws -> [any FilterSubject] {
    guard case .toMany(let ordinal) = binding.shape.kinds[slot] else { return [] }
    return members(ordinal).filter { !$0.isKnownDeleted }
  }
}
