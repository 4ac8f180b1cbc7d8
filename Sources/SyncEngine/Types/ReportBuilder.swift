import SyncCore

/// The report while it is written: shared by the parts of one sync, confined to it.
final class ReportBuilder {
  /// The content that staging a part once more takes back.
  struct Content {
    var report = SyncReport()
    /// Entities of which objects were read, so that their unfilled attributes are known.
    var readEntities: Set<String> = []
    /// Why the first item at the top was left out.
    var firstRejected: SyncError?
  }

  var content = Content()

  /// The lists of items on whose mapping the remarks were noted.
  var describedLists: Set<Int> = []

  /// Findings so far, also those of parts that were staged once more.
  private(set) var noteCount = 0

  var report: SyncReport {
    get { content.report }
    _modify { yield &content.report }
  }

  /// The counts of one entity.
  subscript(entity: EntityDescription) -> SyncReport.EntityReport {
    get { report.entities[entity.name] ?? .init() }
    set { report.entities[entity.name] = newValue }
  }

  /// Adds a finding; of each kind a limited number is listed and all are counted.
  func note(
    _ kind: SyncReport.Finding.Kind, _ entity: EntityDescription, property: String? = nil,
    key: String? = nil, path: @autoclosure () -> String? = nil,
    message: @autoclosure () -> String
  ) {
    guard count(kind) else { return }
    report.findings.append(
      SyncReport.Finding(
        kind: kind, entity: entity.name, property: property, key: key, path: path(),
        message: message()))
  }

  /// Counts a finding.
  ///
  /// - Returns: Whether it is to be listed.
  private func count(_ kind: SyncReport.Finding.Kind) -> Bool {
    noteCount += 1
    let count = report.findingCounts[kind.rawValue, default: 0] + 1
    report.findingCounts[kind.rawValue] = count
    return count <= SyncReport.findingLimit
  }

  // MARK: - Objects that were read

  /// Says which keys of an entity's objects filled nothing, and which attributes nothing filled.
  func describe(_ entity: String, unusedKeys: [String: Int], unfilled: [String]) {
    var counts = report.entities[entity] ?? .init()
    counts.unusedKeys.merge(unusedKeys, uniquingKeysWith: +)
    counts.unfilledAttributes =
      content.readEntities.insert(entity).inserted
      ? unfilled : counts.unfilledAttributes.filter(unfilled.contains)
    report.entities[entity] = counts
  }

  /// Adds the findings of a part that was read.
  func add(_ part: ReportBuilder) {
    for finding in part.report.findings where count(finding.kind) {
      report.findings.append(finding)
    }
    // The part has listed no more than a report may, and counted the rest.
    for (kind, count) in part.report.findingCounts where count > SyncReport.findingLimit {
      report.findingCounts[kind, default: 0] += count - SyncReport.findingLimit
      noteCount += count - SyncReport.findingLimit
    }
    if content.firstRejected == nil { content.firstRejected = part.content.firstRejected }
    for (entity, counts) in part.report.entities {
      report.entities[entity, default: .init()].skipped += counts.skipped
      guard part.content.readEntities.contains(entity) else { continue }
      describe(entity, unusedKeys: counts.unusedKeys, unfilled: counts.unfilledAttributes)
    }
  }
}

@available(*, unavailable, message: "A report is confined to its sync until it is finished.")
extension ReportBuilder: Sendable {}
