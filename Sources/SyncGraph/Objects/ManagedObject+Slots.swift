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
