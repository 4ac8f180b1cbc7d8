import SyncCore

/// The report while it is written: shared by the parts of one sync, confined to it.
final class ReportBuilder {
  var report = SyncReport()

  /// Findings so far, also those of parts that were staged once more.
  private(set) var noteCount = 0

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
    noteCount += 1
    let count = report.findingCounts[kind.rawValue, default: 0] + 1
    report.findingCounts[kind.rawValue] = count
    guard count <= SyncReport.findingLimit else { return }
    report.findings.append(
      SyncReport.Finding(
        kind: kind, entity: entity.name, property: property, key: key, path: path(),
        message: message()))
  }
}

@available(*, unavailable, message: "A report is confined to its sync until it is finished.")
extension ReportBuilder: Sendable {}
