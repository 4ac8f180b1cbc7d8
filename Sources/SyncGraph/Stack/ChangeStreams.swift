import SyncCore
import Synchronization

/// The asynchronous sequences that wait for change sets. Each gets every one, in commit order.
final class ChangeStreams: Sendable {
  private struct State {
    var next = 0
    var continuations: [Int: AsyncStream<ChangeSet>.Continuation] = [:]
  }

  private let state = Mutex(State())

  /// Makes a sequence that ends with the stack.
  func makeStream() -> AsyncStream<ChangeSet> {
    let (stream, continuation) = AsyncStream.makeStream(of: ChangeSet.self)
    let id = state.withLock { state in
      defer { state.next += 1 }
      state.continuations[state.next] = continuation
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.continuations.removeValue(forKey: id) }
    }
    return stream
  }

  /// Hands a change set to all sequences.
  func yield(_ changes: ChangeSet) {
    let waiting = state.withLock { $0.continuations }
    for continuation in waiting.sorted(by: { $0.key < $1.key }) {
      continuation.value.yield(changes)
    }
  }

  /// Ends all sequences.
  func finish() {
    let waiting = state.withLock { state in
      defer { state.continuations = [:] }
      return state.continuations
    }
    for continuation in waiting.values { continuation.finish() }
  }
}

extension ChangeSet {
  /// What the change set says about an entity and those below it; nil when that is nothing.
  func restricted(to entity: EntityDescription) -> ChangeSet? {
    var result = self
    result.entities = entities.filter { $0.entity.isKind(of: entity) }
    return result.isEmpty ? nil : result
  }
}
