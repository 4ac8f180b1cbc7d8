package import SyncCore

/// What was changed in this program and is not known to be sent, folded per object. The store keeps it from one
/// transaction to the next, so that each reads only what was committed since.
///
/// Holds what is committed, nothing of the transaction that runs. Takes some 200 bytes for each changed object,
/// as long as the store is open. Confined to the writer queue.
package final class UnsentHistory {
  /// Where the fold begins. Another place means another fold.
  struct Beginning: Equatable {
    /// Up to where every durable consumer has read.
    let acknowledged: Int64

    /// Up to where the history was purged.
    let floor: Int64
  }

  private var beginning: Beginning?
  package private(set) var fold = HistoryFold(after: .start)

  /// Deleted objects by what identifies them, for each way in which that was asked for.
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
  ///   - beginning: Where the fold has to begin.
  ///   - read: Adds to a fold what follows it.
  /// - Complexity: that of what follows; of all that is unsent when the beginning has moved.
  func update(from beginning: Beginning, _ read: (inout HistoryFold) throws -> Void) rethrows {
    if beginning != self.beginning {
      fold = HistoryFold(after: HistoryToken(number: beginning.acknowledged))
      deletedByKey = [:]
    }
    // What was read in part before an error is not to be gone on from.
    self.beginning = nil
    try read(&fold)
    self.beginning = beginning
  }

  /// Forgets everything: there is no history any more.
  func clear() {
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
    return known.objects[values()]
  }
}

@available(*, unavailable, message: "Unsent history is confined to the writer queue.")
extension UnsentHistory: Sendable {}
