import SyncStack
import Testing

extension SyncBench {
  /// Syncs as pages of a session with so many items each.
  ///
  /// - Parameters:
  ///   - isAbandoned: Whether the session is abandoned instead of finished.
  ///   - isKept: Whether each page and the end begin anew, from the session that the store kept.
  func syncPages(
    _ payload: String, _ entity: String, size: Int, isAbandoned: Bool = false, isKept: Bool = false,
    operations: SyncOperations = .all
  ) throws {
    let items = try JSONValue(parsing: payload).arrayValue ?? []
    let description = try model.requireEntity(named: entity)
    var state = SessionState(entity: description, name: isKept ? "pages" : nil)
    func begin() {
      if isKept { state = SessionState(entity: description, name: "pages") }
    }
    for start in stride(from: 0, to: items.count, by: size) {
      let page = Array(items[start..<min(start + size, items.count)])
      var request = try request(entity, .json(.array(page)))
      begin()
      request.settings.operations = operations
      _ = try PagesRun(
        [request], of: state, ends: false, lists: { [request] }, store: store,
        control: SyncControl()
      ).run()
    }
    begin()
    var request = try request(entity, .json([]))
    request.settings.operations = operations
    if isAbandoned {
      try store.write { try state.forget(in: $0) }
    } else {
      _ = try end(state, request)
    }
  }

  /// Syncs in batches of ten.
  @discardableResult
  func syncBatches(
    _ payload: String, entity: String = "User", _ change: (inout SyncRequest) -> Void = { _ in }
  ) throws -> SyncReport {
    try sync(payload, entity) {
      $0.setup.transaction = .perBatch(10)
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
          $0.setup.transaction = .perBatch(10)
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
