import SyncCloud
import SyncStack

/// The outcomes of pulls and pushes, for people and as JSON.
struct CloudText {
  let status: CloudStatus

  /// How many problems a text lists.
  static let shown = 10

  func sentence(of report: PushReport) -> String {
    guard report.sent + report.refused > 0 else { return "Nothing to send." }
    var parts = ["\(Figures.counted(report.sent, "record")) sent"]
    if report.conflicts > 0 {
      parts.append(
        "\(Figures.counted(report.conflicts, "record")) merged with what others had sent")
    }
    if report.refused > 0 { parts.append("\(Figures.counted(report.refused, "record")) refused") }
    return parts.joined(separator: ", ") + "."
  }

  func sentence(of report: PullReport) -> String {
    guard report.inserted + report.updated + report.deleted + report.problems > 0 else {
      return "Nothing new."
    }
    var parts = [
      "\(Figures.counted(report.inserted, "object")) inserted",
      "\(Figures.grouped(report.updated)) updated", "\(Figures.grouped(report.deleted)) deleted",
    ]
    if report.problems > 0 {
      parts.append(
        "\(Figures.counted(report.problems, "record")) could not be used, or only in part")
    }
    return parts.joined(separator: ", ") + "."
  }

  /// A line for each of the first problems.
  var problems: [String] {
    let rest = status.problems.count - CloudText.shown
    return status.problems.prefix(CloudText.shown).map { "! \($0)" }
      + (rest > 0 ? ["! … and \(Figures.grouped(rest)) more; see syncstack status --json."] : [])
  }

  // MARK: - JSON

  func json(of report: PushReport) -> String {
    let line: JSONObject = [
      "batches": .integer(Int64(report.batches)), "sent": .integer(Int64(report.sent)),
      "conflicts": .integer(Int64(report.conflicts)), "refused": .integer(Int64(report.refused)),
      "waiting": .integer(Int64(status.waiting)), "problems": problemList,
    ]
    return line.description
  }

  func json(of report: PullReport) -> String {
    let line: JSONObject = [
      "pages": .integer(Int64(report.pages)), "records": .integer(Int64(report.records)),
      "inserted": .integer(Int64(report.inserted)), "updated": .integer(Int64(report.updated)),
      "deleted": .integer(Int64(report.deleted)), "waiting": .integer(Int64(status.waiting)),
      "problems": problemList,
    ]
    return line.description
  }

  /// All problems, with their reasons.
  var problemList: JSONValue {
    .array(
      status.problems.map { problem in
        var object: JSONObject = [
          "record": .string(problem.record), "entity": .string(problem.entity),
          "reason": .string(problem.reason),
        ]
        if let row = problem.row { object["row"] = .integer(row) }
        return .object(object)
      })
  }
}
