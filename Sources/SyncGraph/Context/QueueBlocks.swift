/// The blocks that run on a queue, one after the other: values that its contexts have read stay as
/// they were read until the block ends.
///
/// A block is the outermost `perform { }` or `performAndWait { }` on the queue. The main queue is
/// used without them too, by code on the main actor. There it is a *pass*: the code that runs until
/// the main queue gets to something else, at the next suspension or when the function that it
/// called returns, or until that code waits for another context or a sync.
///
/// ```
/// main queue:  ‥│ reads x, fetches, reads x again  await │‥│ reads x ‥
///               └──────────── one pass ───────────────┘  └─ the next one
/// ```
///
/// A program whose main queue never gets to anything, because nothing drains it, has no passes:
/// every use of a context merges. Whether anything does is known from the end of the first pass on,
/// so that uses of that one merge too.
struct QueueBlocks {
  /// The number of the block that runs, or of the last one that did.
  private(set) var number: UInt64 = 1

  /// How many blocks are running, one inside the other.
  private var depth = 0
  private var isInPass = false

  /// Whether the main queue ever got to work that was put there.
  private var isDrained = false

  /// Whether uses outside of blocks have no end that would be noticed.
  var isEndless: Bool { depth == 0 && isInPass && !isDrained }

  mutating func begin() {
    depth += 1
    if depth == 1, !isInPass { number += 1 }
  }

  mutating func end() { depth -= 1 }

  /// - Returns: whether a pass has begun.
  mutating func beginPass() -> Bool {
    guard depth == 0, !isInPass else { return false }
    isInPass = true
    number += 1
    return true
  }

  /// - Parameter ended: the number of the pass that is over, told by the main queue; nil is
  ///   whichever runs.
  mutating func endPass(_ ended: UInt64?) {
    if let ended {
      isDrained = true
      guard ended == number else { return }
    }
    if depth == 0 { isInPass = false }
  }
}
