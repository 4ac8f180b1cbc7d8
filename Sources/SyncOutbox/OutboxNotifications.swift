public import Foundation
import SyncGraph

/// What an outbox announces. The object of each notification is the ``DataStack``; they are posted one after the other on
/// the stack's delivery queue, so that an observer never holds a run up.
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

/// What one notification of an outbox says.
private struct OutboxNews: Sendable {
  static let key = "outbox"
  let change: OutboxChange
  let reason: String?
}

extension Outbox {
  func announce(_ name: Notification.Name, _ change: OutboxChange?, reason: String? = nil) {
    guard let change else { return }
    stack.delivery.post { [stack] in
      NotificationCenter.default.post(
        name: name, object: stack,
        userInfo: StackNotifications.userInfo(
          OutboxNews.key, OutboxNews(change: change, reason: reason)))
    }
  }
}
