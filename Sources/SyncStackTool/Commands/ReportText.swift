import SyncStack

/// The report of a sync for people: a table of counts, then remarks.
struct ReportText {
  let report: SyncReport
  let model: ManagedObjectModel

  /// Findings of one kind that are written out.
  private static let shownFindings = 3

  /// The counts per entity, in model order.
  var table: TextTable {
    let hasSkipped = report.skipped > 0
    let hasProtected = report.protected > 0
    var table = TextTable(
      [.init("Entity")]
        + (["Inserted", "Updated", "Deleted", "Unchanged"] + (hasSkipped ? ["Skipped"] : [])
        + (hasProtected ? ["Left alone"] : []))
        .map { .init($0, numeric: true) })
    for (name, entity) in entities {
      var counts = [entity.inserted, entity.updated, entity.deleted, entity.unchanged]
      if hasSkipped { counts.append(entity.skipped) }
      if hasProtected { counts.append(entity.protected) }
      table.add([name] + counts.map { Figures.grouped($0) })
    }
    return table
  }

  /// How many objects were deleted, the first thing one wants to know; nil when none were.
  var deletions: String? {
    let deleted = entities.filter { $0.1.deleted > 0 }
    guard !deleted.isEmpty else { return nil }
    let list = deleted.map { "\(Figures.grouped($0.1.deleted)) \($0.0)" }
    return (report.isDryRun ? "Would be deleted: " : "Deleted: ") + list.joined(separator: ", ")
      + "."
  }

  /// Updated properties, findings, and keys that were passed over, a line each.
  var remarks: [String] {
    var lines: [String] = []
    for (name, entity) in entities where !entity.updatedProperties.isEmpty {
      lines.append("\(name) updated: \(list(entity.updatedProperties)).")
    }
    for (name, entity) in entities where !entity.unusedKeys.isEmpty {
      lines.append("\(name), keys that fill nothing: \(list(entity.unusedKeys)).")
    }
    for (name, entity) in entities where !entity.unfilledAttributes.isEmpty {
      let names = entity.unfilledAttributes.joined(separator: ", ")
      lines.append("\(name), attributes that nothing fills: \(names).")
    }
    if report.quarantined > 0, !report.isDryRun {
      lines.append(
        "\(Figures.counted(report.quarantined, "item")) in quarantine: 'syncstack quarantine' lists "
          + "and replays them.")
    }
    return lines + findings
  }

  /// One line with the outcome.
  func conclusion(store: String, seconds: Double) -> String {
    let time = Figures.duration(seconds)
    if report.isDryRun { return "Dry run: nothing was stored. \(time)." }
    if report.isUnchanged { return "Nothing changed in \(store). \(time)." }
    return "Stored in \(store). \(time)."
  }

  private var entities: [(String, SyncReport.EntityReport)] {
    model.entities.compactMap { entity in
      report.entities[entity.name].map { (entity.name, $0) }
    }
  }

  /// Names with their counts, the most frequent first.
  private func list(_ counts: [String: Int]) -> String {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.key) \(Figures.grouped($0.value))" }.joined(separator: ", ")
  }

  private var findings: [String] {
    var lines: [String] = []
    for (kind, count) in report.findingCounts.sorted(by: { $0.key < $1.key }) {
      guard let kind = SyncReport.Finding.Kind(rawValue: kind) else { continue }
      for finding in report.findings(of: kind).prefix(ReportText.shownFindings) {
        lines.append("! \(finding)")
      }
      if count > ReportText.shownFindings {
        let rest = count - ReportText.shownFindings
        lines.append("! … and \(Figures.grouped(rest)) more of this kind; see --json.")
      }
    }
    return lines
  }
}
