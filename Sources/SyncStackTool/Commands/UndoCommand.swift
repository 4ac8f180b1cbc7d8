import Foundation
import SyncStack

/// `syncstack undo`: takes commits of a store back.
struct UndoCommand: Command {
  static let syntax = CommandSyntax(
    name: "undo", summary: "Takes commits back, as far as nothing has changed since.",
    operands: [
      .init("COMMIT", "its number, as 'syncstack history' writes it; 7-9 is three commits")
    ],
    options: [
      .init("--store", value: "FILE", required: true, "the SQLite file"),
      .init("--dry-run", "writes nothing, and says what would be"),
      .init(
        "--guard", value: "LIMIT",
        "on, off, or limits as in count=20,share=10%: an undo that would delete more is refused"),
      .init("--json", "the report as a line of JSON"),
      CommandSyntax.wait,
    ],
    example: "syncstack undo 7 --store app.sqlite --dry-run")

  private let store: URL
  private let commits: ClosedRange<HistoryToken>
  private let isDryRun: Bool
  private let deletionGuard: DeletionGuard
  private let isJSON: Bool
  private let wait: Double

  init(_ arguments: Arguments) throws {
    store = URL(filePath: try arguments.required("--store"))
    commits = try UndoCommand.commits(arguments)
    isDryRun = arguments.has("--dry-run")
    deletionGuard = try GuardLimits.parse(arguments)
    isJSON = arguments.has("--json")
    wait = try arguments.wait()
  }

  private static func commits(
    _ arguments: Arguments
  ) throws(UsageError) -> ClosedRange<HistoryToken> {
    let text = arguments.operands.first ?? ""
    let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard (1...2).contains(numbers.count), let first = numbers[0],
      let last = numbers[numbers.count - 1], first > 0, first <= last
    else {
      throw arguments.error(
        "COMMIT is a number, or two as in 7-9, the smaller one first; “\(text)” is neither.")
    }
    return HistoryToken(number: first)...HistoryToken(number: last)
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    let stack = try DataStack(keptAt: store, isReadOnly: false, wait: wait)
    defer { try? stack.close() }
    let undo = Undo(commits, dataStack: stack)
    undo.isDryRun = isDryRun
    undo.deletionGuard = deletionGuard
    undo.author = "syncstack"
    undo.start()
    let report = try await undo.value
    if isJSON {
      terminal.print(json(report))
      return .done
    }
    let word = isDryRun ? "would be " : ""
    for (entity, counts) in report.undone.sorted(by: { $0.key < $1.key }) {
      let words = [
        (counts.inserted, "brought back"), (counts.updated, "updated"), (counts.deleted, "deleted"),
      ].filter { $0.0 > 0 }.map { "\(Figures.grouped($0.0)) \(word)\($0.1)" }
      terminal.print("\(entity): \(words.joined(separator: ", "))")
    }
    for left in report.left { terminal.print("left: \(left)") }
    if report.isEmpty {
      terminal.note("There was nothing to take back.")
    } else if let token = report.token {
      terminal.note("The undo is commit \(token.number).")
    }
    return .done
  }

  private func json(_ report: UndoReport) -> String {
    var undone: JSONObject = [:]
    for (entity, counts) in report.undone.sorted(by: { $0.key < $1.key }) {
      undone[entity] = [
        "inserted": .integer(Int64(counts.inserted)), "updated": .integer(Int64(counts.updated)),
        "deleted": .integer(Int64(counts.deleted)),
      ]
    }
    var line: JSONObject = [
      "undone": .object(undone),
      "left": .array(
        report.left.map { left in
          var object: JSONObject = ["entity": .string(left.entity)]
          if let id = left.objectID { object["row"] = .integer(id.row) }
          if let key = left.key { object["key"] = JSONValue(scalar: key) }
          if let property = left.property { object["property"] = .string(property) }
          object["reason"] = .string(left.reason.rawValue)
          return .object(object)
        }),
    ]
    if let token = report.token { line["token"] = .integer(token.number) }
    if report.isDryRun { line["dryRun"] = true }
    return line.description
  }
}
