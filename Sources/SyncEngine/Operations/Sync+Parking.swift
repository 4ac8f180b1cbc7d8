import Dispatch
import Foundation
import SyncCore
import SyncStore

/// Waiting without a thread.
extension Sync {
  /// Waits without a thread until it is admitted, and goes on on one of its own: the system has few
  /// (platform: the pool grows by one a second), and this one may still have to wait at the gate.
  func park(in waitingRoom: WaitingRoom) {
    changing("isExecuting") { state.withLock { $0.parking = Parking() } }
    let seat = waitingRoom.enter(priority: queuePriority.rawValue) { [self] seat in
      let thread = Thread { [self] in
        main()
        waitingRoom.leave(seat)
        endParking()
      }
      thread.name = "SyncStack.sync"
      thread.qualityOfService = qualityOfService
      thread.start()
    }
    state.withLock { $0.parking?.place = (waitingRoom, seat) }
    // It may have been cancelled before there was a seat to give up.
    if isCancelled { withdraw() }
  }

  func withdraw() {
    guard let place = state.withLock({ $0.parking?.place }),
      place.waitingRoom.withdraw(place.seat)
    else { return }
    DispatchQueue.global().async { [self] in
      finish(.failure(CancellationError()))
      endParking()
    }
  }

  private func endParking() {
    changing("isExecuting") {
      changing("isFinished") {
        state.withLock {
          $0.parking?.isFinished = true
          $0.parking?.place = nil
        }
      }
    }
  }

  /// Tells the queue that a state has changed.
  func changing(_ key: String, _ body: () -> Void) {
    willChangeValue(forKey: key)
    body()
    didChangeValue(forKey: key)
  }
}
