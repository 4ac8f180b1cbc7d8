import SyncCore
import SyncStore

/// The changes that deletions wait for, and that wait for them: which have still to take a deleted
/// object out of the server's lists and references, and which deletion frees a key. Confined to one
/// run.
///
/// The server's values of an object are those that its edits were made on
/// (``OutboxEntry/Edit/base``); nothing is known of those that are older than the outbox.
struct OutboxReferences: Sendable {
  /// An object that refers to a deleted one on the server, and the relationship by which it does.
  struct Referrer: Sendable {
    let id: ManagedObjectID
    let slot: Int
  }

  private struct Key: Hashable {
    let root: Int
    let value: Value
  }

  private var referrers: [ManagedObjectID: [Referrer]] = [:]
  private var deletions: Set<ManagedObjectID> = []
  private var deletionsByKey: [Key: ManagedObjectID] = [:]

  /// Finds the objects that refer to deleted ones.
  ///
  /// - Complexity: linear in the waiting entries, when anything is deleted.
  init(to deletions: [OutboxEntry], outbox: String, _ reader: StoreReader) throws {
    guard !deletions.isEmpty else { return }
    for entry in deletions {
      self.deletions.insert(entry.id)
      guard let key = entry.id.entity.primaryKey, let value = entry.tombstone[key.name] else {
        continue
      }
      deletionsByKey[Key(root: entry.id.entity.rootIndex, value: value)] = entry.id
    }
    try reader.readOutbox(outbox, base: .everything) { entry in
      for relationship in entry.id.entity.relationships {
        for target in entry.serverTargets(of: relationship) where self.deletions.contains(target) {
          referrers[target, default: []].append(Referrer(id: entry.id, slot: relationship.slot))
        }
      }
    }
  }

  /// Whether it was known that an object is deleted.
  func knows(_ id: ManagedObjectID) -> Bool { deletions.contains(id) }

  /// The objects that referred to a deleted one, in the order in which they came to wait.
  subscript(id: ManagedObjectID) -> [Referrer] { referrers[id] ?? [] }

  /// The deleted object that had a key.
  func deletion(of key: Value, in entity: EntityDescription) -> ManagedObjectID? {
    deletionsByKey[Key(root: entity.rootIndex, value: key)]
  }
}

extension OutboxEntry {
  /// Where a relationship leads to on the server, as far as that is known. An edit under way may
  /// have reached it or not, so both is among it.
  func serverTargets(of relationship: RelationshipDescription) -> [ManagedObjectID] {
    let destination = id.entity.destination(of: relationship)
    let values = [sent?.edit.base[relationship.name], waiting?.base[relationship.name]]
    return values.compactMap { $0 }.flatMap { value -> [Int64] in
      if case .int(let row) = value { return [row] }
      return relationship.isToMany ? EditedList(value).before ?? [] : []
    }.map { ManagedObjectID(entity: destination, row: $0) }.filter { $0 != id }
  }
}
