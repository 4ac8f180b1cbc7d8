import SyncStore

extension WriteGate {
  /// Waits for the store, by priority and then order. A sync that is cancelled while it waits leaves at
  /// once.
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
