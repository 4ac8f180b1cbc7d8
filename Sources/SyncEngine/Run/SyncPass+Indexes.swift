import SyncCore
import SyncStore

/// A payload in parts looks up what each of them mentions. Without an index that reads the whole table each time.
extension SyncPass {
  /// Rows of a table that are read in no time.
  private static let smallTable = 1_000

  /// Says so before the first part is matched, once for each entity.
  func noteMissingIndexes(_ batches: [Batch], in transaction: StoreTransaction) throws {
    guard !isOnlyPart else { return }
    for batch in batches
    where !batch.occurrences.isEmpty && claims.seenKeys[batch.number] == nil
      && !collected.withoutIndex.contains(batch.entity.index)
    {
      let layout = transaction.layout[batch.entity]
      guard let slot = batch.node.identity.first,
        !layout.table.indexes.contains(where: { $0.columns.first == layout.ordinals[slot] }),
        try transaction.estimatedCount(of: batch.entity) > SyncPass.smallTable
      else { continue }
      collected.withoutIndex.insert(batch.entity.index)
      let name = batch.entity.properties[slot].name
      report.note(
        .mappingRemark, batch.entity, property: name,
        message: """
          Objects of “\(batch.entity.name)” are looked up by “\(name)”, which has no index, so each batch or page \
          reads the whole table. Give it a fetch index in the model, or make it the primary key.
          """)
    }
  }
}
