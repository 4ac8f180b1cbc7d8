public import Foundation
public import SyncCore

// Typed messages of contexts, where the system has them.

/// A message about the objects of a context of the main queue.
///
/// Observers are called on the main actor, in the midst of what made the change, as those of the
/// notification of the same name are. Contexts with a queue of their own have the notifications only:
/// their objects must not come to the main actor.
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
public protocol ContextMessage: NotificationCenter.MainActorMessage
where Subject == ManagedObjectContext {
  /// A notification of the same name.
  @MainActor var notification: Notification { get }

  @MainActor init(notification: Notification)
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension ContextMessage {
  /// The objects that were inserted.
  @MainActor public var insertedObjects: Set<ManagedObject> { notification.insertedObjects }

  /// The objects that were updated.
  @MainActor public var updatedObjects: Set<ManagedObject> { notification.updatedObjects }

  /// The objects that were deleted.
  @MainActor public var deletedObjects: Set<ManagedObject> { notification.deletedObjects }

  /// What was committed; empty for unsaved changes.
  @MainActor public var changeSet: ChangeSet { notification.changeSet }

  @MainActor public static func makeMessage(_ notification: Notification) -> Self? {
    let context = notification.object as? ManagedObjectContext
    return context?.concurrency == .mainQueue ? Self(notification: notification) : nil
  }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension ManagedObjectContext {
  /// Objects of the context that is the subject changed: the typed form of
  /// `Notification.Name.managedObjectContextObjectsDidChange`.
  ///
  /// ```swift
  /// let token = NotificationCenter.default.addObserver(
  ///   of: stack.mainContext, for: .managedObjectContextObjectsDidChange
  /// ) { message in
  ///   print(message.updatedObjects)
  /// }
  /// ```
  public struct ObjectsDidChangeMessage: ContextMessage {
    public typealias Subject = ManagedObjectContext
    public let notification: Notification

    public init(notification: Notification) {
      self.notification = notification
    }

    public static var name: Notification.Name { .managedObjectContextObjectsDidChange }
  }

  /// The context that is the subject saved: the typed form of
  /// `Notification.Name.managedObjectContextDidSave`.
  public struct DidSaveMessage: ContextMessage {
    public typealias Subject = ManagedObjectContext
    public let notification: Notification

    public init(notification: Notification) {
      self.notification = notification
    }

    public static var name: Notification.Name { .managedObjectContextDidSave }
  }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<ManagedObjectContext.ObjectsDidChangeMessage>
{
  /// Objects of a context of the main queue changed.
  public static var managedObjectContextObjectsDidChange: Self { .init() }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<ManagedObjectContext.DidSaveMessage> {
  /// A context of the main queue saved.
  public static var managedObjectContextDidSave: Self { .init() }
}

// MARK: - Posting

extension ManagedObjectContext {
  /// Posts the typed form of a notification. A block of another queue that does work for the main queue,
  /// which waits for it, is not on the main actor: its messages are posted when that is free, in order.
  func postMessage(for notification: Notification) {
    guard concurrency == .mainQueue else { return }
    outgoingMessages.append(notification)
    guard queue.isServedItself else { return queue.async { [weak self] in self?.postMessages() } }
    postMessages()
  }

  private func postMessages() {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
      outgoingMessages = []
      return
    }
    MainActor.assumeIsolated {
      while !outgoingMessages.isEmpty {
        let notification = outgoingMessages.removeFirst()
        let center = NotificationCenter.default
        if notification.name == .managedObjectContextObjectsDidChange {
          center.postBeside(ObjectsDidChangeMessage(notification: notification), subject: self)
        } else {
          center.postBeside(DidSaveMessage(notification: notification), subject: self)
        }
      }
    }
  }
}

extension NotificationCenter {
  /// Posts a typed message beside the notification of the same name, as for messages of stacks.
  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @MainActor
  fileprivate func postBeside<Message: ContextMessage>(
    _ message: Message, subject: ManagedObjectContext
  ) {
    #if !canImport(Darwin)
      post(message, subject: subject)
    #endif
  }
}
