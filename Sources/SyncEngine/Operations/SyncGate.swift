import SyncCore
import SyncGraph
import SyncStore

/// Lets one sync at a time into a store and runs it there, on the calling thread.
struct SyncRunner {
  let store: Store
  let control: SyncControl
  var priority = 0

  /// Runs the body; its first call waits for the store, by priority and then order, and a sync that
  /// is cancelled while it waits leaves at once.
  ///
  /// - Throws: ``SyncError`` when the caller is inside a sync of the same store already, which
  ///   would wait for itself; `CancellationError`; errors of the body.
  func run<T>(_ body: (_ enter: () throws -> Void) throws -> T) throws -> T {
    guard !store.waitsForCaller else {
      throw SyncError(
        .invalidRequest,
        message: """
          A sync was started inside another sync of the same store, which it would wait for without \
          end. Start it from an observer or a completion handler, or add it to the sync queue.
          """)
    }
    let ticket = Locked<WriteGate.Ticket?>(nil)
    defer { ticket.withLock { $0.map(store.gate.leave) } }
    return try body {
      let place = try store.gate.enter(priority: priority, control)
      ticket.withLock { $0 = place }
    }
  }

  /// Runs a sync of a payload. The payload is read before the store is waited for: two cores parse
  /// and write different syncs at the same time.
  func run(_ request: SyncRequest) throws -> SyncReport {
    try run { enter in
      try SyncRun(request, store: store, control: control).run(enter: enter).report
    }
  }
}

extension WriteGate {
  /// Waits for the store, by priority and then order. A sync that is cancelled while it waits
  /// leaves at once.
  ///
  /// - Returns: The ticket to ``leave(_:)`` with.
  /// - Throws: `CancellationError`.
  func enter(priority: Int, _ control: SyncControl) throws -> Ticket {
    try control.checkpoint()
    let ticket = ticket(priority: priority)
    control.onCancel { [self] in withdraw(ticket) }
    defer { control.onCancel(nil) }
    guard wait(ticket) else { throw CancellationError() }
    return ticket
  }
}
