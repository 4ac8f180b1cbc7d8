/// Hands elements to the sequences that were asked for. Each gets every element from then on, in
/// order, until the broadcast is finished or the sequence is given up.
///
/// Its calls may come from any thread. No sequence is told while the lock is held.
package final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    var next = 0
    var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
    var isFinished = false
  }

  private let state = Locked(State())

  package init() {}

  /// Makes a sequence. One that is made after ``finish()`` is empty.
  package func makeStream(
    _ buffering: AsyncStream<Element>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: buffering)
    let id = state.withLock { state -> Int? in
      guard !state.isFinished else { return nil }
      defer { state.next += 1 }
      state.continuations[state.next] = continuation
      return state.next
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.continuations.removeValue(forKey: id) }
    }
    return stream
  }

  /// Whether any sequence waits.
  package var isHeard: Bool { state.withLock { !$0.continuations.isEmpty } }

  /// Hands an element to all sequences, in the order in which they were made.
  package func yield(_ element: Element) {
    let waiting = state.withLock { $0.continuations }
    for continuation in waiting.inKeyOrder { continuation.value.yield(element) }
  }

  /// Ends all sequences.
  package func finish() {
    let waiting = state.withLock { state in
      defer { state.continuations = [:] }
      state.isFinished = true
      return state.continuations
    }
    for continuation in waiting.values { continuation.finish() }
  }
}
