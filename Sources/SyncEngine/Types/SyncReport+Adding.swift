package import SyncCore

extension SyncReport {
  /// Adds the report of a further sync, as for the pages of a session.
  ///
  /// Every count is that of both together, so an object of which both speak counts twice: as
  /// inserted by the first and updated or unchanged by the second, or as updated by both.
  /// ``changes`` has each object once, and a remark of both on the mapping stands there once.
  public mutating func add(_ other: SyncReport) {
    for (name, report) in other.entities {
      if entities[name] == nil { entities[name] = report } else { entities[name]?.add(report) }
    }
    findingCounts.merge(other.findingCounts, uniquingKeysWith: +)
    let remarks = Set(findings.filter(\.isOfMapping))
    var listed = Dictionary(grouping: findings, by: \.kind).mapValues(\.count)
    for finding in other.findings {
      if remarks.contains(finding) {
        findingCounts[finding.kind.rawValue, default: 1] -= 1
      } else if listed[finding.kind, default: 0] < SyncReport.findingLimit {
        findings.append(finding)
        listed[finding.kind, default: 0] += 1
      }
    }
    commits.sets += other.commits.sets
    commits.objects.append(other.commits.objects)
    phaseDurations.merge(other.phaseDurations, uniquingKeysWith: +)
    payloadBytes += other.payloadBytes
    itemCount += other.itemCount
    isDryRun = isDryRun || other.isDryRun
    nextPage = other.nextPage
  }
}

extension SyncReport.Finding {
  /// Whether it is about the mapping, whatever the payload.
  fileprivate var isOfMapping: Bool { kind == .mappingRemark || kind == .unregisteredTransformer }
}

extension SyncReport.Commits {
  /// Adds pages of the session to which a report is the end.
  mutating func add(_ count: Int, pages report: [String: SyncReport.EntityReport]) {
    pageCount += count
    for (name, report) in report { pages[name, default: .init()].add(report) }
  }

  /// The counts of pages and end together, by entity in the order of names.
  func totals(with end: SyncReport) -> [(String, SyncReport.EntityReport)] {
    var result = pages
    for (name, report) in end.entities { result[name, default: .init()].add(report) }
    return result.inKeyOrder
  }
}

extension SyncReport.EntityReport {
  fileprivate mutating func add(_ other: SyncReport.EntityReport) {
    inserted += other.inserted
    updated += other.updated
    deleted += other.deleted
    unchanged += other.unchanged
    skipped += other.skipped
    quarantined += other.quarantined
    protected += other.protected
    updatedProperties.merge(other.updatedProperties, uniquingKeysWith: +)
    protectedProperties.merge(other.protectedProperties, uniquingKeysWith: +)
    unusedKeys.merge(other.unusedKeys, uniquingKeysWith: +)
    unfilledAttributes = unfilledAttributes.filter(other.unfilledAttributes.contains)
  }
}

/// Objects in an order, as the numbers of their rows: identifiers are made on demand.
package struct ObjectList: Sendable {
  /// Objects of one entity, one behind the other.
  private var runs: [(entity: EntityDescription, rows: [Int64])] = []

  package init() {}

  mutating func append(_ row: Int64, _ entity: EntityDescription) {
    guard let last = runs.indices.last, runs[last].entity.index == entity.index else {
      return runs.append((entity, [row]))
    }
    runs[last].rows.append(row)
  }

  mutating func append(_ other: ObjectList) { runs += other.runs }

  package var identifiers: [ManagedObjectID] {
    runs.flatMap { run in run.rows.map { ManagedObjectID(entity: run.entity, row: $0) } }
  }
}
