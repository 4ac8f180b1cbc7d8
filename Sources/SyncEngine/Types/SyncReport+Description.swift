import SyncCore

/// A report for a log: what a person wants to know first, in a few lines.
///
/// ```
/// User: 1 inserted, 2 updated (age, name), 0 deleted, 40 unchanged
/// User, keys that fill nothing: nick_name
/// 12 × refused conversion: “age” of “User”: expected a whole number, found text that is no number. ($[3].age)
/// ```
extension SyncReport: CustomStringConvertible {
  public var description: String {
    let entities = entities.inKeyOrder
    var lines: [String] = []
    if commits.pageCount > 0 {
      lines.append("All \(commits.pageCount) pages and their end:")
      lines += commits.totals(with: self).map { name, report in "\(name): \(report.counts)" }
      lines.append("The end alone:")
    }
    lines += entities.map { name, report in "\(name): \(report.counts)" }
    for (name, report) in entities where !report.unusedKeys.isEmpty {
      lines.append("\(name), keys that fill nothing: \(names(report.unusedKeys))")
    }
    lines += findingCounts.inKeyOrder.map { line($0.key, $0.value) }
    if isDryRun { lines.append("Dry run: nothing was stored.") }
    return lines.isEmpty ? "Nothing changed." : lines.joined(separator: "\n")
  }

  /// How many findings there are of one kind, and the first of them.
  private func line(_ kind: String, _ count: Int) -> String {
    let title = Inflection.naturalSnake(kind).replacing("_", with: " ")
    guard let first = findings.first(where: { $0.kind.rawValue == kind }) else {
      return "\(count) × \(title)"
    }
    return "\(count) × \(title): \(first)"
  }
}

extension SyncReport.Finding: CustomStringConvertible {
  /// The message, and the place in the payload: `“age” of “User”: expected … ($[3].age)`.
  public var description: String { message + (path.map { " (\($0))" } ?? "") }
}

extension SyncReport.EntityReport {
  fileprivate var counts: String {
    let properties = updatedProperties.isEmpty ? "" : " (\(names(updatedProperties)))"
    var text =
      "\(inserted) inserted, \(updated) updated\(properties), \(deleted) deleted, "
      + "\(unchanged) unchanged"
    if skipped > 0 { text += ", \(skipped) skipped" }
    if quarantined > 0 { text += ", \(quarantined) of them in quarantine" }
    if protected > 0 { text += ", \(protected) protected" }
    return text
  }
}

/// At most eight names, the most frequent first.
private func names(_ counts: [String: Int]) -> String {
  let names = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
  let rest = names.count > 8 ? " and \(names.count - 8) more" : ""
  return names.prefix(8).joined(separator: ", ") + rest
}
