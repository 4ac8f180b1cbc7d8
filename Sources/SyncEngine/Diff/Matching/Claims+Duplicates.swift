import SyncCore

/// Stored objects that share a key.
extension Claims {
  /// What has to be the same of two objects of a key so that they may become one: the entity, and the owner in
  /// every to-one relationship before the payload.
  private struct Kind: Hashable {
    let entity: Int
    let owners: [Int64]
  }

  /// Decides about stored objects of the root entity that share a key the payload mentions: those with the same
  /// owners may be folded into the first of them, children of other owners are objects of their own and stay.
  func sortDuplicates(of batch: Batch) {
    let stored = batch.stored
    for indexes in batch.contested.values {
      var seen: Set<Kind> = []
      for index in indexes.sorted(by: { stored.rows[Int($0)] < stored.rows[Int($1)] }) {
        let kind = Kind(
          entity: batch.concreteEntity(ofStored: index).index,
          owners: stored.references.indices.map { batch.origin($0, ofStored: index, parts) })
        let isFirst = seen.insert(kind).inserted
        guard stored.occurrences[Int(index)] < 0 else { continue }
        let row = stored.rows[Int(index)]
        if isFirst {
          namesakes[batch.entity.rootIndex, default: RowSet()].insert(row)
        } else {
          surplus[batch.entity.rootIndex, default: RowSet()].insert(row)
        }
      }
    }
  }
}
