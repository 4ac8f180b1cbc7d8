import Foundation
import SyncCore
import SyncStore
import Synchronization

/// The commits of others come in here: when a block begins, and by a kick soon after each commit.
/// In a child context also the unsaved changes of its parent.
///
/// The cost follows the smaller of the live objects here and the changes there. Clean objects
/// forget their row and read it again when it is needed, all together; unsaved values stay on top
/// of the new row, and the row that they were made on is kept for the save (``OvertakenRows``);
/// deleted objects become tombstones.
extension ManagedObjectContext {
  /// Merges once in each block of the queue, before it reads anything.
  func mergeAtBeginning() {
    // Changes of a parent on the same queue are the block's own edits.
    let isOfParent = parent?.queue === queue
    guard mergedBlock != queue.blocks.number || isOfParent || queue.blocks.isEndless else { return }
    mergedBlock = queue.blocks.number
    if depth == 0 { lookOutsideOfBlocks() } else { core.tellOfOthers() }
    mergeInbox()
  }

  /// Merges the commits in the inbox, one after the other, then tells observers.
  ///
  /// No child is let in meanwhile: a child would read the context half merged.
  func mergeInbox() {
    hearFromParent()
    guard inbox.isFull || !mail.isEmpty else { return }
    queue.closed { mergeMail() }
    tellObserversOfRows()
    postOutgoing()
  }

  private func mergeMail() {
    if inbox.isFull, !children.isEmpty { hasNews.store(true, ordering: .releasing) }
    let (rows, letters) = inbox.take()
    rename(rows)
    // A parent that merged one of them may have learnt of new numbers before it passed it on.
    mail += letters.map { $0.renamed(renamed) }
    guard !mail.isEmpty, !isMergingMail else { return }
    isMergingMail = true
    vanished = []
    while !mail.isEmpty {
      switch mail.removeFirst() {
      case .changes(let letter):
        let changes = letter.isUnknown ? comparedWithLive(letter) : letter
        merge(changes)
        tellChildren(ofMerged: changes)
        announce(.merged(changes))
      case .unlisted(let entities):
        for entity in entities { unloadLinkedLists(leadingTo: entity) }
        post(.unlisted(entities))
      case .dropped:
        let waiting = mail
        forgetEverything()
        mail = waiting
        post(.dropped)
        tellObserversOfReset()
      }
    }
    settle()
    isMergingMail = false
  }

  /// The store was emptied: everything that is live is gone.
  private func forgetEverything() {
    for object in identities.objects { bury(object) }
    pending.removeAll()
    overtaken.removeAll()
    identities.removeAll()
    loadedRelationships = []
    news = ChildNews()
  }

  /// Brings live objects in line with a commit.
  ///
  /// - Parameter objects: objects that are in line already, because this context wrote them.
  func merge(_ changes: ChangeSet, except objects: [ManagedObject] = []) {
    let saved = Set(objects.map(ObjectIdentifier.init))
    var stale: [ManagedObject] = []
    var edited: [ManagedObject] = []
    let others = objects.isEmpty ? changes : changes.without(Set(objects.map(\.identifier)))
    if changes.isUnknown { unloadAllLists { _, _ in true } }
    for entity in others.entities { unloadLists(affectedBy: entity) }
    for entity in changes.entities {
      let root = entity.entity.rootIndex
      forEachLive(entity.updated, row: \.row, root: root) { object, change in
        guard !saved.contains(ObjectIdentifier(object)) else { return }
        object.tellObservers(change.slots)
        unloadLists(of: object, in: change.slots)
        // An object that was deleted above a child and is kept for its unsaved values has no row to
        // read again.
        guard !object.isFault, !object.flags.contains(.lost) else { return }
        if !object.committed.isNone {
          edited.append(object)
        } else if !object.home.shape.columns(among: change.slots).isEmpty {
          stale.append(object)
        }
      }
      forEachLive(entity.deleted, row: \.self, root: root) { object, _ in
        guard !saved.contains(ObjectIdentifier(object)) else { return }
        lose(object)
      }
      // A parent rolled its deletion back.
      guard parent != nil else { continue }
      for row in entity.inserted {
        guard let object = identities.object(root: root, row: row),
          !saved.contains(ObjectIdentifier(object))
        else { continue }
        for case let list as MemberList in object.links { list.unload() }
        if object.isFault { continue }
        if object.hasChanges { edited.append(object) } else { stale.append(object) }
      }
    }
    makeFaults(of: stale)
    reread(edited)
  }

  /// Tells children of a commit: objects that are kept here because of their unsaved values are
  /// still there for them, but in no list any more.
  private func tellChildren(ofMerged changes: ChangeSet) {
    guard parent != nil, !children.isEmpty else { return tellChildren(changes) }
    let lost = pending.updated.filter { $0.flags.contains(.lost) }
    guard !lost.isEmpty else { return tellChildren(changes) }
    tellChildren(changes.without(Set(lost.map(\.identifier))))
    let unlisted = changes.entities.filter { change in
      lost.contains {
        $0.root == change.entity.rootIndex && change.deleted.contains($0.rowNumber)
      }
    }
    if !unlisted.isEmpty { post(.unlisted(unlisted.map(\.entity))) }
  }

  /// Calls the body for every live object among rows that are in ascending order.
  private func forEachLive<Changes: RandomAccessCollection>(
    _ changes: Changes, row: (Changes.Element) -> Int64, root: Int,
    _ body: (ManagedObject, Changes.Element) -> Void
  ) where Changes.Index == Int {
    let live = identities.count(root: root)
    guard live > 0, !changes.isEmpty else { return }
    if changes.count <= live {
      for change in changes {
        if let object = identities.object(root: root, row: row(change)) { body(object, change) }
      }
      return
    }
    for object in identities.objects(root: root) {
      let wanted = object.rowNumber
      let place = firstPlace(among: changes.count) { row(changes[$0]) < wanted }
      if place < changes.count, row(changes[place]) == wanted { body(object, changes[place]) }
    }
  }

  /// Clean objects whose row changed read it again, together, when one of them is used.
  func makeFaults(of objects: [ManagedObject]) {
    let families = Dictionary(grouping: objects) { $0.root }
    for family in families.values {
      let batch = FaultBatch(rows: family.map(\.rowNumber), firstWindow: 1024)
      for (index, object) in family.enumerated() {
        if object.isKnownDeleted, parent == nil { overtaken.note(object) }
        object.row = .none
        object.join(batch, at: index)
      }
    }
  }

  /// Reads the rows of objects with unsaved values and lays those on top.
  func reread(_ objects: [ManagedObject]) {
    let families = Dictionary(grouping: objects) { $0.root }
    for family in families.inKeyOrder.map(\.value) {
      guard let root = family.first?.entity.rootEntity else { continue }
      let found: [StoredRow]
      do {
        found = try withSource { try readRows(root, family.map(\.rowNumber)) }
      } catch {
        // The store is closed or failing. The next fetch or save says so; the values stay.
        continue
      }
      let rows = Dictionary(uniqueKeysWithValues: found.map { ($0.row, $0) })
      for object in family {
        guard let row = rows[object.rowNumber] else {
          lose(object)
          continue
        }
        _ = object.adopt(row.values, row.version, isMerging: true)
      }
    }
  }

  // MARK: - Lists

  /// Unloads the lists of an object among slots.
  private func unloadLists(of object: ManagedObject, in slots: SlotSet) {
    guard !object.links.isEmpty else { return }
    for slot in slots where slot < object.home.shape.kinds.count {
      guard case .toMany(let ordinal) = object.home.shape.kinds[slot] else { continue }
      (object.link(ordinal) as? MemberList)?.unload()
    }
  }

  /// Unloads lists whose members came, went or moved with the rows of an entity: the owners need
  /// not be in the change set themselves.
  private func unloadLists(affectedBy changes: ChangeSet.EntityChanges) {
    guard !loadedRelationships.isEmpty else { return }
    let isMembershipOpen = !changes.inserted.isEmpty || !changes.deleted.isEmpty
    for relationship in changes.entity.relationships where !relationship.isToMany {
      guard let inverse = changes.entity.inverse(of: relationship), inverse.isToMany,
        loadedRelationships.contains(PropertyKey(inverse)),
        isMembershipOpen
          || changes.updated.contains(where: { $0.slots.contains(relationship.slot) })
      else { continue }
      unloadAllLists(inverse, root: changes.entity.destination(of: relationship).rootIndex)
    }
    // An object that a parent inserted may be one that it had deleted: a rollback puts it back into
    // the lists of others.
    if !changes.deleted.isEmpty || (parent != nil && !changes.inserted.isEmpty) {
      unloadLinkedLists(leadingTo: changes.entity)
    }
  }

  /// Lists over link tables lose members that were deleted, and get them back when that is undone.
  private func unloadLinkedLists(leadingTo entity: EntityDescription) {
    unloadAllLists { relationship, owner in
      relationship.kind == .manyToMany
        && owner.destination(of: relationship).rootIndex == entity.rootIndex
    }
  }

  /// Has lists read again when they are wanted.
  private func unloadAllLists(where isMeant: (RelationshipDescription, EntityDescription) -> Bool) {
    for owner in model.entities {
      for relationship in owner.relationships
      where relationship.isToMany && relationship.declaringIndex == owner.index
        && loadedRelationships.contains(PropertyKey(relationship)) && isMeant(relationship, owner)
      {
        unloadAllLists(relationship, root: owner.rootIndex)
      }
    }
  }

  func unloadAllLists(_ relationship: RelationshipDescription, root: Int) {
    loadedRelationships.remove(PropertyKey(relationship))
    var owners: [ManagedObject] = []
    for object in identities.objects(root: root) where !object.links.isEmpty {
      guard relationship.slot < object.home.shape.kinds.count,
        let own = object.home.shape.relationship(at: relationship.slot),
        own.description.declaringIndex == relationship.declaringIndex,
        !object.flags.contains(.new), let list = object.link(own.ordinal) as? MemberList
      else { continue }
      object.tellObservers(relationship.slot)
      list.unload()
      owners.append(object)
    }
    // They were loaded together, they will be wanted together.
    let batch = FaultBatch(rows: owners.map(\.rowNumber), firstWindow: 1024)
    for (index, owner) in owners.enumerated() {
      owner.join(batch, at: index)
    }
  }
}
