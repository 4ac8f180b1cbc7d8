public import Foundation
public import SyncCore

extension Notification.Name {
  /// A commit was made to the store of a stack. The object is the stack; see
  /// `Notification.changeSet`. Posted in commit order on a queue that nothing waits for, some time
  /// after the commit: an observer added right after a commit may still hear of it, and one that is
  /// removed may have missed the last. ``DataStack/drainNotifications()`` returns when all earlier
  /// commits have been posted: call it before you add an observer that is to hear of later commits
  /// only, and before you remove one that is to have heard of all.
  public static let dataStackDidChange = Notification.Name("SyncStackDataStackDidChange")

  /// Objects of a context changed: by the program, or because a commit was merged. The object is
  /// the context; see `Notification.insertedObjects` and the like. Posted on the context's queue.
  public static let managedObjectContextObjectsDidChange = Notification.Name(
    "SyncStackManagedObjectContextObjectsDidChange")

  /// A context saved. The object is the context; see `Notification.insertedObjects` and the like.
  /// Posted on the context's queue.
  public static let managedObjectContextDidSave = Notification.Name(
    "SyncStackManagedObjectContextDidSave")
}

extension Notification {
  /// The changes that were committed; empty when the notification is about unsaved objects, or not
  /// one of ours.
  public var changeSet: ChangeSet {
    if let changes = userInfo?[StackNotifications.changeSetKey] as? ChangeSet { return changes }
    return contextChanges?.changeSet ?? ChangeSet()
  }

  /// The objects that were inserted, in the context that the notification is from. To be asked for
  /// on the context's queue only.
  public var insertedObjects: Set<ManagedObject> { contextChanges?.inserted ?? [] }

  /// The objects that were updated, in the context that the notification is from. To be asked for
  /// on the context's queue only.
  public var updatedObjects: Set<ManagedObject> { contextChanges?.updated ?? [] }

  /// The objects that were deleted, in the context that the notification is from. To be asked for
  /// on the context's queue only.
  public var deletedObjects: Set<ManagedObject> { contextChanges?.deleted ?? [] }

  private var contextChanges: ContextChanges? {
    userInfo?[StackNotifications.contextChangesKey] as? ContextChanges
  }
}

/// How the contents of our notifications are named.
package enum StackNotifications {
  static let changeSetKey = "changeSet"
  static let contextChangesKey = "contextChanges"

  /// The user info of a notification.
  package static func userInfo(_ key: String, _ content: Any) -> [AnyHashable: Any] {
    [AnyHashable(key): content]
  }
}
