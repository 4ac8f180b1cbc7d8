import SyncCore

/// The properties on which an answer depends: entities, and of each the properties that its filter
/// and order look at.
///
/// Everything else may change without a look at the store.
struct ResultsWatch {
  /// One entity on the way of a key path.
  private struct Entry {
    var entity: EntityDescription
    var slots = SlotSet()

    /// Whether objects that come matter, as members of a to-many relationship do.
    var isCountingMembers = false

    /// Whether objects that go matter: objects that led to them may be as before.
    var isMissingMembers = false
  }

  private let own: EntityDescription
  private var entries: [Entry] = []

  /// The entities of the scopes around the node that is looked at.
  private var scopes: [EntityDescription] = []

  init(_ fetch: ResolvedFetch) {
    own = fetch.entity
    scopes = [own]
    fetch.filter?.forEachMention { add($0) }
    for key in fetch.sort { key.expression.forEachMention { add($0) } }
  }

  // MARK: - Asking

  /// Whether the answer may be another one after a commit.
  ///
  /// - Parameter losesMembers: whether an object of the answer was deleted; nil when deletions of
  ///   others matter too.
  func isAffected(by changes: ChangeSet, losesMembers: (() -> Bool)?) -> Bool {
    for change in changes.entities {
      if change.entity.isKind(of: own) {
        if !change.inserted.isEmpty { return true }
        if !change.deleted.isEmpty, losesMembers?() ?? true { return true }
      }
      for entry in entries where change.entity.isKind(of: entry.entity) {
        if entry.isCountingMembers, !change.inserted.isEmpty { return true }
        if entry.isMissingMembers, !change.deleted.isEmpty { return true }
        if change.updated.contains(where: { $0.slots.contains(where: entry.slots.contains) }) {
          return true
        }
      }
    }
    return false
  }

  /// Whether the answer may be another one when an object comes or goes.
  func isAffected(byExistenceOf object: ManagedObject) -> Bool {
    object.entity.isKind(of: own) || entries.contains { object.entity.isKind(of: $0.entity) }
  }

  /// Whether the unsaved values of an object touch watched properties. An object without any may
  /// just have lost them.
  func isAffected(byValuesOf object: ManagedObject) -> Bool {
    if object.isInserted || object.changed.isEmpty { return isAffected(byExistenceOf: object) }
    return entries.contains { entry in
      object.entity.isKind(of: entry.entity) && object.changed.contains(where: entry.slots.contains)
    }
  }

  /// Whether the object itself may be in the answer.
  func isOwn(_ entity: EntityDescription) -> Bool { entity.isKind(of: own) }

  // MARK: - Collecting

  private mutating func watch(
    _ entity: EntityDescription, slot: Int? = nil, isCountingMembers: Bool = false,
    isMissingMembers: Bool = false
  ) {
    let index = entries.firstIndex { $0.entity == entity } ?? entries.count
    if index == entries.count { entries.append(Entry(entity: entity)) }
    if let slot { entries[index].slots.insert(slot) }
    if isCountingMembers { entries[index].isCountingMembers = true }
    if isMissingMembers { entries[index].isMissingMembers = true }
  }

  private mutating func add(_ hops: [ResolvedHop]) {
    for hop in hops {
      watch(hop.owner, slot: hop.relationship.slot)
      // Members may be known by their own column alone; a to-one is always in its owner's.
      let isToMany = hop.relationship.isToMany
      watch(
        hop.destination, slot: isToMany ? hop.relationship.inverseSlot : nil,
        isCountingMembers: isToMany, isMissingMembers: isToMany || !isEmptied(hop))
    }
  }

  /// Whether a deletion at the end of a to-one relationship empties the relationship, which is an
  /// update of its owner. That of another deletion is not told: it is denied or does nothing there,
  /// or the owner was not loaded where it was done.
  private func isEmptied(_ hop: ResolvedHop) -> Bool {
    let rule = hop.owner.inverse(of: hop.relationship)?.deleteRule
    return rule == .nullify || rule == .cascade
  }

  private mutating func add(_ mention: ResolvedMention) {
    switch mention {
    case .attribute(let path, let attribute):
      add(path.hops)
      watch(path.hops.last?.destination ?? scopes[path.scope], slot: attribute.slot)
    case .object(let path): add(path.hops)
    case .members(let collection):
      add(collection.hops)
      scopes.append(collection.entity)
    case .endOfMembers: scopes.removeLast()
    }
  }
}
