import Dispatch
import SyncCore
import Synchronization

/// A block on one queue that waits until its work was done on another one.
///
/// Queues may come to wait for each other in a circle: a block of a parent context enters a child
/// whose block is about to read from the parent. The block that closes a circle sees it here and
/// opens it again:
///
/// ```
///            performAndWait (waits)
///   parent ─────────────────────────▶ child          the child's block goes on: its reading is done
///          ◀─────────────────────────                by whichever of the two came last, in the name of
///            reading (waits)                         the parent, which does nothing but wait
/// ```
///
/// 1. Work for a queue may be done elsewhere while the block that runs on it waits in
///    `performAndWait`: its author expects others to work meanwhile.
/// 2. Not while it waits to read: it is in the middle of something. Then the reading is done for
///   it.
/// 3. Every circle has a wait of the first kind, because children wait for their parents only.
/// 4. A block in the midst of a change (``ContextQueue/closed(_:)``) does no reading of its own
///    contexts for others: the reading that it needs of the queue above is done in the name of that
///    one, which does nothing but wait.
///
/// A body given to `performAndWait` runs on the thread that waits, to which the target lends
/// itself: it may be isolated to the main actor, and the runtime checks where it runs. Only the
/// main queue does its work itself.
///
/// States: `pending` ─▶ `running` (on the target's queue, or elsewhere in its name) ─▶ `done`.
final class QueueWait: @unchecked Sendable {
  // Unchecked: the mutable state is under the mutex, as is `ContextQueue.wait`.

  /// The next step of a block that wants work done on another queue.
  enum Step: Sendable {
    /// Do the work itself: the other queue waits for it.
    case stand
    /// Do the work of another wait first, and ask again.
    case help(QueueWait)
    /// Enter the queue, which is free.
    case enter
    /// Wait for its turn.
    case queueUp
  }

  private enum State { case pending, running, done }

  private static let mutex = Locked<Void>(())

  let target: ContextQueue
  let done = DispatchSemaphore(value: 0)
  /// The target has lent itself.
  let turn = DispatchSemaphore(value: 0)
  private let isReading: Bool

  /// Whether the waiting block does work for another queue, which no third one may do either.
  private let isStanding: Bool
  private var work: (() -> Void)?
  private var state = State.pending

  init(target: ContextQueue, isReading: Bool, isStanding: Bool, _ work: @escaping () -> Void) {
    self.target = target
    self.isReading = isReading
    self.isStanding = isStanding
    self.work = work
  }

  // MARK: - The waiting queue

  /// Decides how a block on a queue gets its work done. When it has to wait, it is noted that it
  /// does.
  func begin(on queue: ContextQueue) -> Step {
    Self.mutex.withLock { _ in
      let circle = Self.circle(from: target, to: queue)
      if let circle, Self.isOpen(circle) || Self.isOpenToClosed(queue, circle) { return .stand }
      for (index, wait) in (circle ?? []).enumerated()
      where wait.isReading && wait.state == .pending {
        let rest = circle?[(index + 1)...] ?? []
        guard rest.isEmpty || Self.isOpen(rest) else { continue }
        wait.state = .running
        return .help(wait)
      }
      queue.wait = self
      guard target !== ContextQueue.main, target.load.enterIfFree() else { return .queueUp }
      state = .running
      return .enter
    }
  }

  /// The wait is over.
  func end(on queue: ContextQueue) {
    Self.mutex.withLock { _ in queue.wait = nil }
  }

  /// Whether a queue waits for the block that runs on another one, and work may be done for it
  /// there.
  static func isOpen(_ queue: ContextQueue, to other: ContextQueue) -> Bool {
    mutex.withLock { _ in
      circle(from: queue, to: other).map { isOpen($0) } ?? false
    }
  }

  /// The waits from one queue to another, first that of the first; nil when they lead elsewhere.
  private static func circle(from first: ContextQueue, to last: ContextQueue) -> [QueueWait]? {
    var waits: [QueueWait] = []
    var queue = first
    while let wait = queue.wait, wait.state != .done {
      waits.append(wait)
      if wait.target === last { return waits }
      queue = wait.target
    }
    return nil
  }

  /// Whether work may be done for the first queue of a chain. While its own work is running further
  /// along, the wait of that counts.
  private static func isOpen(_ waits: some Sequence<QueueWait>) -> Bool {
    waits.first { $0.state == .pending }.map { !$0.isReading && !$0.isStanding } ?? true
  }

  /// Whether work may be done for the first queue of a chain although the last wait of it is to
  /// read from the queue that asks: that one is in the midst of a change, where no block should
  /// read. A block that waits to read holds nothing above the queue it reads from.
  private static func isOpenToClosed(_ queue: ContextQueue, _ waits: [QueueWait]) -> Bool {
    guard queue.isClosed, let last = waits.last, last.state == .pending, last.isReading,
      !last.isStanding
    else { return false }
    return isOpen(waits.dropLast())
  }

  // MARK: - The work

  /// Does the work on the queue that it is meant for, unless it was done already.
  func runIfPending() {
    if begin() { run() }
  }

  /// Has the work done on the thread that waits, while the queue that it is meant for waits here.
  func lend() {
    guard begin() else { return }
    turn.signal()
    done.wait()
  }

  private func begin() -> Bool {
    Self.mutex.withLock { _ in
      guard state == .pending else { return false }
      state = .running
      return true
    }
  }

  /// Does the work, and lets the waiting block go on.
  func run() {
    takeWork()?()
    Self.mutex.withLock { _ in state = .done }
    done.signal()
  }

  private func takeWork() -> (() -> Void)? {
    defer { work = nil }
    return work
  }
}

/// How many blocks are on a queue, running or waiting for their turn.
final class QueueLoad: Sendable {
  private let count = Atomic<Int>(0)

  func enter() { count.add(1, ordering: .acquiringAndReleasing) }
  func leave() { count.subtract(1, ordering: .acquiringAndReleasing) }

  /// Enters when no thread is inside.
  func enterIfFree() -> Bool {
    count.compareExchange(expected: 0, desired: 1, ordering: .acquiringAndReleasing).exchanged
  }
}
