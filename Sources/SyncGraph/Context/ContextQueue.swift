import Dispatch

/// The queue that a context is confined to, and how it is recognised.
///
/// The queue carries itself as queue-specific data, the main queue too, so "am I on it" has the right
/// answer whatever thread happens to serve it. A look costs some 40 ns, little enough for each access
/// of an object.
///
/// Entering is re-entrant, also across queues: a block on queue B that was entered synchronously from
/// queue A may enter A again, because A does nothing but wait for it.
///
/// ```
/// main ──performAndWait──▶ B (heldBy: main) ──performAndWait──▶ main: runs here, B stands for main
/// ```
final class ContextQueue: @unchecked Sendable {
  private static let key = DispatchSpecificKey<ContextQueue>()

  /// The main queue, whichever contexts use it.
  static let main = ContextQueue(.main)

  let queue: DispatchQueue

  /// Runs asynchronous functions there.
  let runner: QueueRunner

  // Both are touched by blocks on the queue only.
  /// The queue that waits for the block that runs.
  private var heldBy: ContextQueue?
  /// The waiting queue whose work the running block does at the moment.
  private var standsFor: ContextQueue?

  /// Makes a serial queue of its own.
  convenience init(label: String) {
    self.init(DispatchQueue(label: label))
  }

  private init(_ queue: DispatchQueue) {
    self.queue = queue
    runner = QueueRunner(queue)
    queue.setSpecific(key: ContextQueue.key, value: self)
  }

  /// Whether the caller runs on the queue, or in a block that does work for it.
  var isCurrent: Bool {
    guard let current = DispatchQueue.getSpecific(key: ContextQueue.key) else { return false }
    return current === self || current.standsFor === self
  }

  /// Stops the program when the caller runs elsewhere.
  @inline(__always)
  func check(_ subject: @autoclosure () -> String) {
    guard isCurrent else { stop(subject()) }
  }

  /// Says where the subject belongs, and stops the program.
  func stop(_ subject: String) -> Never {
    preconditionFailure(
      self === ContextQueue.main
        ? """
        \(subject) belongs to the main queue but was used on another one. Use it from the main \
        actor or the main queue, or in perform { } or performAndWait { } of its context; other \
        queues get the object by its objectID from a context of their own.
        """
        : """
        \(subject) belongs to \(queue.label) but was used on another queue. Use it in perform { } or \
        performAndWait { } of its context only, and hand its objectID to other contexts.
        """)
  }

  /// Runs the body on the queue and waits for it.
  func sync<Result>(_ body: () throws -> Result) rethrows -> Result {
    let current = DispatchQueue.getSpecific(key: ContextQueue.key)
    guard let current else { return try queue.sync(execute: body) }
    if current === self || current.standsFor === self { return try body() }
    if current.isHeld(by: self) {
      let outer = current.standsFor
      current.standsFor = self
      defer { current.standsFor = outer }
      return try body()
    }
    return try queue.sync {
      heldBy = current
      defer { heldBy = nil }
      return try body()
    }
  }

  /// Whether the other queue waits for the block that runs here, directly or further out.
  private func isHeld(by other: ContextQueue) -> Bool {
    var holder = heldBy
    while let current = holder {
      if current === other { return true }
      holder = current.heldBy
    }
    return false
  }
}
