import SyncCore

extension OutboxRun {
  /// A change with the answer that counts.
  struct Answered: Sendable {
    let change: OutboxChange
    let answer: OutboxAnswer

    /// The objects whose answers may list the object, or list it no more.
    let owners: Set<ManagedObjectID>

    init(_ shipment: OutboxShipment, _ answer: OutboxAnswer) {
      change = shipment.change
      owners = shipment.owners
      self.answer = answer
    }
  }
}

extension [OutboxRun.Answered] {
  /// Takes out the answers that may be written. One that was under way together with an owner of
  /// its object comes after the owner's, whose lists may be older: until it is written, its change
  /// is unsent, and stays as it is.
  ///
  /// - Parameter underWay: The objects whose answers are still to come.
  mutating func takeDue(beside underWay: Set<ManagedObjectID>) -> [Element] {
    let open = underWay.union(map(\.change.objectID))
    let due = filter { $0.owners.isDisjoint(with: open) }
    // Nothing else is left to wait for where objects own each other.
    guard !due.isEmpty || !underWay.isEmpty else {
      defer { removeAll() }
      return self
    }
    removeAll { $0.owners.isDisjoint(with: open) }
    return due
  }
}
