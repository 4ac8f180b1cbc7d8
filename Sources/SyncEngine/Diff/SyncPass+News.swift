import SyncCore
import SyncStore

/// Whether a sync without fingerprints will have something to write, as far as one can tell before it has the store to
/// itself. Nothing but the beginning of the log depends on it: see ``Store/prepareToWrite()``.
extension SyncPass {
  /// Whether there are no objects yet, so that every item is new.
  func isAllNew(in reader: StoreReader) throws -> Bool {
    try reader.estimatedCount(of: request.plan.rootNode.entity) == 0
  }

  /// Whether anything was staged.
  var hasItems: Bool { staged.map { $0.itemCount > $0.firstItem } ?? false }

  /// Whether the staged items say something else than some rows, here and there in the table.
  ///
  /// For payloads that may change much of a table: what they write may not fit into SQLite's cache, and would begin the
  /// log in the midst of a statement, where nothing can stop it. Few changes begin it with the commit.
  func findsNews(in reader: StoreReader) throws -> Bool {
    guard let batch = staged?.rootBatch, !batch.node.identity.isEmpty else { return false }
    let objects = batch.occurrences.count
    guard objects >= SyncPass.leastSampled else { return false }
    let count = try reader.estimatedCount(of: batch.entity)
    guard objects * 2 >= count else { return false }
    let updates = request.operations.contains(.update)
    let deletes =
      request.operations.contains(.delete) && request.session == nil && scope.isWholeEntity
    // Where nobody puts keys into the index they are found where they stand.
    batch.setIndexesShared(true)
    defer { batch.setIndexesShared(false) }
    let search = RowSearch(batch)
    var isNews = false
    for sample in 0..<SyncPass.sampleCount where !isNews {
      let first = Int64(count / SyncPass.sampleCount * sample + 1)
      try reader.scan(
        batch.entity, .within(first...first + SyncPass.sampleSize - 1), slots: search.slots
      ) { cursor in
        let head = search.head(cursor)
        if head < 0 {
          isNews = isNews || deletes
        } else if updates, search.isCertain(head), !search.difference(cursor, head).isEmpty {
          isNews = true
        }
      }
    }
    return isNews
  }

  /// Items whose changes fit into the cache in any case.
  private static let leastSampled = 1024

  /// Places that are looked at, and rows of each: together a tenth of a millisecond.
  private static let sampleCount = 8
  private static let sampleSize: Int64 = 16
}
