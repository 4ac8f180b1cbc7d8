import SyncCore

/// The asynchronous sequences that wait for change sets. Each gets every one, in commit order.
final class ChangeStreams: Sendable {
  private struct State {
    var next = 0
    var continuations: [Int: AsyncStream<ChangeSet>.Continuation] = [:]
  }

  private let state = Locked(State())

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
    for continuation in waiting.inKeyOrder {
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
  /// The changes of an entity and those below it; nil when there are none. A change set whose
  /// changes are unknown may be about everything.
  func restricted(to entity: EntityDescription) -> ChangeSet? {
    var result = self
    result.entities = entities.filter { $0.entity.isKind(of: entity) }
    return result.isEmpty ? nil : result
  }

  /// The changes of one object; nil when there are none.
  ///
  /// - Complexity: O(log *n*) in the changes of the object's entity.
  func restricted(to id: ManagedObjectID) -> ChangeSet? {
    var result = self
    result.entities = entities.compactMap { changes in
      guard changes.entity.rootIndex == id.entity.rootIndex else { return nil }
      let only = changes.restricted(to: id.row)
      return only.isEmpty ? nil : only
    }
    return result.isEmpty ? nil : result
  }
}

extension ChangeSet.EntityChanges {
  fileprivate func restricted(to row: Int64) -> ChangeSet.EntityChanges {
    var result = ChangeSet.EntityChanges(entity: entity)
    if let index = index(inserted.count, { inserted[$0] }, of: row) {
      result.inserted = [row]
      result.insertedKeys = key(index, in: insertedKeys)
    }
    if let index = index(updated.count, { updated[$0].row }, of: row) {
      result.updated = [updated[index]]
      result.updatedKeys = key(index, in: updatedKeys)
    }
    if let index = index(deleted.count, { deleted[$0] }, of: row) {
      result.deleted = [row]
      result.deletedKeys = key(index, in: deletedKeys)
    }
    return result
  }

  /// The place of a row among rows that ascend.
  private func index(_ count: Int, _ rowAt: (Int) -> Int64, of row: Int64) -> Int? {
    let place = firstPlace(among: count) { rowAt($0) < row }
    return place < count && rowAt(place) == row ? place : nil
  }

  private func key(_ index: Int, in keys: ChangeKeys) -> ChangeKeys {
    keys.indices.contains(index) ? [keys[index]] : []
  }
}
