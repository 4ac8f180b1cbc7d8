public import Foundation
public import SyncCore

/// One line of a change log: what happened to one object in one commit.
public struct LoggedChange: Sendable, Hashable {
  /// What happened.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    case inserted
    case updated
    case deleted
  }

  public let kind: Kind
  public let objectID: ManagedObjectID

  /// The primary key; nil when the entity has none.
  public let key: Value?

  /// Names of the properties that changed, when it was updated.
  public let properties: [String]

  /// Number and time of the commit, and who made it.
  public let generation: Int64
  public let date: Date
  public let author: String?

  /// Name of the context or operation that made the commit.
  public let contextName: String?

  /// Name of the object's own entity.
  public var entity: String { objectID.entity.name }
}

extension LoggedChange: CustomStringConvertible {
  /// The change as a person would say it: `User 6 updated: email, updatedAt`.
  public var description: String {
    let name = key.map { $0.description } ?? "#\(objectID.row)"
    let text = "\(entity) \(name) \(kind.rawValue)"
    return properties.isEmpty ? text : "\(text): \(properties.joined(separator: ", "))"
  }

  /// The change as one line of JSON, with members in a fixed order.
  public var jsonLine: String {
    var line: JSONObject = [
      "entity": .string(entity), "change": .string(kind.rawValue), "row": .integer(objectID.row),
    ]
    if let key { line["key"] = JSONValue(scalar: key) }
    if kind == .updated { line["properties"] = .array(properties.map { .string($0) }) }
    if let author { line["author"] = .string(author) }
    line["generation"] = .integer(generation)
    return line.description
  }
}

extension ChangeSet {
  /// The changes one by one: per entity in model order what was inserted, updated and deleted, each in
  /// the order of insertion.
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
    rows.enumerated().map { index, row in
      let names =
        kind == .updated
        ? changes.updated[index].slots.map { changes.entity.properties[$0].name } : []
      return LoggedChange(
        kind: kind, objectID: ManagedObjectID(entity: changes.entity, row: row),
        // Said in full: an empty value is a literal nil, too.
        key: keys.indices.contains(index) ? Optional.some(keys[index]) : Optional.none,
        properties: names,
        generation: generation, date: date, author: author, contextName: contextName)
    }
  }
}
