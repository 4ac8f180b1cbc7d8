import SyncCore
import SyncStore

/// Whether a sync without fingerprints will have something to write, as far as one can tell before it has the store to
/// itself. Nothing but the beginning of the log depends on it: see ``Store/prepareToWrite()``.
extension SyncPass {
  /// Whether every item is new.
  func isAllNew(in reader: StoreReader) throws -> Bool {
    try request.operations.contains(.alwaysInsert)
      || reader.estimatedCount(of: request.plan.rootNode.entity) == 0
  }

  /// Whether anything was staged.
  var hasItems: Bool { staged.map { $0.itemCount > $0.firstItem } ?? false }

  /// Whether some of the objects that were staged so far are not stored, or not as the payload says.
  ///
  /// For payloads that may change much: what they write may not fit into SQLite's cache, and would begin the log in the
  /// midst of a statement, where nothing can stop it. Few changes begin it with the commit.
  func expectsChanges(among batch: Batch, in reader: StoreReader) throws -> Bool {
    guard batch.keySlot >= 0 else { return false }
    let keys = sampledKeys(of: batch)
    // Where nobody puts keys into the index they are found where they stand.
    batch.setIndexesShared(true)
    defer { batch.setIndexesShared(false) }
    let search = RowSearch(batch)
    var count = 0
    var differs = false
    try reader.scan(
      batch.entity, .keys(slot: batch.keySlot, keys), slots: search.slots, isOrdered: false
    ) { cursor in
      let head = search.head(cursor)
      if head >= 0 { count += 1 }
      if search.isCertain(head), !search.difference(cursor, head).isEmpty { differs = true }
    }
    return differs && request.operations.contains(.update)
      || count < keys.count && request.operations.contains(.insert)
  }

  /// Keys of some objects, each once.
  private func sampledKeys(of batch: Batch) -> [Cell] {
    let step = max(batch.occurrences.count / SyncPass.sampleCount, 1)
    return stride(from: 0, to: batch.occurrences.count, by: step).compactMap { occurrence in
      batch.occurrences[occurrence].flags.isDisjoint(with: [.keyless, .shared, .referenceOnly])
        ? batch.block[occurrence][batch.keySlot] : nil
    }
  }

  /// Objects that are looked up: two tenths of a millisecond.
  private static let sampleCount = 64
}
