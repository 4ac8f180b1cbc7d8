import SyncCore
import SyncEngine
import SyncStore
import Testing

extension SyncBench {
  /// Syncs in batches of ten.
  @discardableResult
  func syncBatches(
    _ payload: String, entity: String = "User", _ change: (inout SyncRequest) -> Void = { _ in }
  ) throws -> SyncReport {
    try sync(payload, entity) {
      $0.transaction = .perBatch(10)
      change(&$0)
    }
  }

  /// The same, cancelled once so many batches are stored.
  func syncBatches(
    _ payload: String, entity: String = "User", stoppedAfter count: Int,
    _ change: (inout SyncRequest) -> Void = { _ in }
  ) throws {
    let batches = Locked(0)
    let subscription = store.hub.subscribe { _ in batches.withLock { $0 += 1 } }
    let control = SyncControl()
    control.observe { [control = WeakControl(control)] _ in
      if batches.withLock({ $0 }) >= count { control.control?.cancel() }
    }
    #expect(throws: CancellationError.self) {
      _ = try syncWithChanges(
        payload, entity,
        {
          $0.transaction = .perBatch(10)
          change(&$0)
        }, control: control)
    }
    subscription.cancel()
  }

  private final class WeakControl: Sendable {
    weak let control: SyncControl?
    init(_ control: SyncControl) { self.control = control }
  }
}
