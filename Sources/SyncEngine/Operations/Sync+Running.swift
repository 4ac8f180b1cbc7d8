import Dispatch
import Foundation
import SyncCore
import SyncGraph
import SyncStore

/// From the queue into the store.
extension Sync {
  /// Runs the sync now when nobody else is in its store, or when it is on no queue of its own; otherwise it waits without a
  /// thread.
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
