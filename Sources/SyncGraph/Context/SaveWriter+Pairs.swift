import SyncCore
import SyncStore

/// A one-to-one relationship is one thing in two rows, and a merge policy decides row by row. When somebody else has
/// changed either, pairs of which both say the same stand; whoever leads to an object that was given to another one leads
/// to nothing.
extension SaveWriter {
  private struct Key: Hashable {
    let entity: Int
    let slot: Int

    init(_ relationship: RelationshipDescription) {
      entity = relationship.declaringIndex
      slot = relationship.slot
    }
  }

  /// Has both sides of each pair that a save wrote say the same, whatever this context knew of them.
  ///
  /// What it had read of two objects may be of two times, so that it wrote one side alone. A partner that leads nowhere
  /// is led back; after that, whoever leads to an object that does not lead back leads nowhere.
  ///
  /// - Parameters:
  ///   - objects: those whose rows were written.
  ///   - deleted: those whose rows will go, and are left as they are.
  func settlePairs(
    _ objects: [ManagedObject], except deleted: [ManagedObject], _ outcome: inout SaveOutcome
  ) throws {
    var (claims, others): (Rows, Rows) = ([:], [:])
    let overruled = Set(outcome.overruled.map { ObjectIdentifier($0.object) })
    for object in objects where !object.home.shape.oneToOnes.isEmpty {
      let row = outcome.rows[object.rowNumber] ?? object.rowNumber
      let isWhole = object.isInserted || overruled.contains(ObjectIdentifier(object))
      for relationship in object.home.shape.oneToOnes
      where isWhole || object.changed.contains(relationship.slot) {
        claims[Key(relationship.description), default: []].append(row)
        if !object.isInserted { note(object, relationship, object.baseAsRead, in: &others) }
      }
    }
    // Those that were paired with overruled objects in the store may have lost them here.
    for (object, stored) in outcome.overruled {
      for relationship in object.home.shape.oneToOnes {
        note(object, relationship, stored, in: &others)
      }
    }
    guard !claims.isEmpty else { return }
    if !others.isEmpty {
      for (root, objects) in Dictionary(grouping: deleted, by: \.root) {
        let doomed = Set(objects.map(\.rowNumber))
        for key in others.keys where transaction.model.entities[key.entity].rootIndex == root {
          others[key]?.removeAll(where: doomed.contains)
        }
      }
    }
    var written: [Int: Set<Int64>] = [:]
    try forEach(claims) { relationship, entity, rows in
      written[entity.destination(of: relationship).rootIndex, default: []]
        .formUnion(try transaction.leadPartnersBack(relationship, of: entity, rows: rows))
    }
    try forEach(claims.merging(others, uniquingKeysWith: +)) { relationship, entity, rows in
      written[entity.rootIndex, default: []]
        .formUnion(try transaction.settlePairs(relationship, of: entity, rows: rows))
    }
    guard written.contains(where: { !$0.value.isEmpty }) else { return }
    let known = Set(outcome.refreshed.map(ObjectIdentifier.init))
    outcome.refreshed += objects.filter {
      written[$0.root]?.contains(outcome.rows[$0.rowNumber] ?? $0.rowNumber) == true
        && !known.contains(ObjectIdentifier($0))
    }
  }

  private typealias Rows = [Key: [Int64]]

  /// Notes whom an object was paired with.
  private func note(
    _ object: ManagedObject, _ relationship: RelationshipShape, _ values: RowValues,
    in rows: inout Rows
  ) {
    guard case .int(let partner) = values[relationship.slot],
      let inverse = object.entity.inverse(of: relationship.description)
    else { return }
    rows[Key(inverse), default: []].append(partner)
  }

  private func forEach(
    _ rows: Rows, _ body: (RelationshipDescription, EntityDescription, [Int64]) throws -> Void
  ) throws {
    for (key, rows) in rows.sorted(by: {
      ($0.key.entity, $0.key.slot) < ($1.key.entity, $1.key.slot)
    }) {
      let entity = EntityDescription(model: transaction.model, index: key.entity)
      guard let relationship = entity.properties[key.slot].relationship else { continue }
      try body(relationship, entity, rows)
    }
  }
}
