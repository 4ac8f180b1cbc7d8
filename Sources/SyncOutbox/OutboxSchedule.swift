import SyncCore
import SyncStore

/// In which order the objects of one run have their turn.
///
/// - An object comes after those that it refers to and that are new: it is parked below one of
///   them.
/// - Deletions come after the insertions and updates of everything that may refer to their entity,
///   and from the leaves up: an entity after those whose objects refer to it, in one that refers to
///   itself the latest row first.
/// - An insertion comes after a deletion of the same key.
///
/// What would wait for ever, because it waits for itself, is forced when nothing else is left.
/// Confined to one run.
struct OutboxSchedule {
  /// What is next, the last first.
  private var queue: [ManagedObjectID] = []

  /// Deletions by root entity, which are looked at when nothing else is next, the latest row last.
  private var deletions: [Int: [ManagedObjectID]] = [:]

  /// What is not out, with what is to be done.
  private var items: [ManagedObjectID: HistoryChange.Kind] = [:]
  private var parked: [ManagedObjectID: [ManagedObjectID]] = [:]

  /// How many insertions and updates, and how many deletions, are open, by root entity.
  private var openEdits: [Int: Int] = [:]
  private var openDeletions: [Int: Int] = [:]
  private var deletedKeys: [Key: ManagedObjectID] = [:]

  /// The root entities whose objects may refer to those of a root entity.
  private let referrers: [Int: Set<Int>]

  /// The root entities whose objects are deleted with those of a root entity.
  private let owned: [Int: Set<Int>]

  struct Key: Hashable {
    let root: Int
    let value: Value
  }

  init(_ model: ManagedObjectModel) {
    var referrers: [Int: Set<Int>] = [:]
    var owned: [Int: Set<Int>] = [:]
    for entity in model.entities {
      for relationship in entity.relationships {
        let destination = entity.destination(of: relationship).rootIndex
        if relationship.kind != .oneToMany {
          referrers[destination, default: []].insert(entity.rootIndex)
        }
        if relationship.deleteRule == .cascade, destination != entity.rootIndex {
          owned[entity.rootIndex, default: []].insert(destination)
        }
      }
    }
    self.referrers = referrers
    self.owned = owned
  }

  var count: Int { items.count }

  /// What has not been taken out.
  var rest: some Sequence<ManagedObjectID> { items.keys }

  // MARK: - Coming and going

  /// Takes objects in, in their order.
  mutating func add(_ entries: [OutboxEntry]) {
    var edits: [ManagedObjectID] = []
    for entry in entries {
      guard let kind = entry.edit?.kind, items[entry.id] == nil else { continue }
      items[entry.id] = kind
      let root = entry.id.entity.rootIndex
      if kind == .delete {
        openDeletions[root, default: 0] += 1
        deletions[root, default: []].append(entry.id)
        if let key = entry.id.entity.primaryKey, let value = entry.tombstone[key.name] {
          deletedKeys[Key(root: root, value: value)] = entry.id
        }
      } else {
        openEdits[root, default: 0] += 1
        edits.append(entry.id)
      }
    }
    queue.insert(contentsOf: edits.reversed(), at: 0)
    for root in deletions.keys { deletions[root] = deletions[root]?.sorted(on: \.row) }
  }

  /// Puts an object at the beginning: it has more to send.
  mutating func addFirst(_ entry: OutboxEntry) {
    guard let kind = entry.edit?.kind, items[entry.id] == nil else { return }
    if kind == .delete { return add([entry]) }
    items[entry.id] = kind
    openEdits[entry.id.entity.rootIndex, default: 0] += 1
    queue.append(entry.id)
  }

  /// The next object to look at; nil when all that are left are under way or parked.
  mutating func next() -> ManagedObjectID? {
    if let id = queue.popLast() { return id }
    guard let root = deletions.keys.sorted().first(where: isDue) else { return nil }
    return deletions[root]?.popLast()
  }

  /// Has an object wait until another one is out.
  mutating func park(_ id: ManagedObjectID, below other: ManagedObjectID) {
    parked[other, default: []].append(id)
  }

  /// One that would wait for ever; nil when none is parked or held back by itself.
  mutating func forced() -> ManagedObjectID? {
    let roots = deletions.keys.filter { deletions[$0]?.isEmpty == false }.sorted()
    let leaf = roots.first {
      owned[$0, default: []].allSatisfy { openDeletions[$0, default: 0] == 0 }
    }
    if let root = leaf ?? roots.first { return deletions[root]?.popLast() }
    // What waits for what was held back waits with it.
    let open = parked.keys.filter { items[$0] != nil }
    guard let blocker = open.min(), let id = parked[blocker]?.first else { return nil }
    parked[blocker]?.removeFirst()
    return id
  }

  /// Takes an object out.
  ///
  /// - Parameter isHeld: Whether those that need it stay where they are.
  mutating func finish(_ id: ManagedObjectID, isHeld: Bool) {
    guard let kind = items.removeValue(forKey: id) else { return }
    let root = id.entity.rootIndex
    if kind == .delete {
      openDeletions[root, default: 1] -= 1
    } else {
      openEdits[root, default: 1] -= 1
    }
    guard let waiting = parked.removeValue(forKey: id) else { return }
    if isHeld {
      // They and what waits for them are out too; the report finds them in the store.
      for id in waiting { finish(id, isHeld: true) }
      return
    }
    queue += waiting.reversed()
  }

  // MARK: - Questions

  func contains(_ id: ManagedObjectID) -> Bool { items[id] != nil }

  /// The deletion that has to come before an insertion of a key.
  func deletion(of key: Key) -> ManagedObjectID? {
    deletedKeys[key].flatMap { items[$0] == nil ? nil : $0 }
  }

  /// Whether the latest of the deletions of a root entity may come.
  private func isDue(_ root: Int) -> Bool {
    guard let waiting = deletions[root]?.count, waiting > 0 else { return false }
    return referrers[root, default: []].allSatisfy { other in
      // Of objects that refer to their like one is deleted after the other.
      let open = openDeletions[other, default: 0] - (other == root ? waiting : 0)
      return openEdits[other, default: 0] == 0 && open == 0
    }
  }
}
