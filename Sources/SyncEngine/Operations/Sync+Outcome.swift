import Dispatch
import Foundation
import SyncCore

/// Handing out what came of a sync.
extension Sync {
  /// Calls a completion handler on the main queue, with the error if there was one.
  func deliver(to completion: @escaping @Sendable ((any Error)?) -> Void) {
    deliver { (result: SyncResult<SyncReport>) in completion(result.error) }
  }

  /// Calls a completion handler on the main queue.
  func deliver(to completion: @escaping @Sendable (SyncResult<SyncReport>) -> Void) {
    whenFinished { result in
      DispatchQueue.main.async {
        switch result {
        case .success(let report): completion(.success(report))
        case .failure(let error): completion(.failure(error))
        }
      }
    }
  }

  /// Notes that somebody is about to add the operation to a queue: nobody can do that twice.
  ///
  /// - Throws: ``SyncError`` with ``SyncError/Code/invalidRequest`` when it was done, or the
  ///   operation was started.
  func claimRun(on queue: OperationQueue) throws {
    let isFirst = state.withLock { state in
      defer { state.isClaimed = true }
      return !state.isClaimed
    }
    guard isFirst, !isExecuting, !isFinished, !queue.operations.contains(self) else {
      throw SyncError(
        .invalidRequest, entity: entityName,
        message: """
          A sync runs once, and this one has run already or is about to. Make a new Sync for each run, or \
          wait for this one with whenFinished(_:).
          """)
    }
  }

  /// Runs on the calling thread, now.
  func runNow() throws -> SyncReport {
    start()
    guard let result else { throw CancellationError() }
    return try result.get()
  }
}
