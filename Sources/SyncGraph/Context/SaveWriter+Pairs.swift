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
  /// - Parameter objects: those whose rows were written.
  func settlePairs(_ objects: [ManagedObject], _ outcome: inout SaveOutcome) throws {
    var rows: [Key: [Int64]] = [:]
    for object in objects {
      let row = outcome.rows[object.rowNumber] ?? object.rowNumber
      for relationship in oneToOnes(of: object) {
        rows[Key(relationship), default: []].append(row)
      }
    }
    // Those that were paired with them before, in the store or as they were read, may have lost them here.
    let read = objects.lazy.filter { !$0.committed.isNone }.map { ($0, $0.baseAsRead) }
    for (object, earlier) in outcome.overruled + Array(read) {
      for relationship in oneToOnes(of: object) {
        guard case .int(let partner) = earlier[relationship.slot],
          let inverse = object.entity.inverse(of: relationship)
        else { continue }
        rows[Key(inverse), default: []].append(partner)
      }
    }
    var emptied = try leadPartnersBack(outcome)
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

  /// Has partners of overruled objects lead back to them where this save has emptied them: the objects kept them.
  ///
  /// - Returns: the partners, by root entity.
  private func leadPartnersBack(_ outcome: SaveOutcome) throws -> [Int: Set<Int64>] {
    var result: [Int: Set<Int64>] = [:]
    for (object, _) in outcome.overruled {
      let row = object.rowNumber
      guard let values = try transaction.rows(object.entity.rootEntity, rows: [row]).first?.values
      else { continue }
      for relationship in oneToOnes(of: object) {
        let destination = object.entity.destination(of: relationship)
        guard case .int(let partner) = values[relationship.slot],
          let inverse = object.entity.inverse(of: relationship),
          try transaction.leadBack(inverse, of: destination, from: partner, to: row)
        else { continue }
        result[destination.rootIndex, default: []].insert(partner)
      }
    }
    return result
  }

  private func oneToOnes(of object: ManagedObject) -> [RelationshipDescription] {
    object.home.shape.relationships.lazy.filter {
      !$0.isToMany && !$0.isInverseToMany && $0.inverseSlot != nil
    }.map(\.description)
  }
}
