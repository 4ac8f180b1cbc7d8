import SyncCore

/// Contradictions of a payload about one object, counted for an entity; the later place counts.
/// Told once, with the first as an example: a payload that nests an old copy of each object would
/// fill the report otherwise.
struct Contradictions {
  private(set) var count = 0
  private var example = ""
  private(set) var property: String?
  private(set) var key: String?
  private(set) var path: String?

  /// Counts one; key, path and values are asked for the first only.
  mutating func add(
    _ property: String, key: @autoclosure () -> String, path: @autoclosure () -> String? = nil,
    values: @autoclosure () -> (String, String)
  ) {
    count += 1
    guard count == 1 else { return }
    self.property = property
    self.key = key()
    self.path = path()
    let (earlier, later) = values()
    example = "\(earlier), then \(later)"
  }

  mutating func add(_ others: Contradictions) {
    let sum = count + others.count
    if count == 0 { self = others }
    count = sum
  }

  func note(of entity: EntityDescription, in report: ReportBuilder) {
    guard count > 0, let property, let key else { return }
    let times = count == 1 ? "Once" : "\(count) times"
    let message = """
      \(times) several places of the payload say different things of one “\(entity.name)”, and the later one counts: \
      “\(property)” of \(entity.name) \(key) is \(example).
      """
    // That a list names the object twice, and differently, is one finding.
    if let path, let list = report.report.findings.lastIndex(where: { $0.isRepeat(of: path) }) {
      report.report.findings[list] = SyncReport.Finding(
        kind: .repeatedItem, entity: entity.name, property: property, key: key, path: path,
        message: "\(report.report.findings[list].message) \(message)")
      return
    }
    report.note(
      .repeatedItem, entity, property: property, key: key, path: path, message: message)
  }
}

extension Contradictions {
  /// Counts that a later mention of an object says something else than an earlier one.
  mutating func add(
    _ batch: Batch, _ later: UnsafePointer<Cell>, _ earlier: UnsafePointer<Cell>, in slot: Int,
    path: @autoclosure () -> String? = nil
  ) {
    let property = batch.entity.properties[slot]
    func text(_ cells: UnsafePointer<Cell>) -> String {
      let value = cells[slot].value(as: property.attribute?.type)
      return value.isNull ? "none" : "\(value)"
    }
    add(
      property.name, key: batch.key(earlier).description, path: path(),
      values: (text(earlier), text(later)))
  }
}

extension SyncReport.Finding {
  /// Whether it says that the list in which a member stands names an object twice.
  fileprivate func isRepeat(of member: String) -> Bool {
    guard kind == .repeatedItem, property != nil, let path, member.hasPrefix("\(path)[") else {
      return false
    }
    return !member.dropFirst(path.count + 1).contains("[")
  }
}
