import SyncCore
import SyncStore

/// Stored objects that share a key.
extension Claims {
  /// What has to be the same of two objects of a key so that they may become one: the entity, and the owner in
  /// every to-one relationship.
  private struct Kind: Hashable {
    let entity: Int
    let owners: [Int64]
  }

  /// Decides about stored objects of the root entity that share a key the payload mentions: those with the same
  /// owners may be folded into the first of them, children of other owners are objects of their own and stay.
  func sortDuplicates(of batch: Batch, in transaction: StoreTransaction) throws {
    guard !batch.contested.isEmpty else { return }
    let stored = batch.stored
    let further = try furtherOwners(of: batch, in: transaction)
    for indexes in batch.contested.values {
      var seen: Set<Kind> = []
      for index in indexes.sorted(by: { stored.rows[$0] < stored.rows[$1] }) {
        let row = stored.rows[index]
        let kind = Kind(
          entity: batch.concreteEntity(ofStored: index).index,
          owners: stored.references.map { $0[Int(index)] }
            + (further[row] ?? []))
        let isFirst = seen.insert(kind).inserted
        guard stored.occurrences[index] < 0 else { continue }
        if isFirst {
          insert(row, .distinct(batch.entity.rootIndex))
        } else {
          insert(row, .surplus(batch.entity.rootIndex))
        }
      }
    }
  }

  /// The owners of objects of subentities in relationships that the batch's entity does not have, by row.
  private func furtherOwners(
    of batch: Batch, in transaction: StoreTransaction
  ) throws -> [Int64: [Int64]] {
    guard !batch.stored.entities.isEmpty else { return [:] }
    var rows: [EntityDescription: [Int64]] = [:]
    for indexes in batch.contested.values where indexes.count > 1 {
      for index in indexes {
        let entity = batch.concreteEntity(ofStored: index)
        if entity != batch.entity {
          rows[entity, default: []].append(batch.stored.rows[index])
        }
      }
    }
    var result: [Int64: [Int64]] = [:]
    for (entity, rows) in rows {
      let columns = entity.relationships.filter {
        !$0.isToMany && batch.entity.relationship(named: $0.name) == nil
      }
      guard !columns.isEmpty else { continue }
      try transaction.scan(entity, .rows(rows.sorted()), slots: columns.map(\.slot)) { cursor in
        result[cursor.row] = columns.map { cursor.integer($0.slot) ?? 0 }
      }
    }
    return result
  }
}
