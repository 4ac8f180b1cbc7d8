import Foundation
import SyncStack

/// `syncstack check`: finds damage in a store that another program or a failing disk has changed.
struct CheckCommand: Command {
  static let syntax = CommandSyntax(
    name: "check",
    summary: "Looks for what no store writes, and repairs it.",
    operands: [],
    options: [
      .init("--store", value: "FILE", required: true, "the SQLite file"),
      .init(
        "--repair", value: "KINDS",
        "repairs what was found of these kinds, all or nothing: one or several of "
          + "\(ConsistencyProblem.Kind.allCases.map(\.rawValue).joined(separator: ", "))"),
      .init("--json", "lists what was found as lines of JSON"),
      CommandSyntax.wait,
    ],
    example: "syncstack check --store app.sqlite --repair references,links")

  private let store: URL
  private let repaired: Set<ConsistencyProblem.Kind>
  private let isJSON: Bool
  private let wait: Double

  init(_ arguments: Arguments) throws {
    store = URL(filePath: try arguments.required("--store"))
    repaired = try CheckCommand.kinds(arguments)
    isJSON = arguments.has("--json")
    wait = try arguments.wait()
  }

  private static func kinds(
    _ arguments: Arguments
  ) throws(UsageError) -> Set<ConsistencyProblem.Kind> {
    guard let list = arguments["--repair"] else { return [] }
    var result: Set<ConsistencyProblem.Kind> = []
    for word in list.split(separator: ",") {
      guard let kind = ConsistencyProblem.Kind(rawValue: String(word)) else {
        let known = ConsistencyProblem.Kind.allCases.map(\.rawValue)
        let hint =
          Spelling.nearest(to: String(word), in: known).map { "Did you mean \($0)?" }
          ?? "There are \(known.joined(separator: ", "))."
        throw arguments.error("--repair knows no kind “\(word)”. \(hint)")
      }
      result.insert(kind)
    }
    guard !result.isEmpty else { throw arguments.error("--repair needs a kind, as in links.") }
    return result
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    let stack = try DataStack(keptAt: store, isReadOnly: repaired.isEmpty, wait: wait)
    defer { try? stack.close() }
    let report = try await stack.checkConsistency(repairing: repaired)
    if isJSON {
      terminal.print(
        report.repaired.map { line($0, isRepaired: true) }
          + report.problems.map { line($0, isRepaired: false) })
    } else {
      list(report, terminal)
    }
    return report.isConsistent ? .done : .failed
  }

  private func list(_ report: ConsistencyReport, _ terminal: Terminal) {
    for problem in report.repaired { terminal.print("+ \(problem.kind.rawValue): \(problem)") }
    for problem in report.problems { terminal.print("! \(problem.kind.rawValue): \(problem)") }
    guard !report.isConsistent else { return terminal.note("Nothing is wrong.") }
    let kinds = ConsistencyProblem.Kind.allCases.filter(report.repairableKinds.contains)
    let repair =
      kinds.isEmpty
      ? "None of it can be repaired from what the file holds: restore it from a copy."
      : "'syncstack check --store \(store.relativePath) --repair "
        + "\(kinds.map(\.rawValue).joined(separator: ","))' repairs what can be; copy the file first."
    terminal.note("\(Figures.counted(report.problems.count, "problem")). \(repair)")
  }

  private func line(_ problem: ConsistencyProblem, isRepaired: Bool) -> String {
    var line: JSONObject = [
      "kind": .string(problem.kind.rawValue), "table": .string(problem.table),
      "count": .integer(Int64(problem.count)), "message": .string(problem.message),
      "rows": .array(problem.examples.map(JSONValue.integer)),
      "repaired": .bool(isRepaired), "repairable": .bool(problem.isRepairable),
    ]
    if let property = problem.property { line["property"] = .string(property) }
    return line.description
  }
}
