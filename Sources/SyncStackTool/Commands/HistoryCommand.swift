import Foundation
import SyncStack

/// `syncstack history`: lists the commits of a store, with their authors and changes.
struct HistoryCommand: Command {
  static let syntax = CommandSyntax(
    name: "history", summary: "Shows the commits of a store: who changed what.",
    operands: [],
    options: [
      .init("--store", value: "FILE", required: true, "the SQLite file"),
      .init("--since", value: "TOKEN", "only commits after the one of this number"),
      .init("--limit", value: "N", "how many at most; all without it"),
      .init("--objects", "names every object; without it commits of more than five are summed up"),
      .init(
        "--values",
        "also what the properties were before each commit; with --start keeps that from now on"),
      .init("--json", "a line of JSON for each commit, with every object"),
      .init(
        "--start",
        "starts a history: from now on commits are recorded, and syncs leave alone "
          + "what was edited and not sent"),
      .init("--stop", "ends the history and forgets it"),
      CommandSyntax.wait,
    ],
    example: "syncstack history --store app.sqlite --objects")

  private enum Action: String, CaseIterable {
    case start = "--start"
    case stop = "--stop"
  }

  private let store: URL
  private let since: HistoryToken
  private let limit: Int
  private let isJSON: Bool
  private let namesObjects: Bool
  private let showsValues: Bool
  private let action: Action?
  private let wait: Double

  init(_ arguments: Arguments) throws {
    store = URL(filePath: try arguments.required("--store"))
    since = try arguments.since() ?? .start
    limit = try arguments.count("--limit") ?? .max
    isJSON = arguments.has("--json")
    namesObjects = arguments.has("--objects")
    showsValues = arguments.has("--values")
    wait = try arguments.wait()
    action = try arguments.one(of: Action.self)
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    switch action {
    case nil:
      let reader = try HistoryReader(
        store, after: since,
        as: HistoryText(isJSON: isJSON, sumsUp: !namesObjects, showsValues: showsValues))
      defer { try? reader.close() }
      let count = try reader.write(to: terminal, limit: limit)
      if !isJSON { terminal.note("\(Figures.counted(count, "commit")).") }
    case .start:
      let before = try open(tracksChanges: false)
      let keepsHistory = try showsValues ? before.keepsFormerValues : before.tracksChanges
      try before.close()
      let content = showsValues ? "a history with former values" : "a history"
      guard !keepsHistory else {
        terminal.note("The store keeps \(content) already. It goes on as before.")
        return .done
      }
      try open(tracksChanges: true).close()
      terminal.note("The store keeps \(content) from now on.")
    case .stop:
      let stack = try open(tracksChanges: false)
      defer { try? stack.close() }
      guard try stack.tracksChanges else {
        terminal.note("The store keeps no history, so there is nothing to end.")
        return .done
      }
      let waiting = try Outbox.names(in: stack).map { name in
        (name, try Outbox(stack, name: name).pending.count)
      }
      try stack.stopTrackingChanges()
      terminal.note("The store keeps no history any more.")
      for (name, count) in waiting where count > 0 {
        terminal.note(
          "! \(Figures.counted(count, "change")) that waited in the outbox “\(name)” will not be sent."
        )
      }
    }
    return .done
  }

  private func open(tracksChanges: Bool) throws -> DataStack {
    try DataStack(
      model: try Store.keptModel(at: store), store: .sqlite(store), migration: .refuse,
      tracksChanges: tracksChanges, history: tracksChanges && showsValues ? .values : nil,
      busyTimeout: wait)
  }
}
