import Foundation
import SyncStack

/// A change set as lines of JSON, an object a line:
/// `{"entity":"User","change":"updated","key":6,"properties":["email"],"generation":2}`.
struct ChangeLines {
  let changes: ChangeSet

  /// The lines: per entity what was inserted, updated and deleted, each in the order of insertion.
  var text: String {
    var text = ""
    for entity in changes.entities {
      for (index, row) in entity.inserted.enumerated() {
        append("inserted", entity, row, entity.insertedKeys, index, to: &text)
      }
      for (index, update) in entity.updated.enumerated() {
        let names = update.slots.map { entity.entity.properties[$0].name }
        append("updated", entity, update.row, entity.updatedKeys, index, names, to: &text)
      }
      for (index, row) in entity.deleted.enumerated() {
        append("deleted", entity, row, entity.deletedKeys, index, to: &text)
      }
    }
    return text
  }

  private func append(
    _ change: String, _ entity: ChangeSet.EntityChanges, _ row: Int64, _ keys: ChangeKeys,
    _ index: Int, _ properties: [String]? = nil, to text: inout String
  ) {
    var line: JSONObject = [
      "entity": .string(entity.entity.name), "change": .string(change), "row": .integer(row),
    ]
    if keys.indices.contains(index) { line["key"] = json(keys[index]) }
    if let properties { line["properties"] = .array(properties.map { .string($0) }) }
    line["generation"] = .integer(changes.generation)
    text += JSONValue.object(line).description + "\n"
  }

  private func json(_ key: Value) -> JSONValue {
    switch key {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .integer(value)
    case .double(let value): .double(value)
    case .decimal, .string, .data, .date, .uuid, .url: .string(key.description)
    }
  }
}
