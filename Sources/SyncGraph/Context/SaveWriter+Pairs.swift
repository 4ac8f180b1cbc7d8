import SyncCore
import SyncStore

/// A one-to-one relationship is one thing in two rows, and a merge policy decides row by row. When somebody else has
/// changed rows that a save writes, pairs of which both say the same stand; whoever leads to an object that was given to
/// another one leads to nothing.
extension SaveWriter {
  private struct Key: Hashable {
    let entity: Int
    let slot: Int

    init(_ relationship: RelationshipDescription) {
      entity = relationship.declaringIndex
      slot = relationship.slot
    }
  }

  /// Empties what leads to objects that do not lead back.
  ///
  /// - Parameters:
  ///   - inserted: New objects, which were written.
  ///   - updated: Others that were.
  func settlePairs(
    _ inserted: [ManagedObject], _ updated: [ManagedObject], _ outcome: inout SaveOutcome
  ) throws {
    var rows: [Key: [Int64]] = [:]
    func notePartner(
      _ relationship: RelationshipDescription, of object: ManagedObject, _ values: RowValues
    ) {
      guard case .int(let partner) = values[relationship.slot],
        let inverse = object.entity.inverse(of: relationship)
      else { return }
      rows[Key(inverse), default: []].append(partner)
    }
    // Whoever was paired with them as they were read: that may be later than what this context had before of the
    // partner, which is not written then.
    for object in updated where !object.committed.isNone {
      for relationship in oneToOnes(of: object) where object.changed.contains(relationship.slot) {
        notePartner(relationship, of: object, object.baseAsRead)
      }
    }
    guard !rows.isEmpty || !outcome.overruled.isEmpty else { return }
    let objects = [inserted, updated].joinedLists
    if !outcome.overruled.isEmpty {
      for object in objects {
        let row = outcome.rows[object.rowNumber] ?? object.rowNumber
        for relationship in oneToOnes(of: object) {
          rows[Key(relationship), default: []].append(row)
        }
      }
    }
    for (object, stored) in outcome.overruled {
      for relationship in oneToOnes(of: object) { notePartner(relationship, of: object, stored) }
    }
    var emptied: [Int: Set<Int64>] = [:]
    let order = rows.keys.sorted { ($0.entity, $0.slot) < ($1.entity, $1.slot) }
    for key in order {
      let entity = EntityDescription(model: transaction.model, index: key.entity)
      guard let relationship = entity.properties[key.slot].relationship else { continue }
      emptied[entity.rootIndex, default: []]
        .formUnion(try transaction.settlePairs(relationship, of: entity, rows: rows[key] ?? []))
    }
    let known = Set(outcome.refreshed.map(ObjectIdentifier.init))
    outcome.refreshed += objects.filter {
      emptied[$0.root]?.contains(outcome.rows[$0.rowNumber] ?? $0.rowNumber) == true
        && !known.contains(ObjectIdentifier($0))
    }
  }

  private func oneToOnes(of object: ManagedObject) -> [RelationshipDescription] {
    object.home.shape.relationships.lazy.filter {
      !$0.isToMany && !$0.isInverseToMany && $0.inverseSlot != nil
    }.map(\.description)
  }
}
