import SyncCore
import SyncStore

extension Store {
  /// Runs one transaction of a sync. Cancelling the sync ends it wherever it is: while it waits for its
  /// turn, inside a long statement, between two of them. Only the commit itself is not stopped.
  ///
  /// - Throws: `CancellationError` when the sync was cancelled, whatever that made fail first.
  func write(
    _ request: SyncRequest, _ control: SyncControl,
    _ body: (StoreTransaction) throws -> Void
  ) throws -> ChangeSet {
    let info = TransactionInfo(author: request.author, contextName: request.name, source: .import)
    let token = TransactionToken()
    control.onCancel { [self] in interrupt(token) }
    defer { control.onCancel(nil) }
    do {
      return try write(info, commit: !request.isDryRun, token: token, body).1
    } catch  where control.isCancelled {
      throw CancellationError()
    }
  }
}
