public import Foundation
public import SyncCore

/// One line of a change log: the change of one object in one commit, or a server's answer about it.
public struct LoggedChange: Sendable, Hashable {
  /// The kind of a change.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// The object is new.
    case inserted
    /// Properties of it were changed.
    case updated
    /// It was deleted.
    case deleted
    /// A server has taken an edit made here; see ``sent``.
    case sent
    /// A server has refused it; see ``reason``.
    case refused
  }

  /// The kind of the change.
  public let kind: Kind
  /// The object that it happened to.
  public let objectID: ManagedObjectID

  /// The primary key; nil when the entity has none.
  public let key: Value?

  /// Names of the properties that changed, when it was updated.
  public let properties: [String]

  /// The values of the properties before: all of a deleted object, those that changed of an updated
  /// one. A to-one relationship holds the primary key of the object that it led to; to-many
  /// relationships are not in it. Empty unless a ``SyncLogger`` asks for values.
  public let oldValues: [String: Value]

  /// The values of the properties now: all of an inserted object, those that changed of an updated
  /// one.
  public let newValues: [String: Value]

  /// The change of the object that a server was sent: that it was inserted, updated or deleted. Nil
  /// where none was asked.
  public private(set) var sent: Kind?

  /// Why the server refused it.
  public private(set) var reason: String?

  /// Number of the commit; 0 where it is about a server.
  public let generation: Int64

  /// When it was committed, or when the server answered.
  public let date: Date

  /// The author that the context or the operation named; nil when it named none.
  public let author: String?

  /// Name of the context or operation that made the commit, or of the outbox.
  public let contextName: String?

  /// Where the change comes from.
  public let source: HistorySource

  /// Name of the object's own entity.
  public var entity: String { objectID.entity.name }
}

extension LoggedChange {
  /// A server's answer to a change.
  ///
  /// - Parameter reason: Why it was refused; nil when it was taken.
  package init(
    sent: Kind, _ objectID: ManagedObjectID, key: Value?, properties: [String], reason: String?,
    author: String, contextName: String
  ) {
    kind = reason == nil ? .sent : .refused
    self.objectID = objectID
    self.key = key
    self.properties = properties
    oldValues = [:]
    newValues = [:]
    self.sent = sent
    self.reason = reason
    generation = 0
    date = Date()
    self.author = author
    self.contextName = contextName
    source = .local
  }
}

extension LoggedChange: CustomStringConvertible {
  /// The change as a person would say it: `User 6 updated: email, updatedAt`; with values `User 6
  /// updated: age 20 → 21, notes`; of an undo `User 6 updated by undo: age`. Of sent changes `Order
  /// 17 sent: updated status`, `Order 17 refused: updated status (Status 422: too late)`.
  public var description: String {
    let name = key.map { $0.description } ?? "#\(objectID.row)"
    let isUpdate = (sent ?? kind) == .updated
    let names = isUpdate ? properties : objectID.entity.properties.map(\.name)
    let parts = names.compactMap { name -> String? in
      switch (oldValues[name], newValues[name]) {
      case (let old?, let new?): "\(name) \(written(old)) → \(written(new))"
      case (let value?, nil), (nil, let value?): value.isNull ? nil : "\(name) \(written(value))"
      case (nil, nil): isUpdate ? name : nil
      }
    }
    var text = "\(entity) \(name) \(kind.rawValue)"
    if source == .undo { text += " by undo" }
    if let sent { text += ": \(sent.rawValue)" }
    if !parts.isEmpty { text += "\(sent == nil ? ":" : "") \(parts.joined(separator: ", "))" }
    return reason.map { "\(text) (\($0))" } ?? text
  }

  private func written(_ value: Value) -> String {
    if case .string(let text) = value { "“\(text)”" } else { "\(value)" }
  }

  private func json(_ values: [String: Value]) -> JSONObject {
    var object: JSONObject = [:]
    for property in objectID.entity.properties {
      if let value = values[property.name] { object[property.name] = JSONValue(scalar: value) }
    }
    return object
  }

  /// The change as one line of JSON, with members in a fixed order.
  public var jsonLine: String {
    var line: JSONObject = [
      "entity": .string(entity), "change": .string(kind.rawValue), "row": .integer(objectID.row),
    ]
    if let key { line["key"] = JSONValue(scalar: key) }
    if let sent { line["sent"] = .string(sent.rawValue) }
    if (sent ?? kind) == .updated {
      line["properties"] = .array(properties.map { .string($0) })
    }
    if !oldValues.isEmpty { line["old"] = .object(json(oldValues)) }
    if !newValues.isEmpty { line["new"] = .object(json(newValues)) }
    if let reason { line["reason"] = .string(reason) }
    if let author { line["author"] = .string(author) }
    if source == .undo { line["source"] = .string(source.rawValue) }
    if sent == nil { line["generation"] = .integer(generation) }
    return line.description
  }
}

/// The events that a log tells besides commits.
extension Notification {
  /// A server has answered a sent change. Posted on the stack's delivery queue, as notifications of
  /// commits are.
  package static let stackDidLog = Name("SyncStackDidLog")
  package static let loggedChangeKey = "loggedChange"

  var loggedChange: LoggedChange? { userInfo?[Notification.loggedChangeKey] as? LoggedChange }
}

extension ChangeSet {
  /// The changes one by one: per entity in model order the inserted, updated and deleted objects,
  /// each in the order of insertion.
  ///
  /// - Complexity: O(*n*); they are made as the sequence is walked.
  public var loggedChanges: some Sequence<LoggedChange> {
    entities.lazy.flatMap { changes in
      [
        self.logged(.inserted, changes, changes.inserted, changes.insertedKeys),
        self.logged(.updated, changes, changes.updated.map(\.row), changes.updatedKeys),
        self.logged(.deleted, changes, changes.deleted, changes.deletedKeys),
      ].lazy.flatMap { $0 }
    }
  }

  private func logged(
    _ kind: LoggedChange.Kind, _ changes: EntityChanges, _ rows: some Collection<Int64>,
    _ keys: ChangeKeys
  ) -> [LoggedChange] {
    let properties = changes.entity.properties
    func named(_ slots: SlotSet?, _ values: [Value]) -> [String: Value] {
      guard !values.isEmpty else { return [:] }
      return properties.reduce(into: [:]) { result, property in
        guard property.isColumn, slots?.contains(property.slot) ?? true else { return }
        result[property.name] = values[property.slot]
      }
    }
    return rows.enumerated().map { index, row in
      let slots = kind == .updated ? changes.updated[index].slots : nil
      let id = ManagedObjectID(entity: changes.entity, row: row)
      let values = self.values[id] ?? ChangedValues()
      return LoggedChange(
        kind: kind, objectID: id,
        // Said in full: an empty value is a literal nil, too.
        key: keys.indices.contains(index) ? Optional.some(keys[index]) : Optional.none,
        properties: slots?.map { properties[$0].name } ?? [],
        oldValues: named(slots, values.earlier), newValues: named(slots, values.later),
        generation: generation, date: date, author: author, contextName: contextName,
        source: source)
    }
  }
}
