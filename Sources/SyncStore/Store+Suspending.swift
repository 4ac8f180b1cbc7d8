import Dispatch
import SyncCore

/// The state between ``Store/suspend()`` and ``Store/resume()``.
///
/// ```
/// awake ── suspend ──▶ going: waits for the write and the reads that run ──▶ asleep
///   └───────────────────── resume ──────────────────────────────────────────────┘
/// ```
struct Suspension {
  enum Phase {
    case awake
    case going(WriteGate.Ticket)
    case asleep(WriteGate.Ticket)
  }

  var phase = Phase.awake

  /// Writers in line that must not wait until the end of a suspension.
  var impatient: [WriteGate.Ticket] = []

  /// Other callers of ``Store/suspend()``, to be woken when it is asleep.
  var callers: [DispatchSemaphore] = []

  mutating func takeCallers() -> [DispatchSemaphore] {
    defer { callers = [] }
    return callers
  }
}

/// A store whose file is left alone for a while: no lock of it is held and no transaction begins,
/// so that the system may stop the process at any moment.
///
/// A connection to a file with a log holds locks as long as it is open
/// (https://www.sqlite.org/walformat.html#locks), so all of them are closed. The turn to write is
/// taken in the meantime: writers wait for it as they wait for each other.
extension Store {
  /// Whether the store was suspended, or is about to be.
  package var isSuspended: Bool {
    suspension.withLock { if case .awake = $0.phase { false } else { true } }
  }

  /// Waits for the write and the reads that run, and closes the file. Afterwards writes and reads
  /// wait for ``resume()``; a caller that must not wait (``StoreConfiguration/mayWait``) gets an
  /// error for a write, and reads over a connection that is open only meanwhile.
  ///
  /// A store in memory has no file, and nothing happens.
  ///
  /// - Precondition: not called from inside the body of a write or a read.
  package func suspend() {
    require(!isOnWriterQueue, "A store cannot be suspended from inside a write.")
    guard let readers else { return }
    let ticket = turn.ticket(priority: .max)
    let semaphore = DispatchSemaphore(value: 0)
    let (isFirst, isWaiting, impatient) = suspension.withLock { state in
      switch state.phase {
      case .awake:
        state.phase = .going(ticket)
        defer { state.impatient = [] }
        return (true, false, state.impatient)
      case .going:
        state.callers.append(semaphore)
        return (false, true, [])
      case .asleep: return (false, false, [])
      }
    }
    guard isFirst else {
      turn.giveUp(ticket)
      if isWaiting { semaphore.wait() }
      return
    }
    for ticket in impatient { turn.withdraw(ticket) }
    // Without the turn it was woken before it had begun.
    let hasTurn = turn.wait(ticket)
    if hasTurn {
      writerQueue.sync { closeWriter() }
      readers.suspend()
    }
    let (callers, isAsleep) = suspension.withLock { state in
      guard case .going(let mine) = state.phase, mine === ticket else {
        return ([DispatchSemaphore](), false)
      }
      state.phase = .asleep(ticket)
      return (state.takeCallers(), true)
    }
    for caller in callers { caller.signal() }
    guard hasTurn, !isAsleep else { return }
    // It was woken meanwhile. The turn is given up last, so that no other suspension begins before.
    readers.resume()
    turn.leave(ticket)
  }

  /// Lets everything that waits go on. Does nothing when the store was not suspended.
  package func resume() {
    let (phase, callers) = suspension.withLock { state in
      defer { state.phase = .awake }
      return (state.phase, state.takeCallers())
    }
    switch phase {
    case .awake: return
    case .going(let ticket):
      // The thread that suspends sees it, and gives up the turn if it has it.
      turn.withdraw(ticket)
      readers?.resume()
    case .asleep(let ticket):
      readers?.resume()
      turn.leave(ticket)
    }
    for caller in callers { caller.signal() }
  }

  /// Gives a writer that must not wait for the end of a suspension its place in line.
  ///
  /// - Returns: Whether it may wait: the store is not suspended.
  func admit(_ ticket: WriteGate.Ticket) -> Bool {
    suspension.withLock { state in
      guard case .awake = state.phase else { return false }
      state.impatient.append(ticket)
      return true
    }
  }

  /// Notes that a writer has its turn, or has left.
  func forget(_ ticket: WriteGate.Ticket) {
    suspension.withLock { state in state.impatient.removeAll { $0 === ticket } }
  }

  /// Gives back the memory that holds pages of the file, as far as no read uses it.
  package func releaseMemory() {
    readers?.closeIdle()
    writerQueue.async { [weak self] in self?.writer?.releaseMemory() }
  }
}
