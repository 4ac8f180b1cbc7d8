import Foundation
import SyncCloud
import SyncStack

/// `syncstack status`: how far remote sync of a store has come. Only reads, and asks no server.
struct StatusCommand: Command {
  static let syntax = CommandSyntax(
    name: "status",
    summary: "Says what of a store waits to be sent, what had problems, and what lost.",
    operands: [],
    options: [
      .init("--store", value: "FILE", required: true, "the SQLite file"),
      CloudSettings.scopeOption,
      .init("--json", "everything as a line of JSON"),
    ],
    example: "syncstack status --store app.sqlite")

  private let store: URL
  private let isJSON: Bool
  private let zone: String

  init(_ arguments: Arguments) throws {
    store = URL(filePath: try arguments.required("--store"))
    isJSON = arguments.has("--json")
    zone = CloudZone(try CloudSettings.scope(arguments)).name
  }

  /// The values that are read from the store.
  private struct Found {
    var address: RemoteAddress?
    var status: CloudStatus
    var conflicts: [CloudConflict]
    /// Objects that were saved since the latest pull or push began.
    var edited: Int
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    let stack = try DataStack(keptAt: store, isReadOnly: true)
    defer { try? stack.close() }
    let found = try stack.store.read { reader -> Found? in
      guard try reader.hasRemoteTables(), try reader.remoteZone(zone) != nil
      else {
        return nil
      }
      return Found(
        address: try reader.remoteAddress(), status: try CloudEngine.status(in: reader, of: zone),
        conflicts: try CloudEngine.conflicts(in: reader, of: zone), edited: try edited(in: reader))
    }
    guard let found else {
      if isJSON { terminal.print((["synced": false] as JSONObject).description) }
      terminal.note(
        "This store was never synced with a server. 'syncstack push --store \(store.relativePath) --server URL "
          + "--app NAME --user NAME' begins.")
      return .done
    }
    terminal.print(isJSON ? [json(found)] : lines(found))
    return .done
  }

  /// How many objects others than remote sync changed since it last looked at the history.
  private func edited(in reader: StoreReader) throws -> Int {
    guard let zone = try reader.remoteZone(zone) else { return 0 }
    var token = HistoryToken(number: zone.history)
    var objects: Set<String> = []
    while true {
      let commits = try reader.history(since: token, limit: 50)
      for commit in commits where commit.author != CloudEngine.author {
        for change in commit.changes { objects.insert("\(change.entity) \(change.row)") }
      }
      guard let last = commits.last else { return objects.count }
      token = last.token
    }
  }

  // MARK: - Text

  private func lines(_ found: Found) -> [String] {
    let status = found.status
    var rows: [(String, String)] = []
    if let address = found.address {
      rows.append(("Server", "\(address.server), app \(address.app), user \(address.user)"))
    }
    var waiting = Figures.counted(status.waiting, "record")
    if found.edited > 0 {
      waiting += ", and what changed in \(Figures.counted(found.edited, "object")) saved since"
    }
    rows.append(("Waiting", waiting))
    if status.waitingLinks > 0 {
      rows.append(
        ("Links", "\(Figures.counted(status.waitingLinks, "relationship")) to objects not here yet")
      )
    }
    rows.append(("Last pull", status.lastPull.map(DateText.iso8601) ?? "never"))
    rows.append(("Last push", status.lastPush.map(DateText.iso8601) ?? "never"))
    rows.append(("Problems", Figures.grouped(status.problems.count)))
    rows.append(("Conflicts", Figures.grouped(status.conflicts)))
    let problems = status.problems.prefix(CloudText.shown)
    let conflicts = found.conflicts.prefix(CloudText.shown)
    return rows.map { TextWidth.pad($0.0, to: 11) + $0.1 }
      + CloudText(status: status).problems.prefix(problems.count + 1)
      + conflicts.map {
        "~ \($0.entity).\($0.field) \($0.value) lost to a later value (\(DateText.iso8601($0.date)))"
      }
  }

  // MARK: - JSON

  private func json(_ found: Found) -> String {
    let status = found.status
    var line: JSONObject = [
      "synced": true, "waiting": .integer(Int64(status.waiting)),
      "edited": .integer(Int64(found.edited)),
      "waitingLinks": .integer(Int64(status.waitingLinks)),
      "problems": CloudText(status: status).problemList,
    ]
    if let address = found.address {
      line["server"] = .string(address.server)
      line["app"] = .string(address.app)
      line["user"] = .string(address.user)
    }
    if let date = status.lastPull { line["lastPull"] = .string(DateText.iso8601(date)) }
    if let date = status.lastPush { line["lastPush"] = .string(DateText.iso8601(date)) }
    line["conflicts"] = .array(
      found.conflicts.map { conflict in
        [
          "id": .integer(conflict.id), "record": .string(conflict.record),
          "entity": .string(conflict.entity), "field": .string(conflict.field),
          "value": conflict.value, "date": .string(DateText.iso8601(conflict.date)),
        ]
      })
    return line.description
  }
}
