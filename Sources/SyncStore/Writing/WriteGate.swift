import Dispatch
import SyncCore

/// Lets one long writer of a store in at a time: by priority, then in the order of arrival.
///
/// A writer that waits here holds no thread of the store's writer queue, and a cancelled one leaves
/// at once. Short writes, such as saves of contexts, do not come through here.
///
/// ```
/// wait ──▶ waiting ──▶ inside ──▶ leave: the next one is let in
///             └── cancel ──▶ gone
/// ```
package final class WriteGate: Sendable {
  /// One writer's place in the queue.
  package final class Ticket: Sendable {
    fileprivate let priority: Int
    fileprivate let number: UInt64
    fileprivate let semaphore = DispatchSemaphore(value: 0)

    fileprivate init(priority: Int, number: UInt64) {
      self.priority = priority
      self.number = number
    }
  }

  private struct State {
    var inside: UInt64?
    var waiting: [Ticket] = []
    var last: UInt64 = 0
  }

  private let state = Locked(State())

  package init() {}

  /// How many wait.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Takes a place in the queue. Every ticket has to be ``wait(_:)``ed for or ``withdraw(_:)``n.
  ///
  /// - Parameter priority: The highest goes first.
  package func ticket(priority: Int) -> Ticket {
    state.withLock { state in
      state.last += 1
      let ticket = Ticket(priority: priority, number: state.last)
      if state.inside == nil {
        state.inside = ticket.number
        ticket.semaphore.signal()
      } else {
        state.waiting.append(ticket)
      }
      return ticket
    }
  }

  /// Enters an empty gate, without waiting.
  ///
  /// - Returns: The ticket to ``leave(_:)`` with; nil when the gate is not empty.
  package func enterAlone() -> Ticket? {
    state.withLock { state in
      guard state.inside == nil else { return nil }
      state.last += 1
      state.inside = state.last
      return Ticket(priority: 0, number: state.last)
    }
  }

  /// Waits until the ticket is let in or withdrawn.
  ///
  /// - Returns: Whether it is inside; then ``leave(_:)`` has to be called.
  package func wait(_ ticket: Ticket) -> Bool {
    ticket.semaphore.wait()
    return state.withLock { $0.inside == ticket.number }
  }

  /// Gives a place in the queue up. Does nothing when the ticket is inside.
  package func withdraw(_ ticket: Ticket) {
    state.withLock { state in
      guard let index = state.waiting.firstIndex(where: { $0 === ticket }) else { return }
      state.waiting.remove(at: index)
      ticket.semaphore.signal()
    }
  }

  /// Leaves, from inside or from the line.
  package func giveUp(_ ticket: Ticket) {
    withdraw(ticket)
    leave(ticket)
  }

  /// Lets the next one in.
  package func leave(_ ticket: Ticket) {
    state.withLock { state in
      guard state.inside == ticket.number else { return }
      state.inside = nil
      let next = state.waiting.indices.min {
        let (left, right) = (state.waiting[$0], state.waiting[$1])
        return (-left.priority, left.number) < (-right.priority, right.number)
      }
      guard let next else { return }
      let ticket = state.waiting.remove(at: next)
      state.inside = ticket.number
      ticket.semaphore.signal()
    }
  }
}
