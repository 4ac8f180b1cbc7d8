public import Foundation
public import SyncCore

// Typed messages of the notification center, where the system has them.

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension DataStack {
  /// Something was committed to the store of the stack that is the subject: the typed form of
  /// `Notification.Name.dataStackDidChange`.
  ///
  /// ```swift
  /// let token = NotificationCenter.default.addObserver(of: stack, for: .dataStackDidChange) {
  ///   print($0.changes.counts)
  /// }
  /// ```
  ///
  /// The system delivers messages asynchronously, each observer on its own, and `messages(of:for:)`
  /// keeps a limited number. Who needs every commit in order takes ``DataStack/changes``.
  public struct ChangeMessage: NotificationCenter.AsyncMessage {
    public typealias Subject = DataStack

    /// What was committed.
    public let changes: ChangeSet

    /// A message about a change set; for tests of observers.
    public init(changes: ChangeSet) {
      self.changes = changes
    }

    public static var name: Notification.Name { .dataStackDidChange }

    public static func makeMessage(_ notification: Notification) -> ChangeMessage? {
      (notification.userInfo?[StackNotifications.changeSetKey] as? ChangeSet)
        .map(ChangeMessage.init)
    }
  }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<DataStack.ChangeMessage> {
  /// Something was committed to the store of a stack.
  public static var dataStackDidChange: Self { .init() }
}

extension NotificationCenter {
  /// Posts a typed message beside the notification of the same name.
  ///
  /// On Apple systems the center makes the one out of the other; elsewhere observers of messages hear
  /// only messages (swift-foundation 6.3).
  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  package func postBeside<Message: AsyncMessage>(_ message: Message, subject: Message.Subject)
  where Message.Subject: AnyObject {
    #if !canImport(Darwin)
      post(message, subject: subject)
    #endif
  }
}
