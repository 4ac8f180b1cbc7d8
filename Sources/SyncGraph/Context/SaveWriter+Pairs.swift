import SyncCore
import SyncStore

/// A one-to-one relationship is one thing in two rows, and a merge policy decides row by row. When
/// somebody else has changed either, pairs of which both say the same stand; whoever leads to an
/// object that was given to another one leads to nothing.
extension SaveWriter {
  /// Has both sides of each pair that a save wrote say the same, whatever this context knew of
  /// them: what it had read of two objects may be of two times, so that it wrote one side alone.
  ///
  /// Objects that will be deleted lose the partners that they lost here: their delete rules are not
  /// about those.
  ///
  /// - Parameter objects: those whose rows were written.
  func settlePairs(_ objects: [ManagedObject], _ outcome: inout SaveOutcome) throws {
    var pairs = WrittenPairs()
    func part(_ object: ManagedObject, _ relationship: RelationshipShape, _ values: RowValues) {
      guard case .int(let partner) = values[relationship.slot],
        let inverse = object.entity.inverse(of: relationship.description)
      else { return }
      pairs.part(inverse, of: partner)
    }
    let overruled = Set(outcome.overruled.map { ObjectIdentifier($0.object) })
    for object in objects where !object.home.shape.oneToOnes.isEmpty {
      let isWhole = object.isInserted || overruled.contains(ObjectIdentifier(object))
      for relationship in object.home.shape.oneToOnes
      where isWhole || object.changed.contains(relationship.slot) {
        pairs.write(
          relationship.description, of: outcome.rows[object.rowNumber] ?? object.rowNumber)
        if !object.isInserted { part(object, relationship, object.baseAsRead) }
      }
    }
    // Those that were paired with overruled objects in the store may have lost them here.
    for (object, stored) in outcome.overruled {
      for relationship in object.home.shape.oneToOnes { part(object, relationship, stored) }
    }
    guard !pairs.isEmpty else { return }
    let written = try transaction.settle(pairs)
    guard !written.isEmpty else { return }
    let known = Set(outcome.refreshed.map(ObjectIdentifier.init))
    outcome.refreshed += objects.filter {
      written[$0.root]?.contains(outcome.rows[$0.rowNumber] ?? $0.rowNumber) == true
        && !known.contains(ObjectIdentifier($0))
    }
  }
}
