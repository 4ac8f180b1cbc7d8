import SyncStack

/// The outcome of a trial of a document and its mapping, for people.
struct Diagnosis {
  let report: SyncReport
  let mapping: MappingDescription

  /// Required properties that objects have no value of.
  let missing: [LenientModel.MissingValues]

  /// An entity of which items may say that their objects are deleted, with the key that does.
  struct DeletionMark: Encodable {
    let entity: String
    let key: String
  }

  /// The entity of the items, when nothing tells its objects apart.
  var keyless: String?

  var deletionMarks: [DeletionMark] = []

  /// Items that are null, which no model takes: they are no reason against one.
  var nulls = 0

  /// Examples of one kind that are written out.
  private static let shownExamples = 5

  /// Kinds of findings by which values would be lost or refused, with titles.
  private static let problems: [(SyncReport.Finding.Kind, String)] = [
    (.skippedItem, "Items that would be left out"),
    (.refusedConversion, "Values that do not fit their attributes"),
    (.ignoredValue, "Values that would be passed over"),
  ]

  /// Kinds of findings that are legal, and yet not always meant.
  private static let remarks: [(SyncReport.Finding.Kind, String)] = [
    (
      .unresolvedReference, "Keys of objects that are not in the document: they link what is stored"
    ),
    (.repeatedItem, "Items that are one object"),
    (.movedObject, "Children that several owners list"),
  ]

  /// Whether everything in the document finds its place. Attributes that no item fills, and
  /// references to objects that may be stored elsewhere, are no illness.
  var isHealthy: Bool {
    report.itemCount > 0 && missing.isEmpty
      && report.entities.values.allSatisfy(\.unusedKeys.isEmpty)
      && Diagnosis.problems.allSatisfy { kind, _ in
        report.count(of: kind) <= (kind == .skippedItem ? nulls : 0)
      }
  }

  /// All of it, the conclusion last.
  var lines: [String] {
    var lines: [String] = []
    for entity in mapping.entities {
      guard let found = report.entities[entity.name] else { continue }
      lines += keys(of: entity, found) + attributes(of: entity, found)
    }
    if !missing.isEmpty {
      lines.append("Required values that are missing: the objects could not be stored")
      lines += missing.map {
        "  \($0.entity).\($0.property) in \(Figures.counted($0.count, "object"))"
      }
    }
    for (kind, title) in Diagnosis.problems { lines += examples(of: kind, title) }
    for (kind, title) in Diagnosis.remarks { lines += examples(of: kind, title) }
    if !deletionMarks.isEmpty {
      lines.append("Items that may say that their objects are deleted")
      lines += deletionMarks.map { "  \($0.entity): \(DeletionMarks.offer($0.key))" }
    }
    if let keyless { lines.append(KeyFinder.keyless(keyless)) }
    let remarks = mapping.remarks.filter { report.entities[$0.entity] != nil }
    if !remarks.isEmpty { lines += ["The mapping"] + remarks.map { "  \($0)" } }
    return lines + [conclusion]
  }

  private var conclusion: String {
    guard report.itemCount > 0 else {
      return "There is no item to map. Say with --at where the list lies in the document."
    }
    let objects = report.entities.sorted { $0.key < $1.key }
      .map { "\(Figures.grouped($1.inserted)) \($0)" }.joined(separator: ", ")
    return "\(isHealthy ? "Everything maps" : "Not everything maps"): \(objects)."
  }

  // MARK: - Keys

  private func keys(
    of entity: MappingDescription.Entity, _ found: SyncReport.EntityReport
  ) -> [String] {
    guard !found.unusedKeys.isEmpty else { return [] }
    let keys = found.unusedKeys.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let width = keys.map { TextWidth.of($0.key) }.max() ?? 0
    return ["\(entity.name): keys that fill nothing"]
      + keys.map { key, count in
        "  \(TextWidth.pad(key, to: width))  \(Figures.counted(count, "time")). "
          + advice(on: key, entity, found)
      }
  }

  /// The advice on a key: the spelling that was meant, or how to give it a place.
  private func advice(
    on key: String, _ entity: MappingDescription.Entity, _ found: SyncReport.EntityReport
  ) -> String {
    let open = entity.fields.filter {
      $0.kind != .attribute || found.unfilledAttributes.contains($0.property)
    }
    let spellings = open.flatMap { field in
      ([field.key] + field.otherKeys + field.referenceKeys).map { (key: $0, field: field) }
    }
    if let near = Spelling.nearest(to: key, in: spellings.map(\.key)),
      let field = spellings.first(where: { $0.key == near })?.field
    {
      return "Is it “\(near)”, which fills \(field.property)? "
        + "If so, set sync.remoteKey of \(field.property) to “\(key)”."
    }
    return "Add a property for it, or set sync.remoteKey to “\(key)” at the one it belongs to."
  }

  private func attributes(
    of entity: MappingDescription.Entity, _ found: SyncReport.EntityReport
  ) -> [String] {
    let fields = entity.fields.filter { found.unfilledAttributes.contains($0.property) }
    guard !fields.isEmpty else { return [] }
    let width = fields.map { TextWidth.of($0.property) }.max() ?? 0
    return ["\(entity.name): attributes that nothing fills"]
      + fields.map { field in
        let keys = ([field.key] + field.otherKeys).map { "“\($0)”" }.joined(separator: ", ")
        let weight = field.isRequired ? " It is required." : ""
        return "  \(TextWidth.pad(field.property, to: width))  No item has \(keys).\(weight)"
      }
  }

  // MARK: - Findings

  private func examples(of kind: SyncReport.Finding.Kind, _ title: String) -> [String] {
    let count = report.count(of: kind)
    guard count > 0 else { return [] }
    var lines = ["\(title): \(Figures.grouped(count))"]
    for finding in report.findings(of: kind).prefix(Diagnosis.shownExamples) {
      lines.append("  \(finding)")
    }
    if count > Diagnosis.shownExamples {
      lines.append("  … and \(Figures.grouped(count - Diagnosis.shownExamples)) more")
    }
    return lines
  }
}
