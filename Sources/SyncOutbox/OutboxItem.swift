public import Foundation
public import SyncCore
import SyncStore

/// An object with something to send, as a value to show.
public struct OutboxItem: Sendable, Hashable {
  /// How far it has come.
  public enum State: Sendable, Hashable {
    /// It is sent in the next run; after a date when the server asked for that.
    case waiting(until: Date?)
    /// It was sent, and there was no answer yet; it is sent again, the same, in the next run; after
    /// a date when the server asked for that, or answered others meanwhile.
    case unanswered(until: Date?)
    /// The server did not take it, for that reason. Editing the object tries again.
    case refused(String)
  }

  /// The object that is to be sent.
  public let objectID: ManagedObjectID
  /// The kind of the change.
  public let kind: OutboxChange.Kind

  /// The primary key; nil while the object has none.
  public let key: Value?

  /// Names of the properties that an update changed, in model order.
  public let properties: [String]
  /// How far it has come.
  public let state: State

  /// Why it would not be sent as things are: no handler sends objects of its entity, and nothing
  /// carries it. Nil for an outbox without any handlers, which only looks.
  public let obstacle: String?

  /// How often the server was asked without success.
  public let tries: Int

  /// Name of the object's own entity.
  public var entity: String { objectID.entity.name }

  /// When it is sent at the earliest; nil when the next run sends it.
  var nextTry: Date? {
    switch state {
    case .waiting(let date), .unanswered(let date): date.flatMap { $0 > Date() ? $0 : nil }
    case .refused: nil
    }
  }

  init(_ entry: OutboxEntry, _ edit: OutboxEntry.Edit, key: Value?, obstacle: String? = nil) {
    self.obstacle = obstacle
    objectID = entry.id
    kind = OutboxChange.Kind(edit.kind)
    self.key = key
    properties = edit.slots.map { entry.id.entity.properties[$0].name }
    tries = Int(entry.tries)
    let date = entry.earliest.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    state =
      entry.refusal.map { .refused($0) }
      ?? (entry.sent == nil ? .waiting(until: date) : .unanswered(until: date))
  }
}

extension OutboxItem: CustomStringConvertible {
  /// The item as a person would say it:
  /// `update of Order 17: status (refused: Status 422: too late)`.
  public var description: String {
    var text = "\(kind.rawValue) of \(entity) \(key?.description ?? "#\(objectID.row)")"
    if !properties.isEmpty { text += ": \(properties.joined(separator: ", "))" }
    switch state {
    case .waiting(let date):
      if let obstacle { return "\(text) (\(obstacle))" }
      return date.map { "\(text) (waiting until \(DateText.iso8601($0)))" } ?? text
    case .unanswered:
      guard let nextTry else { return "\(text) (no answer yet)" }
      return "\(text) (no answer to \(tries) tries, next try \(DateText.iso8601(nextTry)))"
    case .refused(let reason): return "\(text) (refused: \(reason))"
    }
  }
}

/// How much an outbox has to send.
public struct OutboxStatus: Sendable, Hashable {
  /// Objects that wait, those that were sent without an answer among them.
  public internal(set) var waiting = 0

  /// Objects that the server refused.
  public internal(set) var refused = 0

  /// Whether a run is under way.
  public internal(set) var isSending = false

  /// Why the latest run ended before everything had its turn; nil when it went through.
  public internal(set) var stopReason: String?

  /// Whether the outbox was started; see ``Outbox/start(pace:clock:)``.
  public internal(set) var isStarted = false

  /// When an outbox that was started sends next; nil while it sends, while there is nothing to
  /// send, and while ``stopReason`` halts it until ``Outbox/wake()``.
  public internal(set) var nextRun: Date?
}

extension OutboxChange.Kind {
  init(_ kind: HistoryChange.Kind) {
    switch kind {
    case .insert: self = .insert
    case .update: self = .update
    case .delete: self = .delete
    }
  }
}
