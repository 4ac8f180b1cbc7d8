import Foundation
import SyncStack

/// `syncstack sessions`: the imports with a name that were stopped before their end.
struct SessionsCommand: Command {
  static let syntax = CommandSyntax(
    name: "sessions",
    summary: "Lists imports with --session that were not finished, and forgets them.",
    operands: [],
    options: [
      .init("--store", value: "FILE", required: true, "the SQLite file"),
      .init("--entity", value: "NAME", "only sessions of an entity"),
      .init(
        "--abandon", value: "NAME",
        "forgets the session of that name; what it stored stays, and nothing is deleted"),
      .init("--json", "lists them as lines of JSON, with the pages of each"),
      CommandSyntax.wait,
    ],
    example: "syncstack sessions --store app.sqlite")

  private let store: URL
  private let entity: String?
  private let abandoned: String?
  private let isJSON: Bool
  private let wait: Double

  init(_ arguments: Arguments) throws {
    store = URL(filePath: try arguments.required("--store"))
    entity = arguments["--entity"]
    abandoned = arguments["--abandon"]
    isJSON = arguments.has("--json")
    wait = try arguments.wait()
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    let stack = try DataStack(keptAt: store, isReadOnly: abandoned == nil, wait: wait)
    defer { try? stack.close() }
    if let entity { _ = try stack.model.requireEntity(named: entity) }
    let sessions = try stack.keptSessions().filter {
      entity == nil || $0.entityName == entity || $0.lists.contains(entity ?? "")
    }
    guard let abandoned else {
      list(sessions, terminal)
      return .done
    }
    let found = sessions.filter { $0.name == abandoned }
    guard !found.isEmpty else {
      let near = Spelling.nearest(to: abandoned, in: sessions.map(\.name))
      let hint = near.map { "Did you mean \($0)?" } ?? "Without --abandon they are listed."
      throw ToolError("No session “\(abandoned)” is kept in the store. \(hint)")
    }
    for session in found {
      try stack.abandon(session)
      terminal.note(
        "Session “\(session.name)” of \(session.lists.joined(separator: ", ")) forgotten.")
    }
    return .done
  }

  private func list(_ sessions: [KeptSession], _ terminal: Terminal) {
    if isJSON { return terminal.print(sessions.map(line)) }
    var table = TextTable([
      .init("Session"), .init("Entity"), .init("Stored", numeric: true),
      .init("Missing", numeric: true), .init("First missing"),
    ])
    for session in sessions {
      table.add([
        session.name, session.lists.joined(separator: ", "), String(session.storedPages.count),
        String(session.missingPages.count), session.missingPages.first ?? "",
      ])
    }
    terminal.print(table)
    terminal.note(
      sessions.isEmpty
        ? "No session is kept."
        : "\(Figures.counted(sessions.count, "session")); the same import goes on with one, "
          + "--abandon forgets it.")
  }

  private func line(_ session: KeptSession) -> String {
    let line: JSONObject = [
      "name": .string(session.name), "entity": .string(session.entityName),
      "lists": .array(session.lists.map(JSONValue.string)),
      "stored": .array(session.storedPages.map(JSONValue.string)),
      "missing": .array(session.missingPages.map(JSONValue.string)),
    ]
    return line.description
  }
}
