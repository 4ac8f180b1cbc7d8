public import SyncGraph
public import SyncStore

/// Taking commits back. Needs a stack with `history: .values`.
///
/// ```swift
/// let stack = try DataStack(model: model, store: .sqlite(url), history: .values)
/// let commit = try stack.latestHistoryToken()
/// let report = try await stack.undo(commit)
/// ```
extension DataStack {
  /// Takes one commit back, as far as later ones have not changed what it did; see ``Undo``.
  ///
  /// Cancelling the task that waits cancels the undo.
  ///
  /// - Parameters:
  ///   - commit: The commit, as ``history(since:from:authors:limit:)`` gives it.
  ///   - deletionGuard: Whether an undo that would delete much is refused.
  ///   - isDryRun: Whether nothing is written: the report says what would be.
  ///   - author: The author of the commit that the undo makes.
  /// - Throws: `StoreError` with the code `unsupported` when the store keeps no former values, or
  ///   has no such commit, and `historyExpired` when its values are not kept any more;
  ///   ``SyncError`` with the code `deletionRefused`; `CancellationError`. The store is as before.
  @discardableResult
  public func undo(
    _ commit: HistoryToken, deletionGuard: DeletionGuard = .on, isDryRun: Bool = false,
    author: String? = nil
  ) async throws -> UndoReport {
    try await undo(
      commit...commit, deletionGuard: deletionGuard, isDryRun: isDryRun, author: author)
  }

  /// Takes commits back that follow each other, in one step; otherwise as
  /// ``undo(_:deletionGuard:isDryRun:author:)-(HistoryToken,_,_,_)``.
  ///
  /// - Parameter commits: From the first to the last.
  @discardableResult
  public func undo(
    _ commits: ClosedRange<HistoryToken>, deletionGuard: DeletionGuard = .on,
    isDryRun: Bool = false, author: String? = nil
  ) async throws -> UndoReport {
    let undo = Undo(commits, dataStack: self)
    undo.deletionGuard = deletionGuard
    undo.isDryRun = isDryRun
    undo.author = author
    if Task.isCancelled { undo.cancel() }
    undo.start()
    return try await undo.value
  }
}
