package import SyncCore

/// Changes made in this program that are not known to be sent, folded per object: the entries of
/// outboxes, and the history after them. The store keeps it from one transaction to the next, so
/// that each reads only later commits.
///
/// Holds commits, nothing of the transaction that runs. Takes some 200 bytes for each changed
/// object, as long as the store is open. Confined to the writer queue.
package final class UnsentHistory {
  /// Where the fold begins. Another place means another fold.
  struct Beginning: Equatable {
    /// Up to where every durable consumer but outboxes has read; nil when there is none.
    let acknowledged: Int64?

    /// Up to where the history was purged.
    let floor: Int64

    /// The revisions of the outboxes.
    var outboxes: [Int64] = []
  }

  private var beginning: Beginning?
  package private(set) var fold = HistoryFold(after: .start)

  /// Deleted objects by their identity, for each set of attributes that was asked for.
  private var deletedByKey: [Identity: DeletedObjects] = [:]

  private struct Identity: Hashable {
    let entity: Int
    let slots: [Int]
  }

  private struct DeletedObjects {
    /// How many of the fold's deletions were looked at.
    var count = 0
    var objects: [[Value]: ManagedObjectID] = [:]
  }

  /// Reads on.
  ///
  /// - Parameters:
  ///   - beginning: The state that the fold has to begin with.
  ///   - start: The place in the history after which it begins.
  ///   - read: Adds later changes to a fold; told whether the fold is a new one.
  /// - Complexity: that of the later changes; of all that is unsent when the beginning has moved.
  func update(
    from beginning: Beginning, after start: Int64,
    _ read: (inout HistoryFold, _ isNew: Bool) throws -> Void
  ) rethrows {
    let isNew = beginning != self.beginning
    if isNew {
      fold = HistoryFold(after: HistoryToken(number: start))
      deletedByKey = [:]
    }
    // A fold that was read in part before an error is read anew.
    self.beginning = nil
    try read(&fold, isNew)
    self.beginning = beginning
  }

  /// Takes over the present entry of the only reader of the history, an outbox, for an object, so
  /// that the fold need not be read anew.
  ///
  /// - Parameters:
  ///   - entry: Nil when nothing is left to send.
  ///   - revision: That of the outbox, now.
  func replace(_ id: ManagedObjectID, with entry: OutboxEntry?, revision: Int64) {
    guard let beginning, beginning.acknowledged == nil, beginning.outboxes.count == 1 else {
      return clear()
    }
    self.beginning?.outboxes = [revision]
    fold.remove(id)
    if let entry { fold.add(entry) }
  }

  /// Forgets everything: there is no history any more.
  func clear() {
    guard beginning != nil else { return }
    beginning = nil
    fold = HistoryFold(after: .start)
    deletedByKey = [:]
  }

  /// The object of an entity that was deleted here and had these values; nil when there is none.
  ///
  /// - Parameter slots: The attributes that identify it.
  /// - Complexity: O(1) once the deletions were looked at, each once for each list of slots.
  package func deletedObject(
    _ entity: EntityDescription, _ slots: [Int], _ values: @autoclosure () -> [Value]
  ) -> ManagedObjectID? {
    guard !slots.isEmpty, let deletions = fold.deletions[entity.rootIndex] else { return nil }
    let identity = Identity(entity: entity.index, slots: slots)
    let seen = deletedByKey[identity]?.count ?? 0
    if seen < deletions.count {
      let names = slots.map { entity.properties[$0].name }
      for id in deletions[seen...] where id.entity.isKind(of: entity) {
        guard let tombstone = fold[id]?.tombstone else { continue }
        let key = names.compactMap { tombstone[$0] }
        guard key.count == names.count else { continue }
        deletedByKey[identity, default: DeletedObjects()].objects[key] = id
      }
      deletedByKey[identity, default: DeletedObjects()].count = deletions.count
    }
    guard let known = deletedByKey[identity], !known.objects.isEmpty else { return nil }
    // A deletion that has been sent since is not here any more.
    return known.objects[values()].flatMap { fold[$0]?.kind == .delete ? $0 : nil }
  }
}

@available(*, unavailable, message: "Unsent history is confined to the writer queue.")
extension UnsentHistory: Sendable {}
