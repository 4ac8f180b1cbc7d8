import SyncCore

/// Stored objects that share a key.
extension Claims {
  /// Decides about stored objects of the root entity that share a key the payload mentions, and that
  /// are not the one it was taken for: those with the same owners may be folded into it, children of
  /// other owners are objects of their own and stay.
  func sortDuplicates(of batch: Batch) {
    for (head, indexes) in batch.contested {
      let kept = batch.occurrences[Int(batch.representative(head))].stored
      for index in indexes where batch.stored.occurrences[Int(index)] < 0 {
        let row = batch.stored.rows[Int(index)]
        let isFoldable =
          kept >= 0
          && batch.concreteEntity(ofStored: kept) == batch.concreteEntity(ofStored: index)
          && batch.stored.references.indices.allSatisfy {
            batch.origin($0, ofStored: kept, parts) == batch.origin($0, ofStored: index, parts)
          }
        if isFoldable {
          surplus[batch.entity.rootIndex, default: RowSet()].insert(row)
        } else {
          namesakes[batch.entity.rootIndex, default: RowSet()].insert(row)
        }
      }
    }
  }
}
