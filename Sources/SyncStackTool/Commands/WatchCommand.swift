import Foundation
import SyncStack

/// `syncstack watch`: shows the commits of others to a store, as they come.
struct WatchCommand: Command {
  static let syntax = CommandSyntax(
    name: "watch",
    summary: "Shows what other programs change in a store, as they do; Ctrl-C ends it.",
    operands: [],
    options: [
      .init("--store", value: "FILE", required: true, "the SQLite file"),
      .init("--since", value: "TOKEN", "begins with the commits after the one of this number"),
      .init("--count", value: "N", "ends after so many commits"),
      .init("--interval", value: "MS", "milliseconds between two looks; 200 by default"),
      .init("--json", "a line of JSON for each commit"),
    ],
    example: "syncstack watch --store app.sqlite --json")

  private let store: URL
  private let since: HistoryToken?
  private let count: Int
  private let interval: Int
  private let isJSON: Bool

  init(_ arguments: Arguments) throws {
    store = URL(filePath: try arguments.required("--store"))
    since = try arguments.since()
    count = try arguments.count("--count") ?? .max
    interval = try arguments.count("--interval") ?? 200
    isJSON = arguments.has("--json")
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    let reader = try HistoryReader(store, after: since, as: HistoryText(isJSON: isJSON))
    defer { try? reader.close() }
    var rest = count
    var version: Int64?
    while rest > 0 {
      // Without a commit only this number is read.
      let now = try reader.dataVersion()
      if now != version {
        version = now
        rest -= try reader.write(to: terminal, limit: rest)
      }
      if rest > 0 { try await Task.sleep(for: .milliseconds(max(interval, 1))) }
    }
    return .done
  }
}
