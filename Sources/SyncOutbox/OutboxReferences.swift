import SyncCore
import SyncStore

/// What deletions wait for, and what waits for them: which changes have still to take a deleted
/// object out of what the server has, and which deletion frees a key. Confined to one run.
///
/// What the server has of an object is what the edits of it were made of
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

  /// Finds out what refers to deleted objects.
  ///
  /// - Complexity: linear in what waits, when anything is deleted.
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
          referrers[target, default: []].append(
            Referrer(id: entry.id, slot: relationship.slot))
        }
      }
    }
  }

  /// Whether it was known that an object is deleted.
  func knows(_ id: ManagedObjectID) -> Bool { deletions.contains(id) }

  /// What referred to a deleted object, in the order in which it came to wait.
  subscript(id: ManagedObjectID) -> [Referrer] { referrers[id] ?? [] }

  /// The deleted object that had a key.
  func deletion(of key: Value, in entity: EntityDescription) -> ManagedObjectID? {
    deletionsByKey[Key(root: entity.rootIndex, value: key)]
  }
}

extension OutboxEntry {
  /// Where a relationship leads to in what the server has, as far as that is known. What is under
  /// way may have reached it or not, so both is among it.
  func serverTargets(of relationship: RelationshipDescription) -> [ManagedObjectID] {
    let destination = id.entity.destination(of: relationship)
    let values = [sent?.edit.base[relationship.name], waiting?.base[relationship.name]]
    return values.compactMap { $0 }.flatMap { value -> [Int64] in
      if case .int(let row) = value { return [row] }
      return relationship.isToMany ? EditedList(value).before ?? [] : []
    }.map { ManagedObjectID(entity: destination, row: $0) }.filter { $0 != id }
  }
}
