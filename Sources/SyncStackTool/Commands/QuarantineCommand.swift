import Foundation
import SyncStack

/// `syncstack quarantine`: the items that imports could not store and kept.
struct QuarantineCommand: Command {
  static let syntax = CommandSyntax(
    name: "quarantine", summary: "Lists items that could not be stored, and tries them again.",
    operands: [],
    options: [
      .init("--store", value: "FILE", required: true, "the SQLite file"),
      .init("--entity", value: "NAME", "only items of an entity"),
      .init("--ids", value: "LIST", "only the items of these numbers, as in 3,4"),
      .init("--replay", "tries to store them again; those that can be stored leave the quarantine"),
      .init("--discard", "forgets them"),
      .init("--json", "lists them as lines of JSON, with the whole items"),
      CommandSyntax.wait,
    ],
    example: "syncstack quarantine --store app.sqlite --replay")

  private enum Action: String, CaseIterable {
    case replay = "--replay"
    case discard = "--discard"
  }

  private let store: URL
  private let entity: String?
  private let ids: Set<Int64>?
  private let action: Action?
  private let isJSON: Bool
  private let wait: Double

  init(_ arguments: Arguments) throws {
    store = URL(filePath: try arguments.required("--store"))
    entity = arguments["--entity"]
    ids = try QuarantineCommand.ids(arguments)
    isJSON = arguments.has("--json")
    wait = try arguments.wait()
    action = try arguments.one(of: Action.self)
  }

  private static func ids(_ arguments: Arguments) throws(UsageError) -> Set<Int64>? {
    guard let list = arguments["--ids"] else { return nil }
    var result: Set<Int64> = []
    for word in list.split(separator: ",") {
      guard let id = Int64(word) else {
        throw arguments.error("--ids takes numbers, as in 3,4; “\(word)” is none.")
      }
      result.insert(id)
    }
    return result
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    let stack = try DataStack(keptAt: store, isReadOnly: action == nil, wait: wait)
    defer { try? stack.close() }
    if let entity { _ = try stack.model.requireEntity(named: entity) }
    let items = try stack.quarantine.items(ofEntityNamed: entity)
      .filter { ids?.contains($0.id) ?? true }
    try checkIdentifiers(among: items)
    switch action {
    case nil: list(items, terminal)
    case .discard:
      try stack.quarantine.discard(items)
      terminal.note("\(Figures.counted(items.count, "item")) forgotten.")
    case .replay: return try await replay(items, in: stack, terminal)
    }
    return .done
  }

  /// A number that is not there is a slip: the item that was meant would stay, unnoticed.
  private func checkIdentifiers(among items: [QuarantinedItem]) throws {
    let missing = (ids ?? []).subtracting(items.map(\.id)).sorted()
    guard !missing.isEmpty else { return }
    let numbers = missing.map(String.init).joined(separator: ", ")
    let place = entity.map { " of \($0)" } ?? ""
    throw ToolError(
      "There is no item\(place) in quarantine with the number \(numbers). Nothing was done. "
        + "'syncstack quarantine' lists those there are.")
  }

  private func replay(
    _ items: [QuarantinedItem], in stack: DataStack, _ terminal: Terminal
  ) async throws -> ExitCode {
    let report = try await stack.quarantine.replay(items)
    await stack.drainNotifications()
    terminal.print(ReportText(report: report, model: stack.model).table)
    let replayed = Set(items.map(\.id))
    let rest = try stack.quarantine.items().filter { replayed.contains($0.id) }
    terminal.note("\(items.count - rest.count) of \(Figures.counted(items.count, "item")) stored.")
    for item in rest.prefix(10) { terminal.note("! #\(item.id) \(item)") }
    return rest.isEmpty ? .done : .failed
  }

  private func list(_ items: [QuarantinedItem], _ terminal: Terminal) {
    if isJSON { return terminal.print(items.map(line)) }
    var table = TextTable([
      .init("#", numeric: true), .init("Entity"), .init("Key"), .init("Kept"),
      .init("Tried", numeric: true), .init("Reason"),
    ])
    for item in items {
      table.add([
        String(item.id), item.entity, item.key?.description ?? item.path,
        DateText.iso8601(item.date), String(item.attempts), item.reason,
      ])
    }
    terminal.print(table)
    terminal.note(
      items.isEmpty
        ? "Nothing is in quarantine."
        : "\(Figures.counted(items.count, "item")); --replay tries them again, --discard forgets them."
    )
  }

  private func line(_ item: QuarantinedItem) -> String {
    var line: JSONObject = [
      "id": .integer(item.id), "entity": .string(item.entity), "code": .string(item.code.rawValue),
      "reason": .string(item.reason), "path": .string(item.path),
      "date": .string(DateText.iso8601(item.date)), "attempts": .integer(Int64(item.attempts)),
    ]
    if let key = item.key { line["key"] = JSONValue(scalar: key) }
    line["item"] =
      (try? JSONValue(parsing: item.json)) ?? .string(String(decoding: item.json, as: UTF8.self))
    return line.description
  }
}
