import Foundation
import SyncStack

/// Commits of a history as text or as lines of JSON, with the keys that the objects have now.
struct HistoryText {
  let isJSON: Bool

  /// Whether commits of many objects are summed up. Lines of JSON are complete always.
  var sumsUp = false

  /// Whether commits tell what the properties were before, as far as the store has kept that.
  var showsValues = false

  /// Objects that a commit in sum still names.
  private static let namedObjects = 5

  /// The lines of a commit.
  func lines(of transaction: HistoryTransaction, in reader: StoreReader) throws -> [String] {
    let former = showsValues ? try formerValues(of: transaction, in: reader) : nil
    if let former, !isJSON {
      return [head(transaction)] + former.map { "  \(DifferenceText.line($0))" }
    }
    if sumsUp, !isJSON, transaction.changes.count > HistoryText.namedObjects {
      return [head(transaction)] + summary(transaction.changes)
    }
    let keys = try keys(of: transaction.changes, in: reader)
    return isJSON ? [json(transaction, keys, former ?? [])] : text(transaction, keys)
  }

  /// What a commit has found; nil when that is not kept, or not any more.
  private func formerValues(
    of transaction: HistoryTransaction, in reader: StoreReader
  ) throws -> [ObjectDifference]? {
    do {
      return try reader.differences(from: transaction.token, through: transaction.token)
    } catch let error as StoreError where [.unsupported, .historyExpired].contains(error.code) {
      return nil
    }
  }

  // MARK: - Keys

  private struct Object: Hashable {
    let entity: String
    let row: Int64
  }

  /// The keys of the changed objects; a read per entity.
  private func keys(of changes: [HistoryChange], in reader: StoreReader) throws -> [Object: Value] {
    var result: [Object: Value] = [:]
    for (name, changes) in Dictionary(grouping: changes, by: \.entity) {
      guard let entity = reader.model.entity(named: name), let key = entity.primaryKey else {
        continue
      }
      for change in changes where change.kind == .delete {
        result[Object(entity: name, row: change.row)] = change.tombstone[key.name]
      }
      let rows = changes.filter { $0.kind != .delete }.map(\.row)
      try reader.scan(entity, .rows(rows), slots: [key.slot]) { cursor in
        result[Object(entity: name, row: cursor.row)] = cursor.value(key.slot)
      }
    }
    return result
  }

  // MARK: - Text

  private func head(_ transaction: HistoryTransaction) -> String {
    var head = "\(transaction.token.number)  \(DateText.iso8601(transaction.date))"
    head += "  \(word(transaction.source)) by \(transaction.author ?? transaction.process)"
    if let context = transaction.contextName { head += " (\(context))" }
    return head
  }

  /// A line per entity: how many objects came, changed, with the properties, and went.
  private func summary(_ changes: [HistoryChange]) -> [String] {
    Dictionary(grouping: changes, by: \.entity).sorted { $0.key < $1.key }.map { entity, changes in
      let kinds = [HistoryChange.Kind.insert, .update, .delete].compactMap { kind -> String? in
        let some = changes.filter { $0.kind == kind }
        guard !some.isEmpty else { return nil }
        let properties = kind == .update ? Set(some.flatMap(\.properties)).sorted() : []
        let list = properties.isEmpty ? "" : " (\(properties.joined(separator: ", ")))"
        return "\(Figures.grouped(some.count)) \(DifferenceText.word(kind))\(list)"
      }
      return "  \(entity): \(kinds.joined(separator: ", "))"
    }
  }

  private func text(_ transaction: HistoryTransaction, _ keys: [Object: Value]) -> [String] {
    [head(transaction)]
      + transaction.changes.map { change in
        let key = keys[Object(entity: change.entity, row: change.row)]
        let name = key.map { $0.description } ?? "#\(change.row)"
        let line = "  \(change.entity) \(name) \(DifferenceText.word(change.kind))"
        return change.properties.isEmpty
          ? line : "\(line): \(change.properties.joined(separator: ", "))"
      }
  }

  private func word(_ source: HistorySource) -> String {
    switch source {
    case .local: "edited"
    case .import: "synced"
    case .migration: "migrated"
    case .undo: "undone"
    }
  }

  // MARK: - JSON

  private func json(
    _ transaction: HistoryTransaction, _ keys: [Object: Value], _ former: [ObjectDifference]
  ) -> String {
    let old = Dictionary(
      former.map { (Object(entity: $0.entity, row: $0.objectID.row), $0) },
      uniquingKeysWith: { first, _ in first })
    var line: JSONObject = [
      "token": .integer(transaction.token.number),
      "generation": .integer(transaction.generation),
      "date": .string(DateText.iso8601(transaction.date)),
      "source": .string(transaction.source.rawValue),
      "process": .string(transaction.process),
    ]
    if let author = transaction.author { line["author"] = .string(author) }
    if let context = transaction.contextName { line["context"] = .string(context) }
    line["changes"] = .array(
      transaction.changes.map { change in
        var object: JSONObject = [
          "entity": .string(change.entity), "change": .string(DifferenceText.word(change.kind)),
          "row": .integer(change.row),
        ]
        if let key = keys[Object(entity: change.entity, row: change.row)] {
          object["key"] = JSONValue(scalar: key)
        }
        if change.kind == .update {
          object["properties"] = .array(change.properties.map { .string($0) })
        }
        if let before = old[Object(entity: change.entity, row: change.row)], !before.old.isEmpty {
          object["old"] = .object(DifferenceText.values(before.old, before))
        }
        return .object(object)
      })
    return line.description
  }
}
