import SyncCore
import SyncStore

/// After every merge the unsaved changes of a context are as if they were made just now, on top of
/// the merged commits. So both sides of every relationship agree under all changes of others:
///
/// - An object that is gone is in no relationship: unsaved values that led to it are empty, lists
///   forget it.
/// - To-one: the unsaved value counts, as it does for attributes. An object that led to a
///   one-to-one partner lets go; the lists of owners follow their members.
/// - Many-to-many: pairs that were added or removed here are on both sides already. Those that
///   others added or removed too are forgotten on both sides, when either is read.
/// - Deleted: objects that others made lead to it let go, and cascades follow.
extension ManagedObjectContext {
  /// Called after changes of others were merged.
  func settle() {
    guard !pending.isEmpty else { return }
    if pending.deletedCount > 0 { deleteAgain() }
    for object in pending.inserted { object.settleDestinations() }
    for object in pending.updated { object.settleDestinations() }
    for object in pending.all where !object.links.isEmpty { object.settleLists() }
  }

  /// Reads ordered lists with unsaved changes, so that a save knows all places.
  func loadChangedOrders() {
    for object in pending.all where object.home.shape.hasOrderedLists && !object.isKnownDeleted {
      for case (let ordinal, let list as MemberList) in object.links.enumerated()
      where list.isOrdered && !list.isLoaded && list.hasChanges {
        _ = object.loadedList(ordinal)
      }
    }
  }

  /// Applies the delete rules to objects that others gave to deleted ones.
  private func deleteAgain() {
    let doomed = pending.deleted.filter { object in
      if object.isFault { fire(object) }
      return !object.flags.contains(.gone)
    }
    var cascading: [ManagedObject] = []
    for object in doomed {
      for relationship in object.home.shape.relationships where relationship.deleteRule == .cascade
      {
        cascading += related(relationship, of: object).filter { !$0.isKnownDeleted }
      }
    }
    if !cascading.isEmpty { delete(cascading) }
    for object in doomed where !object.flags.contains(.gone) {
      unlinkDoomed(object)
      object.settleDestinations()
    }
  }
}
