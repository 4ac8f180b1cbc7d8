import SyncCore

/// Where writers wait without a thread, until it makes sense to have one.
///
/// A few may be admitted at a time: one that writes, and some that read their input meanwhile and
/// then wait at the ``WriteGate``. The others are parked. A sync that is more urgent than all
/// that were admitted is admitted at once, so it does not wait for others to read.
///
/// ```
/// enter ──▶ admitted ──▶ leave: the next ones are admitted
///      └──▶ parked ──▶ admitted
///               └── withdraw ──▶ gone
/// ```
package final class WaitingRoom: Sendable {
  /// One guest's place.
  package final class Seat: Sendable {
    fileprivate let priority: Int
    fileprivate let number: UInt64

    fileprivate init(priority: Int, number: UInt64) {
      self.priority = priority
      self.number = number
    }
  }

  fileprivate struct Parked {
    let seat: Seat
    let admit: @Sendable (Seat) -> Void
  }

  fileprivate struct State {
    var admitted: [Seat] = []
    var parked: [Parked] = []
    var last: UInt64 = 0
  }

  private let state = Locked(State())

  /// How many are admitted at a time, unless they are more urgent: one writes, one reads ahead for
  /// each of two cores.
  private static let capacity = 3

  /// How many are parked.
  package var parkedCount: Int { state.withLock { $0.parked.count } }

  /// Enters an empty room, in which there is nothing to wait for.
  ///
  /// - Returns: The seat to ``leave(_:)``; nil when the room is not empty.
  package func enterAlone(priority: Int) -> Seat? {
    state.withLock { state in
      guard state.admitted.isEmpty, state.parked.isEmpty else { return nil }
      let seat = state.makeSeat(priority)
      state.admitted.append(seat)
      return seat
    }
  }

  /// Enters, now or later.
  ///
  /// - Parameter admit: Called once when admitted, at once when there is room, on the thread that
  ///   makes room otherwise; quick.
  /// - Returns: The seat to ``leave(_:)`` once admitted.
  package func enter(priority: Int, admit: @escaping @Sendable (Seat) -> Void) -> Seat {
    let (seat, isAdmitted) = state.withLock { state in
      let seat = state.makeSeat(priority)
      let hasRoom = state.hasRoom(for: priority)
      if hasRoom {
        state.admitted.append(seat)
      } else {
        state.parked.append(Parked(seat: seat, admit: admit))
      }
      return (seat, hasRoom)
    }
    if isAdmitted { admit(seat) }
    return seat
  }

  /// Gives a parked place up.
  ///
  /// - Returns: Whether it was parked, and so will never be admitted.
  package func withdraw(_ seat: Seat) -> Bool {
    // Values that the closure captures go away outside the lock.
    let removed = state.withLock { state in
      state.parked.firstIndex { $0.seat === seat }.map { state.parked.remove(at: $0) }
    }
    return removed != nil
  }

  /// Makes room for the next ones, by priority and then order.
  package func leave(_ seat: Seat) {
    let next = state.withLock { state in
      state.admitted.removeAll { $0 === seat }
      var next: [Parked] = []
      while let index = state.nextIndex, state.hasRoom(for: state.parked[index].seat.priority) {
        let parked = state.parked.remove(at: index)
        state.admitted.append(parked.seat)
        next.append(parked)
      }
      return next
    }
    for parked in next { parked.admit(parked.seat) }
  }
}

extension WaitingRoom.State {
  fileprivate mutating func makeSeat(_ priority: Int) -> WaitingRoom.Seat {
    last += 1
    return WaitingRoom.Seat(priority: priority, number: last)
  }

  fileprivate func hasRoom(for priority: Int) -> Bool {
    admitted.count < WaitingRoom.capacity || admitted.allSatisfy { $0.priority < priority }
  }

  fileprivate var nextIndex: Int? {
    parked.indices.min {
      let (left, right) = (parked[$0].seat, parked[$1].seat)
      return (-left.priority, left.number) < (-right.priority, right.number)
    }
  }
}
