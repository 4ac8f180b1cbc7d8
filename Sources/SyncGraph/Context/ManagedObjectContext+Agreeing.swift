import SyncCore
import SyncStore
import Synchronization

/// What a block reads late agrees with what it has read.
///
/// A link is in one place: the slot of a to-one, or the pair of a many-to-many relationship. What
/// the other side gives is computed from that. While a block runs, its source goes on: others
/// commit, a parent is edited. What the block reads after that knows of links that it has read
/// otherwise, so it is laid under what is there:
///
/// ```
///   has read   u1.notes = [n]                      u6.passport = nil
///   reads      n.user = u2      ─▶  u1             p.user = u6        ─▶  nil
///   reads      u2.notes = [n]   ─▶  []
/// ```
///
/// The next merge forgets what was laid under, and reads it again. As long as nothing has moved,
/// which is nearly always, all of this is one look at ``isBehind`` for each statement.
extension ManagedObjectContext {
  /// Whether what is read now may be newer than what was read before.
  var isBehind: Bool { !mail.isEmpty || inbox.isFull || isSourceAhead }

  /// Whether what the context reads from has moved on and did not say so yet, on any queue.
  private var isSourceAhead: Bool {
    guard let parent else { return core.isAhead(of: knownCommits) }
    return parent.inbox.isFull || parent.hasNews.load(ordering: .acquiring) || parent.isSourceAhead
  }

  /// Forgets what was laid under what a block had read: others have told what they changed.
  func forgetLate() {
    if hasLateLists { unloadAllLists { _, _ in true } }
    hasLateLists = false
    let rows = Set(lateRows).filter { $0.flags.contains(.late) && !$0.isFault }
    lateRows = []
    for object in rows { for slot in object.home.shape.columns { noteForChildren(object, slot) } }
    makeFaults(of: rows.filter(\.committed.isNone))
    reread(rows.filter { !$0.committed.isNone })
  }

  // MARK: - Rows

  /// Lays rows that came in just now under what is there.
  ///
  /// - Complexity: O(1) unless the context is behind; then O(*n*) in the objects that are live.
  func layUnder(_ objects: [ManagedObject]) {
    guard !objects.isEmpty, isBehind else { return }
    for family in Dictionary(grouping: objects, by: \.home.shape.index).inKeyOrder.map(\.value) {
      for relationship in family[0].home.shape.relationships where !relationship.isToMany {
        letGoOfDeleted(family, relationship)
        if relationship.isInverseToMany { keepOwners(of: family, relationship) }
      }
    }
    var pairs = KnownPairs(self, without: objects)
    for object in objects { pairs.layUnder(object) }
  }

  /// What was deleted here, and not saved, is led to by nothing.
  private func letGoOfDeleted(_ objects: [ManagedObject], _ relationship: RelationshipShape) {
    guard pending.deletedCount > 0 else { return }
    for object in objects {
      guard case .int(let row) = object.row[relationship.slot],
        let target = identities.object(root: relationship.destinationRoot, row: row),
        target.isKnownDeleted, target.letsGo(relationship)
      else { continue }
      let version = object.version
      object.lay(relationship, .null)
      // That is the doing of this context, not of others.
      object.version = version
    }
  }

  /// Members stay with the owner in whose list they were read. Lists that were read without them
  /// are read again.
  private func keepOwners(of members: [ManagedObject], _ relationship: RelationshipShape) {
    guard let slot = relationship.inverseSlot, let entity = members.first?.entity,
      let inverse = entity.inverse(of: relationship.description),
      loadedRelationships.contains(PropertyKey(inverse))
    else { return }
    let wanted = Set(members.map(ObjectIdentifier.init))
    var owners: [ObjectIdentifier: ManagedObject] = [:]
    forEachLoadedList(slot, root: relationship.destinationRoot) { owner, list in
      for member in list.objects where wanted.contains(ObjectIdentifier(member)) {
        owners[ObjectIdentifier(member)] = owner
      }
    }
    for member in members {
      if let owner = owners[ObjectIdentifier(member)] {
        member.lay(relationship, .int(owner.rowNumber))
      } else if case .int(let row) = member.row[relationship.slot],
        let owner = identities.object(root: relationship.destinationRoot, row: row),
        let list = owner.loadedList(atSlot: slot), !list.contains(member)
      {
        list.unload()
        owner.tellObservers(slot)
      }
    }
  }

  // MARK: - Lists

  /// The members of owners, laid under what is there.
  func laidUnder(
    _ lists: [Int64: [ManagedObject]], _ relationship: RelationshipShape, of owners: [ManagedObject]
  ) -> [Int64: [ManagedObject]] {
    guard let inverseSlot = relationship.inverseSlot, isBehind else { return lists }
    hasLateLists = true
    var lists = lists
    var known: [Int64: [ManagedObject]] = [:]
    let isLink: (ManagedObject, ManagedObject) -> Bool
    if relationship.isInverseToMany {
      forEachLoadedList(inverseSlot, root: relationship.destinationRoot) { member, list in
        for owner in list.objects where list.added[ObjectIdentifier(owner)] == nil {
          known[owner.rowNumber, default: []].append(member)
        }
      }
      isLink = { owner, member in
        guard let list = member.loadedList(atSlot: inverseSlot) else { return true }
        return list.contains(owner) || list.removed[ObjectIdentifier(owner)] != nil
      }
    } else {
      var owners: [ObjectIdentifier: ManagedObject] = [:]
      forEachLoadedList(relationship.slot, root: relationship.ownerRoot) { owner, list in
        for member in list.objects where member.isFault { owners[ObjectIdentifier(member)] = owner }
      }
      for member in identities.objects(root: relationship.destinationRoot)
      where member.hasStored(inverseSlot) {
        if case .int(let owner) = member.row[inverseSlot] {
          known[owner, default: []].append(member)
        }
      }
      isLink = { owner, member in
        if member.isFault { return owners[ObjectIdentifier(member)].map { $0 === owner } ?? true }
        return !member.hasStored(inverseSlot) || member.row[inverseSlot] == .int(owner.rowNumber)
      }
    }
    for owner in owners {
      let found = (lists[owner.rowNumber] ?? []).filter { isLink(owner, $0) }
      let present = Set(found.map(ObjectIdentifier.init))
      let rest = (known[owner.rowNumber] ?? []).filter { !present.contains(ObjectIdentifier($0)) }
      lists[owner.rowNumber] = found + rest.sorted(on: \.identifier.insertionOrder)
    }
    return lists
  }

  /// Calls the body for every loaded list in a slot.
  private func forEachLoadedList(
    _ slot: Int, root: Int, _ body: (ManagedObject, MemberList) -> Void
  ) {
    for owner in identities.objects(root: root) where !owner.isKnownDeleted {
      if let list = owner.loadedList(atSlot: slot) { body(owner, list) }
    }
  }
}

/// The one-to-one relationships that a context has read: each object is the partner of one other at
/// most, and both say so.
private struct KnownPairs {
  private let context: ManagedObjectContext

  /// Those whose rows came in and were not looked at yet.
  private var new: Set<ObjectIdentifier>

  /// Who leads to a row, by relationship.
  private var holders: [PropertyKey: [Int64: ManagedObject]] = [:]

  init(_ context: ManagedObjectContext, without objects: [ManagedObject]) {
    self.context = context
    new = Set(objects.map(ObjectIdentifier.init))
    var roots: Set<Int> = []
    for object in objects where !object.home.shape.oneToOnes.isEmpty {
      roots.insert(object.root)
      for relationship in object.home.shape.oneToOnes { roots.insert(relationship.destinationRoot) }
    }
    for root in roots {
      for object in context.identities.objects(root: root) where isKnown(object) { note(object) }
    }
  }

  private func isKnown(_ object: ManagedObject) -> Bool {
    !object.isFault && !object.isKnownDeleted && !new.contains(ObjectIdentifier(object))
  }

  private mutating func note(_ object: ManagedObject) {
    for relationship in object.home.shape.oneToOnes {
      guard case .int(let row) = object.row[relationship.slot] else { continue }
      holders[PropertyKey(relationship.description), default: [:]][row] = object
    }
  }

  /// Lays an object under those that were read before. From then on it is one of them.
  mutating func layUnder(_ object: ManagedObject) {
    for relationship in object.home.shape.oneToOnes {
      guard let inverse = object.entity.inverse(of: relationship.description) else { continue }
      let read = object.row[relationship.slot]
      if let partner = holders[PropertyKey(inverse)]?[object.rowNumber] {
        object.lay(relationship, .int(partner.rowNumber))
      } else if case .int(let row) = read, row != object.rowNumber || !isSelf(relationship) {
        let other = context.identities.object(root: relationship.destinationRoot, row: row)
        let isTaken = holders[PropertyKey(relationship.description)]?[row] != nil
        if isTaken || other.map(isKnown) == true { object.lay(relationship, .null) }
      }
      // It was its own partner.
      if isSelf(relationship), read == .int(object.rowNumber),
        object.row[relationship.slot] != read,
        let back = object.home.shape.relationship(at: inverse.slot)
      {
        object.lay(back, .null)
      }
    }
    new.remove(ObjectIdentifier(object))
    note(object)
  }

  private func isSelf(_ relationship: RelationshipShape) -> Bool {
    relationship.ownerRoot == relationship.destinationRoot
  }
}

extension ManagedObject {
  /// The list in a slot when it is loaded.
  fileprivate final func loadedList(atSlot slot: Int) -> MemberList? {
    guard !links.isEmpty, let relationship = home.shape.relationship(at: slot),
      let list = links[relationship.ordinal] as? MemberList, list.isLoaded
    else { return nil }
    return list
  }

  /// Whether the value of a to-one relationship is known here and no unsaved one.
  fileprivate final func hasStored(_ slot: Int) -> Bool {
    !isFault && !isKnownDeleted && !isInserted && !changed.contains(slot)
      && home.shape.relationship(at: slot) != nil
  }

  /// Takes another value than the one that was read for a to-one relationship. Unsaved ones stay.
  fileprivate final func lay(_ relationship: RelationshipShape, _ value: Value) {
    let slot = relationship.slot
    guard row[slot] != value, !isInserted, !changed.contains(slot) else { return }
    row[slot] = value
    if !committed.isNone { committed[slot] = value }
    setLink(relationship.ordinal, nil)
    // No row in the store looks like this, so a save asks its policy.
    version = 0
    if flags.insert(.late).inserted, let owner, owner.isMerging { owner.lateRows.append(self) }
  }
}
