import Dispatch
import SyncCore
package import SyncStore
import Synchronization

/// The queue that a context is confined to, and how it is recognised.
///
/// The queue carries itself as queue-specific data, the main queue too, so "am I on it" has the
/// right answer on any thread that serves it. A look costs some 40 ns; while a block of a context
/// runs, the thread that runs it is known, and accesses on that thread need no look.
///
/// Entering is re-entrant, also across queues: a block on queue B that was entered synchronously
/// from queue A may enter A again, because A does nothing but wait for it.
///
/// ```
/// main ──performAndWait──▶ B (waited for by main) ──performAndWait──▶ main: runs here, B stands for main
/// ```
///
/// Queues that wait for each other do not hang: see ``QueueWait``.
///
/// Work on a queue comes in blocks, and contexts merge between them only: see ``QueueBlocks``.
final class ContextQueue: @unchecked Sendable {
  private static let key = DispatchSpecificKey<ContextQueue>()

  /// The main queue, whichever contexts use it.
  static let main = ContextQueue(.main)

  let queue: DispatchQueue

  /// The place of ``queue`` on the thread of a block that it has been lent to: it counts as the
  /// queue.
  private let lent = DispatchQueue(label: "lent")

  /// Runs asynchronous functions there.
  let runner: QueueRunner

  /// How many blocks are on the queue, running or not. Of the main queue we do not know.
  let load = QueueLoad()

  /// The wait of the block that runs at the moment. Under the mutex of ``QueueWait``.
  var wait: QueueWait?

  /// The thread that runs a block of a context on the queue at the moment; 0 when none does, or
  /// when it waits for another queue. Only that thread finds its own number here.
  private let thread = Atomic<UInt>(0)

  // Touched by the block on the queue only, or by one that does work for it.
  /// The blocks that run on the queue.
  private(set) var blocks = QueueBlocks()

  /// Whether a context of the queue is in the midst of a change of several steps.
  private(set) var isClosed = false

  /// The waiting queue whose work the running block does at the moment.
  private var standsFor: ContextQueue?

  /// The store whose transaction waits for the running block.
  private var waitingWriter: ObjectIdentifier?

  /// Makes a serial queue of its own.
  convenience init(label: String) {
    self.init(DispatchQueue(label: label))
  }

  private init(_ queue: DispatchQueue) {
    self.queue = queue
    runner = QueueRunner(queue, load)
    queue.setSpecific(key: ContextQueue.key, value: self)
    lent.setSpecific(key: ContextQueue.key, value: self)
  }

  /// Whether the caller runs on the queue, or in a block that does work for it.
  @inline(__always)
  var isCurrent: Bool { thread.load(ordering: .relaxed) == currentThreadNumber() || isServed }

  /// Whether the caller runs on the queue, not in a block of another one that does work for it.
  var isServedItself: Bool { DispatchQueue.getSpecific(key: ContextQueue.key) === self }

  /// Runs the body of a block, which is on the queue.
  func serving<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = thread.exchange(currentThreadNumber(), ordering: .relaxed)
    defer { thread.store(outer, ordering: .relaxed) }
    return try body()
  }

  /// The same as ``isCurrent``, from Dispatch.
  private var isServed: Bool {
    guard let current = DispatchQueue.getSpecific(key: ContextQueue.key) else { return false }
    if current === self, self === ContextQueue.main { notePass() }
    return current === self || current.standsFor === self
  }

  // MARK: - Blocks

  /// Runs the body of a block of one of the queue's contexts.
  func inBlock<Result>(_ body: () throws -> Result) rethrows -> Result {
    blocks.begin()
    defer { blocks.end() }
    return try serving(body)
  }

  /// Runs a change of several steps, which must not be interrupted: where it has to wait itself, it
  /// does nothing meanwhile for blocks that want to read from a context of the queue.
  func closed<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = isClosed
    isClosed = true
    defer { isClosed = outer }
    return try body()
  }

  /// Code that uses a context of the main queue outside of its blocks: the code that runs until the
  /// main queue gets to something else is a block too.
  private func notePass() {
    guard blocks.beginPass() else { return }
    let number = blocks.number
    queue.async { [self] in endPass(number) }
  }

  /// The main queue got to other work, or waits.
  func endPass(_ number: UInt64? = nil) {
    if self === ContextQueue.main { blocks.endPass(number) }
  }

  /// Calls by the queue itself begin here: an earlier pass of the main queue is over then.
  func turn<Result>(_ body: () throws -> Result) rethrows -> Result {
    endPass()
    return try body()
  }

  /// Stops the program when the caller runs elsewhere.
  @inline(__always)
  func check(_ subject: @autoclosure () -> String) {
    guard isCurrent else { stop(subject()) }
  }

  /// Says where the subject belongs, and stops the program.
  func stop(_ subject: String) -> Never {
    programmingError(
      self === ContextQueue.main
        ? """
        \(subject) belongs to the main queue but was used on another one. An async function runs elsewhere \
        unless it is marked @MainActor: mark it or its type, or use perform { } or performAndWait { } of \
        the context. Other queues get the object by its objectID from a context of their own.
        """
        : """
        \(subject) belongs to \(queue.label) but was used on another queue. Use it in perform { } or \
        performAndWait { } of its context only, and hand its objectID to other contexts.
        """)
  }

  /// Runs the body on the queue some time later.
  func async(_ body: @escaping @Sendable () -> Void) {
    load.enter()
    queue.async { [self] in
      turn(body)
      load.leave()
    }
  }

  /// Runs the body on the queue and waits for it.
  ///
  /// - Parameter isReading: a child reads from its parent, in the middle of something. No block
  ///   does work for the waiting queue then, but others may do this work for it.
  func sync<Result>(isReading: Bool = false, _ body: () throws -> Result) rethrows -> Result {
    try enter(isReading, body, rescue: { throw $0 })
  }

  /// The part for one type of result; a copy at each caller made the module a tenth larger.
  @inline(never)
  private func enter<Result>(
    _ isReading: Bool, _ body: () throws -> Result, rescue: (any Error) throws -> Result
  ) rethrows -> Result {
    let current = DispatchQueue.getSpecific(key: ContextQueue.key)
    if let current, current === self || current.standsFor === self { return try body() }
    var result: Swift.Result<Result, any Error>?
    withoutActuallyEscaping(
      { result = Swift.Result { try body() } }, do: { enter(isReading, from: current, $0) })
    switch result {
    case .success(let value)?: return value
    case .failure(let error)?: return try rescue(error)
    case nil: programmingError("A block on \(queue.label) did not run.")
    }
  }

  /// The part that is the same for every type of result, so that it is compiled once.
  @inline(never)
  private func enter(_ isReading: Bool, from current: ContextQueue?, _ work: @escaping () -> Void) {
    if let current {
      return current.run({ self.serving(current.waitingWriter, work) }, on: self, isReading)
    }
    load.enter()
    defer { load.leave() }
    let writer = Store.writing
    queue.sync { turn { if let writer { serving(writer, work) } else { work() } } }
  }

  /// Runs a body for a waiting caller, inside a transaction of a store or outside.
  private func serving(_ writer: ObjectIdentifier?, _ work: () -> Void) {
    let outer = waitingWriter
    waitingWriter = writer
    defer { waitingWriter = outer }
    work()
  }

  /// The store whose transaction waits for the caller; nil when none does.
  static var waitingWriter: ObjectIdentifier? {
    DispatchQueue.getSpecific(key: key)?.waitingWriter ?? Store.writing
  }

  /// Runs work on another queue while this one waits.
  private func run(_ work: @escaping () -> Void, on target: ContextQueue, _ isReading: Bool) {
    let wait = QueueWait(target: target, isReading: isReading, isStanding: standsFor != nil, work)
    // The other queue may run the work on this very thread, where this queue's objects are not for
    // it.
    let outer = thread.exchange(0, ordering: .relaxed)
    defer { thread.store(outer, ordering: .relaxed) }
    while true {
      // A caller that waits for others expects to see their changes. Work that is done meanwhile
      // for one of them is no pass.
      if !isReading { endPass() }
      switch wait.begin(on: self) {
      case .stand:
        return standing(for: target, work)
      case .help(let other):
        standing(for: other.target) { other.run() }
      case .enter:
        target.queue.sync { target.turn { wait.run() } }
        target.load.leave()
        return wait.end(on: self)
      case .queueUp where isReading || target === ContextQueue.main:
        target.async { wait.runIfPending() }
        wait.done.wait()
        return wait.end(on: self)
      case .queueUp:
        target.async { wait.lend() }
        wait.turn.wait()
        target.lent.sync { wait.run() }
        return wait.end(on: self)
      }
    }
  }

  /// Whether the queue waits for the block that calls, so that ``sync(isReading:_:)`` runs at once.
  var waitsForCaller: Bool {
    guard let current = DispatchQueue.getSpecific(key: ContextQueue.key) else { return false }
    return QueueWait.isOpen(self, to: current)
  }

  /// Runs work of a queue whose own block waits.
  private func standing(for other: ContextQueue, _ work: () -> Void) {
    guard other !== self else { return work() }
    let outer = standsFor
    standsFor = other
    defer { standsFor = outer }
    work()
  }
}

extension Store {
  /// Whether the caller runs inside a transaction of the store, or on a queue of a context that is
  /// waited for there: another transaction would wait without end.
  package var waitsForCaller: Bool { ContextQueue.waitingWriter == ObjectIdentifier(self) }
}
