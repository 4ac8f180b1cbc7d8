import SyncStack
import TestSupport
import Testing

extension SyncBench {
  /// Runs a sync again and again, cancelled at its first step, at its second and so on, until it
  /// ends by itself. Each one that was cancelled has to leave every table as it was.
  ///
  /// - Returns: How many times it ran.
  func cancelAtEveryStep(_ sync: (SyncControl) throws -> Void) throws -> Int {
    let before = try store.read { try $0.dump() }
    var runs = 0
    while true {
      let control = SyncControl.cancelled(after: runs)
      runs += 1
      do {
        try sync(control)
        return runs
      } catch is CancellationError {
        #expect(try store.read { try $0.dump() } == before)
      }
    }
  }
}

extension SyncControl {
  /// One that cancels its sync at the first step behind so many.
  static func cancelled(after count: Int) -> SyncControl {
    let passed = Locked(0)
    let control = SyncControl()
    control.observe { [unowned control] _ in
      let isEnough = passed.withLock { passed in
        passed += 1
        return passed > count
      }
      if isEnough { control.cancel() }
    }
    return control
  }
}
