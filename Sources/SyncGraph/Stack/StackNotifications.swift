import Dispatch
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

/// Where a stack tells observers: one queue, first in, first out, that nothing of ours waits for.
///
/// A notification arrives after all posted before it. A slow observer delays those behind it, never
/// a sync, a save or a context.
///
/// Posts are delivered together, a millisecond after the first of them: a sync of one object posts
/// ten times within a tenth of a millisecond, and to wake a thread for each of them would take
/// longer than a quarter of the sync.
package final class DeliveryQueue: Sendable {
  private static let key = DispatchSpecificKey<ObjectIdentifier>()
  private let queue = DispatchQueue(label: "SyncStack.delivery")
  private let posts = Locked<[@Sendable () -> Void]>([])

  package init() {
    queue.setSpecific(key: DeliveryQueue.key, value: ObjectIdentifier(self))
  }

  /// Whether the caller is an observer that is being told at the moment.
  package var isCurrent: Bool {
    DispatchQueue.getSpecific(key: DeliveryQueue.key) == ObjectIdentifier(self)
  }

  /// Runs the body after everything that was posted before.
  package func post(_ body: @escaping @Sendable () -> Void) {
    let isFirst = posts.withLock { posts in
      posts.append(body)
      return posts.count == 1
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + .milliseconds(1)) { [self] in deliver() }
  }

  /// Delivers the posts so far, on the queue.
  private func deliver() {
    let due = posts.withLock { posts in
      defer { posts = [] }
      return posts
    }
    for post in due { post() }
  }

  /// Returns when everything posted before has been delivered; at once inside an observer, which
  /// cannot wait for itself.
  package func drain() {
    guard !isCurrent else { return }
    queue.sync { deliver() }
  }

  /// Returns when everything posted before has been delivered.
  package func drain() async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        deliver()
        continuation.resume()
      }
    }
  }
}
