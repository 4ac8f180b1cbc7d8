import Dispatch
import Foundation
import SyncCore
import SyncGraph
import SyncStore

/// From the queue into the store.
extension Sync {
  /// Runs the sync now when nobody else is in its store, or when it is on no queue of its own;
  /// otherwise it waits without a thread.
  func begin() {
    guard let queue = OperationQueue.current, let waitingRoom = try? store.waitingRoom else {
      return run {}
    }
    if let seat = waitingRoom.enterAlone(priority: queuePriority.rawValue) {
      return run { waitingRoom.leave(seat) }
    }
    // Inside another operation the queue is not ours, and the caller counts on the result.
    guard queue.operations.contains(self) else { return run {} }
    wait(in: waitingRoom)
  }

  private func run(_ leave: () -> Void) {
    announcer.begin(self)
    let result = Result { try run() }
    if let context, context.isCurrent { context.mergeCommits() }
    ManagedObjectContext.hasWaited()
    leave()
    finish(with: result)
  }

  /// Waits without a thread until it is admitted, and goes on on one of its own: the system has few
  /// (platform: the pool grows by one a second), and this one may still have to wait at the gate.
  private func wait(in waitingRoom: WaitingRoom) {
    let seat = waitingRoom.enter(priority: queuePriority.rawValue) { [self] seat in
      let thread = Thread { [self] in run { waitingRoom.leave(seat) } }
      thread.name = "SyncStack.sync"
      thread.qualityOfService = qualityOfService
      thread.start()
    }
    state.withLock { $0.place = (waitingRoom, seat) }
    // It may have been cancelled before there was a seat to give up.
    if isCancelled { withdraw() }
  }

  /// Gives the place up where it waits.
  func withdraw() {
    guard let place = state.withLock({ $0.place }), place.waitingRoom.withdraw(place.seat) else {
      return
    }
    DispatchQueue.global().async { [self] in finish(with: .failure(CancellationError())) }
  }
}

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
