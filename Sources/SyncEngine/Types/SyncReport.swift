public import SyncCore

/// The changes and findings of a sync.
///
/// ```swift
/// let report = try await stack.sync(json, inEntityNamed: "User")
/// print(report["User"].inserted, report.changes.inserted)   // how many, and which
/// ```
public struct SyncReport: Sendable, Hashable, Codable {
  /// Counts and findings of one entity.
  public struct EntityReport: Sendable, Hashable, Codable {
    /// Objects that are new.
    public var inserted = 0
    /// Objects of which properties changed.
    public var updated = 0
    /// Objects that were deleted.
    public var deleted = 0
    /// Objects that the payload mentions and that came out as they were.
    public var unchanged = 0
    /// Items of the payload that were left out, for any reason.
    public var skipped = 0
    /// Those of them that were kept in the store, to be replayed.
    public var quarantined = 0
    /// Objects of which something was left alone, because it was edited here and not sent yet.
    public var protected = 0
    /// In how many objects the sync left each property alone for that reason.
    public var protectedProperties: [String: Int] = [:]
    /// How many objects each property changed in.
    public var updatedProperties: [String: Int] = [:]
    /// JSON keys that filled nothing, with how often they stood in an item.
    public var unusedKeys: [String: Int] = [:]
    /// Attributes that no item of the payload filled.
    public var unfilledAttributes: [String] = []

    package init() {}
  }

  /// Something in the payload that was not taken as it stood.
  public struct Finding: Sendable, Hashable, Codable {
    /// The kind of a finding.
    public enum Kind: String, Sendable, Hashable, Codable {
      /// An item without a readable key, or that is no object.
      case skippedItem
      /// A value that does not fit its attribute; the old value stayed.
      case refusedConversion
      /// A key that no object has.
      case unresolvedReference
      /// A value under a relationship's key that is none.
      case ignoredValue
      /// A child that moved from one owner to another.
      case movedObject
      /// A stored object that is of another subentity now: it was replaced.
      case changedKind
      /// Several stored objects of one key that became one.
      case foldedDuplicates
      /// Items of the payload that are one object; once for each entity, nested objects of which
      /// several places say different things; lists that name an object twice.
      case repeatedItem
      /// Deletions that were not made, because an item's key could not be read, or because the
      /// payload is a tree and says nothing of objects that are below its roots.
      case suspendedDeletion
      /// An object that was edited here, which was not sent yet, and that the sync left alone.
      case protectedEdit
      /// A new object that does not meet the groupers of its serializer: the next sync will not
      /// find it.
      case outsideGroup
      /// A transformer that the model names and that is not registered.
      case unregisteredTransformer
      /// Something else of the model that the mapping could not follow.
      case mappingRemark
    }

    /// The kind of the finding.
    public let kind: Kind
    /// Name of the entity it is about.
    public let entity: String
    /// Name of the property it is about; nil where it is about none.
    public let property: String?
    /// Primary key of the object it is about, as text; nil where it is not known.
    public let key: String?
    /// Where in the payload, as in `$[3].notes[0]`; nil where it has no one place.
    public let path: String?
    /// A sentence that tells the finding, and where it helps the remedy.
    public let message: String
  }

  /// Per entity name.
  public internal(set) var entities: [String: EntityReport] = [:]

  /// The findings, in payload order; of each kind at most ``findingLimit`` are listed.
  public internal(set) var findings: [Finding] = []

  /// How many findings there were of each kind, listed or not.
  public internal(set) var findingCounts: [String: Int] = [:]

  /// Seconds spent in each phase. Reading while another part is written counts for nothing but the
  /// wait for it.
  public package(set) var phaseDurations: [String: Double] = [:]

  /// Size of the payload in bytes.
  public internal(set) var payloadBytes = 0

  /// Items at the top of the payload.
  public internal(set) var itemCount = 0

  /// Where the page after the one that was synced is, as the payload says: the link `next` of a
  /// JSON:API document. Nil where there is none.
  public internal(set) var nextPage: String?

  /// The commits, in order; neither compared nor encoded.
  package var commits = Commits()

  /// Whether it was a dry run: nothing was stored.
  public package(set) var isDryRun = false

  /// Findings of one kind that are listed one by one.
  public static let findingLimit = 1_000

  public init() {}
}

extension SyncReport {
  /// The change sets that a report keeps to name objects by; equal to any other.
  package struct Commits: Sendable, Hashable {
    package var sets: [ChangeSet] = []
    package var objects = ObjectList()
    /// Of the end of a session: the number of stored pages, and their changes, by entity.
    package var pageCount = 0
    package var pages: [String: EntityReport] = [:]
    /// Of pages in one transaction: the items of each list, by its number.
    package var items: [Int: Int] = [:]

    package static func == (_: Commits, _: Commits) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
  }

  private enum CodingKeys: String, CodingKey {
    case entities, findings, findingCounts, phaseDurations, payloadBytes, itemCount
    case isDryRun, nextPage
  }

  /// Which objects were inserted, updated and deleted, and which of their properties: the change
  /// set of the commit, or, where there were several, per batch or in ``add(_:)``, all of them as
  /// one. In a dry run it is the change set of a real one; objects that would have been inserted do
  /// not exist.
  ///
  /// A report that was decoded has none.
  ///
  /// - Complexity: O(1) for one commit, O(*n* log *k*) for *n* changes in *k*.
  public var changes: ChangeSet { ChangeSet.joining(commits.sets) }

  /// The objects of the items at the top, in payload order: the object that an item matched or
  /// became, once for each item. Noted by syncs whose mapping was written by hand alone. A report
  /// that was decoded has none.
  ///
  /// - Complexity: O(*n*); made on each call, so keep the result.
  public var objects: [ManagedObjectID] { commits.objects.identifiers }

  /// The counts of an entity by its name; all are zero when the sync had nothing to do with it.
  public subscript(entityName: String) -> EntityReport {
    entities[entityName] ?? EntityReport()
  }

  /// Objects of all entities that are new.
  public var inserted: Int { entities.values.reduce(0) { $0 + $1.inserted } }
  /// Objects of all entities of which properties changed.
  public var updated: Int { entities.values.reduce(0) { $0 + $1.updated } }
  /// Objects of all entities that were deleted.
  public var deleted: Int { entities.values.reduce(0) { $0 + $1.deleted } }
  /// Objects of all entities that the payload mentions and that came out as they were.
  public var unchanged: Int { entities.values.reduce(0) { $0 + $1.unchanged } }
  /// Items of all entities that were left out.
  public var skipped: Int { entities.values.reduce(0) { $0 + $1.skipped } }
  /// Items of all entities that were kept in the store, to be replayed.
  public var quarantined: Int { entities.values.reduce(0) { $0 + $1.quarantined } }
  /// Objects of all entities of which edits that were not sent yet were left alone.
  public var protected: Int { entities.values.reduce(0) { $0 + $1.protected } }

  /// Whether the store is as it was.
  public var isUnchanged: Bool { inserted == 0 && updated == 0 && deleted == 0 }

  /// The findings of one kind.
  public func findings(of kind: Finding.Kind) -> [Finding] {
    findings.filter { $0.kind == kind }
  }

  /// How many findings there were of one kind, listed or not.
  public func count(of kind: Finding.Kind) -> Int {
    findingCounts[kind.rawValue] ?? 0
  }
}

/// A report for a log: the most important facts first, in a few lines.
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
