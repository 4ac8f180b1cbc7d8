/// How much of a sync is stored at once.
public enum SyncTransaction: Sendable, Hashable {
  /// Everything or nothing: the default.
  case whole
  /// A commit for every so many items at the top of the payload, and a last one for the deletions. A
  /// sync that is stopped keeps what was committed; deletions are then not made.
  case perBatch(Int)
}
