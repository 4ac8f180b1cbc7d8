import SyncCore

/// The asynchronous sequences of one live result.
///
/// Mutable state is in `state`, under its mutex: sequences end on whichever thread drops them.
final class ResultsStreams: Sendable {
  private struct State {
    var next = 0
    var receivers: [Int: @Sendable (LiveResultsChange) -> Void] = [:]
  }

  private let state = Locked(State())

  /// Makes a sequence of what a function makes of each change.
  ///
  /// - Parameter owner: kept alive as long as the sequence is read.
  func make<Element: Sendable>(
    keeping owner: some Sendable, first: Element,
    buffering policy: AsyncStream<Element>.Continuation.BufferingPolicy,
    _ element: @escaping @Sendable (LiveResultsChange) -> Element
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: policy)
    continuation.yield(first)
    let id = state.withLock { state in
      defer { state.next += 1 }
      state.receivers[state.next] = { continuation.yield(element($0)) }
      return state.next
    }
    continuation.onTermination = { _ in
      let removed = self.state.withLock { $0.receivers.removeValue(forKey: id) }
      withExtendedLifetime((owner, removed)) {}
    }
    return stream
  }

  /// Hands a change to all sequences, in the order in which they were made.
  func yield(_ change: LiveResultsChange) {
    let receivers = state.withLock { $0.receivers }
    for receiver in receivers.inKeyOrder { receiver.value(change) }
  }
}
