import SyncCore
import SyncGraph
import SyncStore

/// The gate in front of a store, which lets one sync in at a time. A sync reads its payload before
/// it: two cores parse and write different syncs at the same time.
///
/// ```swift
/// let gate = try SyncGate(store, control)
/// defer { gate.leave() }
/// try SyncRun(request, store: store, control: control).run(enter: gate.enter)
/// ```
///
/// Confined to its sync.
final class SyncGate {
  private let store: Store
  private let control: SyncControl
  private let priority: Int
  private var ticket: WriteGate.Ticket?

  /// - Throws: ``SyncError`` when the caller is inside a sync of the same store already, which
  ///   would wait for itself.
  init(_ store: Store, _ control: SyncControl, priority: Int = 0) throws {
    guard !store.waitsForCaller else {
      throw SyncError(
        .invalidRequest,
        message: """
          A sync was started inside another sync of the same store, which it would wait for without \
          end. Start it from an observer or a completion handler, or add it to the sync queue.
          """)
    }
    self.store = store
    self.control = control
    self.priority = priority
  }

  /// Waits for the store, by priority and then order. A sync that is cancelled while it waits
  /// leaves at once.
  ///
  /// - Throws: `CancellationError`.
  func enter() throws {
    try control.checkpoint()
    let gate = store.gate
    let ticket = gate.ticket(priority: priority)
    control.onCancel { gate.withdraw(ticket) }
    defer { control.onCancel(nil) }
    guard gate.wait(ticket) else { throw CancellationError() }
    self.ticket = ticket
  }

  /// Lets the next one in. Does nothing when the gate was not entered.
  func leave() {
    if let ticket { store.gate.leave(ticket) }
    ticket = nil
  }

  /// Does work that reads no payload, inside the gate.
  @discardableResult
  static func inside<T>(
    _ store: Store, _ control: SyncControl = SyncControl(), priority: Int = 0,
    _ body: () throws -> T
  ) throws -> T {
    let gate = try SyncGate(store, control, priority: priority)
    try gate.enter()
    defer { gate.leave() }
    return try body()
  }
}

@available(*, unavailable, message: "A gate is confined to its sync.")
extension SyncGate: Sendable {}
