import Foundation
import SyncStack

/// `syncstack diff`: how the objects of a store differ from what they were.
struct DiffCommand: Command {
  static let syntax = CommandSyntax(
    name: "diff", summary: "Shows how the objects differ from what they were after a commit.",
    operands: [],
    options: [
      .init("--store", value: "FILE", required: true, "the SQLite file"),
      .init(
        "--since", value: "COMMIT", required: true,
        "its number, as 'syncstack history' writes it; 0 is before the first"),
      .init("--json", "a line of JSON for each object, with old and new values"),
      CommandSyntax.wait,
    ],
    example: "syncstack diff --since 7 --store app.sqlite")

  private let store: URL
  private let since: HistoryToken
  private let isJSON: Bool
  private let wait: Double

  init(_ arguments: Arguments) throws {
    store = URL(filePath: try arguments.required("--store"))
    since = try arguments.since() ?? .start
    isJSON = arguments.has("--json")
    wait = try arguments.wait()
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    let stack = try DataStack(keptAt: store, isReadOnly: true, wait: wait)
    defer { try? stack.close() }
    let objects = try stack.differences(since: since)
    for object in objects {
      terminal.print(isJSON ? DifferenceText.json(object) : DifferenceText.line(object))
    }
    if !isJSON {
      terminal.note("\(Figures.counted(objects.count, "object")) differ from then.")
    }
    return .done
  }
}

/// Objects with their values before and now as text and as JSON.
enum DifferenceText {
  /// `User 6 updated: email nil → “ann@example.org”, tags`.
  static func line(_ object: ObjectDifference) -> String {
    let name = object.key.map(\.description) ?? "#\(object.objectID.row)"
    let isUpdate = object.kind == .update
    let names = isUpdate ? object.properties : object.objectID.entity.properties.map(\.name)
    let parts = names.compactMap { name -> String? in
      switch (object.old[name], object.new[name]) {
      case (let old?, let new?): "\(name) \(written(old)) → \(written(new))"
      case (let old?, nil) where isUpdate: "\(name) was \(written(old))"
      case (let value?, nil), (nil, let value?): value.isNull ? nil : "\(name) \(written(value))"
      case (nil, nil): isUpdate ? name : nil
      }
    }
    let head = "\(object.entity) \(name) \(word(object.kind))"
    return parts.isEmpty ? head : "\(head): \(parts.joined(separator: ", "))"
  }

  static func json(_ object: ObjectDifference) -> String {
    var line: JSONObject = [
      "entity": .string(object.entity), "change": .string(word(object.kind)),
      "row": .integer(object.objectID.row),
    ]
    if let key = object.key { line["key"] = JSONValue(scalar: key) }
    if object.kind == .update {
      line["properties"] = .array(object.properties.map { .string($0) })
    }
    if !object.old.isEmpty { line["old"] = .object(values(object.old, object)) }
    if !object.new.isEmpty { line["new"] = .object(values(object.new, object)) }
    return line.description
  }

  static func values(_ values: [String: Value], _ object: ObjectDifference) -> JSONObject {
    var result: JSONObject = [:]
    for property in object.objectID.entity.properties {
      if let value = values[property.name] { result[property.name] = JSONValue(scalar: value) }
    }
    return result
  }

  private static func written(_ value: Value) -> String {
    if case .string(let text) = value { "“\(text)”" } else { "\(value)" }
  }

  static func word(_ kind: HistoryChange.Kind) -> String {
    switch kind {
    case .insert: "inserted"
    case .update: "updated"
    case .delete: "deleted"
    }
  }
}
