import SyncCore

/// How much of a sync is stored at once.
public enum SyncTransaction: Sendable, Hashable {
  /// Everything or nothing: the default.
  case whole
  /// A commit for every so many items at the top of the payload, and a last one for the deletions. A
  /// sync that is stopped keeps what was committed; deletions are then not made.
  ///
  /// A further sync of the same payload begins at its beginning, finds unchanged what is there already, and makes
  /// the deletions at its end. Objects of ``SyncOperations/alwaysInsert`` it cannot recognise: it inserts them again.
  ///
  /// The number has to be at least 1; otherwise the sync fails with
  /// ``SyncError/Code/invalidRequest``.
  case perBatch(Int)

  /// - Throws: ``SyncError`` with ``SyncError/Code/invalidRequest`` when batches would hold
  /// nothing.
  func check() throws {
    guard case .perBatch(let count) = self, count < 1 else { return }
    throw SyncError(
      .invalidRequest,
      message:
        "Batches of \(count) items cannot be committed. Give perBatch a number of at least 1.")
  }
}
