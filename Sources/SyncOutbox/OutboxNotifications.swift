public import Foundation
import SyncCore
import SyncEngine
import SyncGraph

/// The announcements of an outbox. The object of each notification is the ``DataStack``; they are
/// posted one after the other on the stack's delivery queue, so that an observer never holds a run
/// up.
extension Notification.Name {
  /// The server has taken a change. Carries ``Foundation/Notification/outboxChange``.
  public static let outboxDidSend = Notification.Name("SyncStackOutboxDidSend")
  /// A change was refused. Carries ``Foundation/Notification/outboxChange`` and
  /// ``Foundation/Notification/outboxReason``.
  public static let outboxDidRefuse = Notification.Name("SyncStackOutboxDidRefuse")
}

extension Notification {
  /// The change that an outbox notification is about.
  public var outboxChange: OutboxChange? { outboxNews?.change }

  /// Why the change was refused.
  public var outboxReason: String? { outboxNews?.reason }

  private var outboxNews: OutboxNews? { userInfo?[OutboxNews.key] as? OutboxNews }
}

/// The content of one notification of an outbox.
private struct OutboxNews: Sendable {
  static let key = "outbox"
  let change: OutboxChange
  let reason: String?
}

extension Outbox {
  /// Tells observers and logs the outcome of a change.
  ///
  /// - Parameters:
  ///   - key: The key that the answer gave the object.
  ///   - reason: Why it was refused; nil when it was taken.
  func announce(_ change: OutboxChange, key: Value? = nil, reason: String? = nil) {
    let logged = LoggedChange(
      sent: LoggedChange.Kind(change.kind), change.objectID, key: change.key ?? key,
      properties: change.properties, reason: reason, author: Outbox.author, contextName: name)
    stack.delivery.post { [stack] in
      NotificationCenter.default.post(
        name: reason == nil ? .outboxDidSend : .outboxDidRefuse, object: stack,
        userInfo: StackNotifications.userInfo(
          OutboxNews.key, OutboxNews(change: change, reason: reason)))
      NotificationCenter.default.post(
        name: Notification.stackDidLog, object: stack,
        userInfo: StackNotifications.userInfo(Notification.loggedChangeKey, logged))
    }
  }
}

extension LoggedChange.Kind {
  fileprivate init(_ kind: OutboxChange.Kind) {
    switch kind {
    case .insert: self = .inserted
    case .update: self = .updated
    case .delete: self = .deleted
    }
  }
}
