import Foundation
import SyncStack

/// `syncstack pending`: lists the edits that outboxes still have to send.
struct PendingCommand: Command {
  static let syntax = CommandSyntax(
    name: "pending",
    summary:
      "Lists edits that wait to be sent to an API, and those that it refused, with the reasons.",
    operands: [],
    options: [
      .init("--store", value: "FILE", required: true, "the SQLite file"),
      .init("--outbox", value: "NAME", "only those of one outbox"),
      .init("--entity", value: "NAME", "only objects of an entity"),
      .init("--keys", value: "LIST", "only the objects of these keys, as in 17,18"),
      .init("--retry", "has the refused ones sent again by the program that sends"),
      .init(
        "--discard",
        "gives the refused ones up: the next sync may overwrite what was edited"),
      .init("--json", "a line of JSON for each"),
      CommandSyntax.wait,
    ],
    example: "syncstack pending --store app.sqlite")

  private enum Action: String, CaseIterable {
    case retry = "--retry"
    case discard = "--discard"
  }

  private let store: URL
  private let name: String?
  private let entity: String?
  private let keys: Set<String>?
  private let action: Action?
  private let isJSON: Bool
  private let wait: Double

  init(_ arguments: Arguments) throws {
    store = URL(filePath: try arguments.required("--store"))
    name = arguments["--outbox"]
    entity = arguments["--entity"]
    keys = arguments["--keys"].map { Set($0.split(separator: ",").map(String.init)) }
    isJSON = arguments.has("--json")
    wait = try arguments.wait()
    action = try arguments.one(of: Action.self)
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    let stack = try DataStack(keptAt: store, isReadOnly: action == nil, wait: wait)
    defer { try? stack.close() }
    if let entity { _ = try stack.model.requireEntity(named: entity) }
    let names = try Outbox.names(in: stack)
    if let name, !names.contains(name) {
      let known =
        names.isEmpty ? "The store has none." : "There are \(names.joined(separator: ", "))."
      throw ToolError("There is no outbox “\(name)” in the store. \(known)")
    }
    var found: [(outbox: Outbox, item: OutboxItem)] = []
    for name in names where self.name ?? name == name {
      let outbox = try Outbox(stack, name: name)
      found += try outbox.pending.filter(isMeant).map { (outbox, $0) }
    }
    try checkKeys(among: found.map(\.item))
    switch action {
    case nil: list(found, hasOutboxes: !names.isEmpty, terminal)
    case .retry, .discard: try change(found, terminal)
    }
    return .done
  }

  /// A key that is not there is a slip: the object that was meant would stay, unnoticed.
  private func checkKeys(among items: [OutboxItem]) throws {
    let missing = (keys ?? []).subtracting(items.compactMap { $0.key?.description }).sorted()
    guard !missing.isEmpty else { return }
    throw ToolError(
      "No change of \(entity ?? "an object") with the key \(missing.joined(separator: ", ")) waits. "
        + "Nothing was done. Without --keys all are listed.")
  }

  private func isMeant(_ item: OutboxItem) -> Bool {
    guard entity.map({ $0 == item.entity }) ?? true else { return false }
    return keys.map { $0.contains(item.key?.description ?? "") } ?? true
  }

  private func change(_ found: [(outbox: Outbox, item: OutboxItem)], _ terminal: Terminal) throws {
    var count = 0
    for (outbox, item) in found {
      guard case .refused = item.state else { continue }
      if action == .retry { try outbox.retry(item) } else { try outbox.discard(item) }
      count += 1
    }
    let done = action == .retry ? "will be sent again" : "given up"
    terminal.note("\(Figures.counted(count, "refused change")) \(done).")
  }

  private func list(
    _ found: [(outbox: Outbox, item: OutboxItem)], hasOutboxes: Bool, _ terminal: Terminal
  ) {
    if isJSON { return terminal.print(found.map { line($0.outbox, $0.item) }) }
    guard !found.isEmpty else {
      return terminal.note(
        hasOutboxes ? "Nothing waits to be sent." : "No program sends edits of this store.")
    }
    var table = TextTable([
      .init("Outbox"), .init("Change"), .init("Entity"), .init("Key"), .init("Properties"),
      .init("State"),
    ])
    for (outbox, item) in found {
      table.add([
        outbox.name, item.kind.rawValue, item.entity,
        item.key?.description ?? "#\(item.objectID.row)",
        item.properties.joined(separator: ", "), state(item),
      ])
    }
    terminal.print(table)
    let refused = found.count { if case .refused = $0.item.state { true } else { false } }
    terminal.note(
      "\(Figures.counted(found.count, "change"))"
        + (refused == 0
          ? "." : ", \(refused) refused; --retry sends them again, --discard gives them up."))
  }

  private func state(_ item: OutboxItem) -> String {
    switch item.state {
    case .waiting(let date): date.map { "waits until \(DateText.iso8601($0))" } ?? "waits"
    case .unanswered(let date):
      date.map { "no answer; not before \(DateText.iso8601($0))" } ?? "no answer yet"
    case .refused(let reason): "refused: \(reason)"
    }
  }

  private func line(_ outbox: Outbox, _ item: OutboxItem) -> String {
    var line: JSONObject = [
      "outbox": .string(outbox.name), "change": .string(item.kind.rawValue),
      "entity": .string(item.entity), "row": .integer(item.objectID.row),
      "properties": .array(item.properties.map { .string($0) }),
      "tries": .integer(Int64(item.tries)),
    ]
    if let key = item.key { line["key"] = JSONValue(scalar: key) }
    switch item.state {
    case .waiting(let date), .unanswered(let date):
      line["state"] = if case .waiting = item.state { "waiting" } else { "unanswered" }
      if let date { line["until"] = .string(DateText.iso8601(date)) }
    case .refused(let reason):
      line["state"] = "refused"
      line["reason"] = .string(reason)
    }
    return line.description
  }
}
