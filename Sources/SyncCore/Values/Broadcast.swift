/// Hands elements to the sequences that were asked for. Each gets every element from then on, in
/// order, until the broadcast is finished or the sequence is given up. A broadcast that goes
/// finishes.
///
/// Its calls may come from any thread. No sequence is told while the lock is held.
package final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    var next = 0
    var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
    var isFinished = false
    var last: Element?
  }

  private let state = Locked(State())

  package init() {}

  deinit { finish() }

  /// Makes a sequence. One that is made after ``finish(_:)`` has the last element alone.
  ///
  /// - Parameter first: gives the element to begin with; asked when the sequence hears already.
  package func makeStream(
    _ buffering: AsyncStream<Element>.Continuation.BufferingPolicy = .unbounded,
    beginningWith first: () -> Element? = { nil }
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: buffering)
    let (id, last) = state.withLock { state -> (Int?, Element?) in
      guard !state.isFinished else { return (nil, state.last) }
      defer { state.next += 1 }
      state.continuations[state.next] = continuation
      return (state.next, nil)
    }
    guard let id else {
      if let last { continuation.yield(last) }
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.continuations.removeValue(forKey: id) }
    }
    if let first = first() { continuation.yield(first) }
    return stream
  }

  /// Whether any sequence waits.
  package var isHeard: Bool { state.withLock { !$0.continuations.isEmpty } }

  /// Hands an element to all sequences, in the order in which they were made.
  package func yield(_ element: Element) {
    let waiting = state.withLock { $0.continuations }
    for (_, continuation) in waiting.inKeyOrder { continuation.yield(element) }
  }

  /// Ends all sequences.
  ///
  /// - Parameter last: handed to all before, and to sequences that are asked for afterwards.
  package func finish(_ last: Element? = nil) {
    let waiting = state.withLock { state in
      defer { state.continuations = [:] }
      guard !state.isFinished else { return state.continuations }
      (state.isFinished, state.last) = (true, last)
      return state.continuations
    }
    for (_, continuation) in waiting.inKeyOrder {
      if let last { continuation.yield(last) }
      continuation.finish()
    }
  }
}
