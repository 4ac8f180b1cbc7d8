package import SyncCore

/// Filters look at an object as it is now, unsaved values included.
extension ManagedObject: FilterSubject, FilterArgument {
  package var filterOperand: FilterOperand { .object(objectID) }

  package var filterRow: Int64 { rowNumber }

  package func filterValue(at slot: Int) throws -> Value { value(at: slot) }

  package func filterReference(at slot: Int) throws -> Int64? {
    if case .int(let row) = value(at: slot) { row } else { nil }
  }

  package func filterObject(at slot: Int) throws -> (any FilterSubject)? {
    guard case .toOne(let ordinal) = binding.shape.kinds[slot] else { return nil }
    return destination(ordinal)
  }

  package func filterMembers(at slot: Int) throws -> [any FilterSubject] {
    guard case .toMany(let ordinal) = binding.shape.kinds[slot] else { return [] }
    return members(ordinal)
  }
}
