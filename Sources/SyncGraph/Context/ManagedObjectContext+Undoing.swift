import SyncCore
import SyncStore

/// Going back: to the values last read, to those in the store, to nothing.
extension ManagedObjectContext {
  /// Drops all unsaved changes: new objects go, deleted ones are back, values are as last read.
  public func rollback() {
    enter()
    vanished = []
    let undone = changesOfUndoing()
    let inserted = pending.inserted
    let restored = pending.updated + pending.deleted
    for object in restored { announce(object) }
    for object in inserted { announce(object) }
    identities.noteReleased(pending.count)
    pending.removeAll()
    overtaken.removeAll()
    unsavedMetadata = StoreMetadata()
    for object in restored { object.revert() }
    for object in inserted { bury(object, isOwn: true) }
    for object in restored where object.flags.contains(.lost) { bury(object) }
    completeLists()
    tellChildren(undone)
  }

  /// The changes for children when this context drops its unsaved changes, all of which they were
  /// told of.
  private func changesOfUndoing() -> ChangeSet {
    guard children.contains(where: { $0.context != nil }) else { return ChangeSet() }
    tellChildren()
    var builder = ChangeSetBuilder()
    for object in pending.inserted { builder.delete(object.identifier) }
    for object in pending.updated {
      if object.flags.contains(.lost) {
        builder.delete(object.identifier)
      } else {
        builder.update(object.identifier, object.changed)
      }
    }
    for object in pending.deleted { builder.insert(object.identifier) }
    return builder.changes
  }

  /// Lists without objects that were deleted or moved here read their members again.
  private func completeLists() {
    for owner in identities.objects {
      for case let list as MemberList in owner.links where list.isPartial { list.unload() }
    }
  }

  /// Forgets all objects and all unsaved changes. The objects can no longer be used. Those of child
  /// contexts can: to them it is a ``rollback()`` of this context.
  public func reset() {
    check()
    let undone = changesOfUndoing()
    damage = nil
    vanished = []
    pending.removeAll()
    overtaken.removeAll()
    unsavedMetadata = StoreMetadata()
    for object in unannounced { object.flags.subtract([.unannounced, .announcedInsert]) }
    unannounced = []
    for object in identities.objects { object.links = [] }
    homes.abandon()
    identities.removeAll()
    loadedRelationships = []
    // Children hear of commits that were not merged here: they did not forget.
    let unread = inbox.take()
    let letters = mail + unread.mail
    mail = []
    rename(unread.renamed)
    for letter in letters { post(letter) }
    tellChildren(undone)
    tellObserversOfReset()
  }

  /// Merges the commits of others, and makes an object read its values again.
  ///
  /// - Parameter mergeChanges: true keeps unsaved values on top of the values read, and the next
  ///   save takes them as made on those; false drops them.
  /// - Precondition: The object belongs to this context.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool = true) {
    mergeCommits()
    require(
      object.owner === self,
      "\(object) belongs to another context, or to none any more. Refresh it there, or get it here with object(with: other.objectID)."
    )
    guard !object.flags.contains(.new), !object.isKnownDeleted else { return }
    if mergeChanges, object.isUpdated {
      reread([object])
      // The program has the newest values before its eyes now.
      overtaken.forget(object)
      for case let list as MemberList in object.links { list.unload() }
    } else {
      object.undoRelationships()
      for slot in object.changed { noteForChildren(object, slot) }
      pending.setUpdated(object, false)
      overtaken.forget(object)
      object.becomeFault()
    }
    object.batch = nil
  }

  /// Merges the commits of others, and makes all objects read their values again when they are next
  /// used; unsaved values stay. Objects that the program does not hold are freed, those that held
  /// each other too.
  public func refreshAllObjects() {
    mergeCommits()
    let edited = identities.objects.filter { object in
      guard object.hasChanges else {
        object.becomeFault()
        return false
      }
      return object.isUpdated
    }
    reread(edited)
    for object in edited { overtaken.forget(object) }
  }
}

extension ManagedObject {
  /// Goes back to the values as last read.
  final func revert() {
    tellObserversOfAll()
    row = base
    committed = .none
    changed = SlotSet()
    for (ordinal, link) in links.enumerated() {
      if let list = link as? MemberList {
        guard list.hasChanges else { continue }
        links[ordinal] = nil
      } else {
        links[ordinal] = nil
      }
    }
  }

  /// Sets changed relationships back to their last read or saved values, so that their other sides
  /// go along.
  final func undoRelationships() {
    for relationship in home.shape.relationships where changed.contains(relationship.slot) {
      if relationship.isToMany {
        setMembers(
          relationship.ordinal, committedMembers(relationship.ordinal).filter { !$0.isKnownDeleted }
        )
      } else {
        let former = committedDestination(relationship.ordinal)
        setDestination(relationship.ordinal, former?.isKnownDeleted == true ? nil : former)
      }
    }
  }

  /// Forgets its values; they are read again at the next access.
  final func becomeFault() {
    tellObserversOfAll()
    row = .none
    committed = .none
    changed = SlotSet()
    links = []
  }
}
