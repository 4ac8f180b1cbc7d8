public import Foundation
import SyncCore

/// How objects are written as JSON.
///
/// ```swift
/// let json = try user.export(using: .camelCase)
/// let rails = try user.export(using: ExportOptions(relationshipType: .nested))
/// ```
///
/// With the defaults, importing an export changes nothing. Older frameworks offer the same choices
/// as methods in all combinations, with `nested` as the default for relationships and
/// ``ExportDateFormat/wholeSeconds(in:)`` for dates; see `hyp_dictionary()` of ``ManagedObject``.
public struct ExportOptions: Sendable {
  /// How names of properties become keys. Custom keys are used as they are in both.
  public enum InflectionType: String, Sendable, Hashable, CaseIterable, Codable {
    /// `created_at`.
    case snakeCase
    /// `createdAt`: the name as it is.
    case camelCase
  }

  /// How relationships are written.
  public enum RelationshipType: String, Sendable, Hashable, CaseIterable, Codable {
    /// `"notes": [{…}, {…}]`: the form that a sync reads.
    case array
    /// `"notes_attributes": {"0": {…}, "1": {…}}`: the form that web frameworks with nested
    /// attributes read. A sync takes the attributes of the objects at the top from it; the nested
    /// objects lie under keys that mean nothing to it, so it leaves the relationships as they are.
    case nested
    /// `"company_id": 5`, `"tag_ids": [1, 2]`: the primary keys of the objects that to-one and
    /// many-to-many relationships lead to, which a sync reads as references. Lists whose members
    /// name their owner are left out, and so are objects without a key.
    case keys
    /// Not at all.
    case none
  }

  /// How binary values are written.
  public enum BinaryFormat: String, Sendable, Hashable, CaseIterable, Codable {
    /// The JSON value that a sync stored. Bytes that are none become `{"$base64": "…"}`, which a
    /// sync turns into the same bytes again.
    case json
    /// Base64 text of the stored bytes. A sync would store the text.
    case base64
    /// The stored bytes: `Data` in dictionaries, `{"$base64": "…"}` in JSON, which a sync turns
    /// into the same bytes again.
    case bytes
  }

  /// The form of an attribute without value.
  public enum NullHandling: String, Sendable, Hashable, CaseIterable, Codable {
    /// Its key with `null`: a sync clears the attribute.
    case written
    /// Nothing: a sync leaves the attribute alone.
    case omitted
  }

  /// How a list of objects is written to a file.
  public enum Layout: String, Sendable, Hashable, CaseIterable, Codable {
    /// One JSON array.
    case array
    /// An object a line. A sync reads that too.
    case lines
  }

  /// How names of properties become keys.
  public var inflectionType = InflectionType.snakeCase
  /// How related objects are written.
  public var relationshipType = RelationshipType.array

  /// Names of relationships whose objects are nested as ``RelationshipType/array`` nests them,
  /// under any ``relationshipType``: `lines`, or `Order.lines` where other entities have one of
  /// that name. A name that the model does not have is an ``ExportError``.
  public var nesting: Set<String> = []

  /// How dates are written.
  public var dateFormat = ExportDateFormat.iso8601
  /// How bytes are written.
  public var binaryFormat = BinaryFormat.json
  /// The form of a property without a value.
  public var nullHandling = NullHandling.written

  /// For files: how the list is written.
  public var layout = Layout.array

  /// For files: whether lines and indentation are added, for people.
  public var isPretty = false

  /// Whether to-many relationships that lead back to the object above are followed, as far as they
  /// reach objects that are not being exported already. Default: no, because the users of a tag
  /// repeat the tags of the users, for every user anew.
  public var followsWaysBack = false

  /// Whether a primary key without value is left out rather than written as null: the server makes
  /// it.
  package var omitsMissingKeys = false

  /// How many objects may be nested in each other. Objects below are written with their primary key
  /// only, which a sync takes as a reference; relationships to objects without key are left out.
  /// Default: 100.
  ///
  /// The size of an export of many objects grows with this: in a tree of 1,000 objects, each the
  /// only child of the one before, every object is written with the 99 below it.
  public var maximumDepth = 100

  /// How many nested objects the JSON of one object may hold, repeated ones counted again. Default:
  /// a million. Objects that lead to each other in many ways are written once for every way, and
  /// the ways double with each step: an export that would never end is refused with
  /// ``ExportError/Code/tooManyObjects`` instead.
  public var maximumObjects = 1_000_000

  /// Makes options; those left out have their defaults.
  public init(
    inflectionType: InflectionType = .snakeCase, relationshipType: RelationshipType = .array,
    nesting: Set<String> = [], dateFormat: ExportDateFormat = .iso8601,
    binaryFormat: BinaryFormat = .json, nullHandling: NullHandling = .written
  ) {
    self.inflectionType = inflectionType
    self.relationshipType = relationshipType
    self.nesting = nesting
    self.dateFormat = dateFormat
    self.binaryFormat = binaryFormat
    self.nullHandling = nullHandling
  }

  /// The formatter that writes dates; setting one is the same as setting ``dateFormat`` to
  /// `.formatter(…)`. Nil when another format writes them; setting nil brings the default back.
  public var dateFormatter: DateFormatter? {
    get { dateFormat.formatter }
    set { dateFormat = newValue.map { .formatter($0) } ?? .iso8601 }
  }

  /// The defaults with names as they are.
  public static let camelCase = ExportOptions(inflectionType: .camelCase)

  /// The defaults without relationships.
  public static let excludedRelationships = ExportOptions(relationshipType: .none)

  /// Resources of JSON:API: `{"type": "articles", "id": "5", "attributes": {…}, "relationships":
  /// {"author": {"data": {"type": "people", "id": "9"}}}}`. The type is the entity's `sync.type`,
  /// else its name in the plural. A sync reads them as `.jsonAPI(["data": …])`; an outbox sends and
  /// reads such documents.
  public static let jsonAPI = {
    var options = ExportOptions(relationshipType: .keys)
    options.writesResources = true
    return options
  }()

  /// Whether objects are written as resources of JSON:API.
  package var writesResources = false

  /// How the objects of a relationship are written.
  func form(of relationship: String, in entity: EntityDescription) -> RelationshipType {
    guard !nesting.isEmpty else { return relationshipType }
    if nesting.contains(relationship) { return .array }
    var level: EntityDescription? = entity
    while let current = level {
      if nesting.contains("\(current.name).\(relationship)") { return .array }
      level = current.superentity
    }
    return relationshipType
  }
}

/// How dates are written.
public struct ExportDateFormat: Sendable {
  private let write: @Sendable (Date) -> JSONValue?

  /// The formatter that it was made of, if any.
  private(set) var formatter: DateFormatter?

  /// Writes dates with a function; nil leaves the attribute out.
  public init(_ write: @escaping @Sendable (Date) -> String?) {
    self.write = { date in write(date).map { .string($0) } }
  }

  private init(json: @escaping @Sendable (Date) -> JSONValue?) {
    write = json
  }

  /// ISO 8601 in UTC, with milliseconds where there are any: `2016-01-09T12:40:08.250Z`. The
  /// default: a sync reads the same date, to the millisecond.
  public static let iso8601 = ExportDateFormat(json: { date in
    // A year of four digits, or no reader takes it.
    let isWritable = (-63_145_526_400..<252_423_993_599.9995).contains(
      date.timeIntervalSinceReferenceDate)
    return isWritable ? .string(DateText.iso8601(date)) : nil
  })

  /// Whole seconds in a time zone, `yyyy-MM-dd'T'HH:mm:ssZZZZZ`: `2016-01-09T13:40:08+01:00`. The
  /// default form of earlier frameworks, in the zone of the process. A fraction of a second is
  /// lost.
  public static func wholeSeconds(in zone: TimeZone = .current) -> ExportDateFormat {
    ExportDateFormat { date in
      guard date.timeIntervalSinceReferenceDate.magnitude < 1e15 else { return nil }
      return DateText.iso8601(date, secondsFromGMT: zone.secondsFromGMT(for: date))
    }
  }

  /// Seconds since 1970 as a number. A fraction of a second is lost.
  public static let unixTime = ExportDateFormat(json: { date in
    Int64(exactly: date.timeIntervalSince1970.rounded(.down)).map { .integer($0) }
  })

  /// The text of a formatter. Whether a sync can read it depends on the formatter.
  public static func formatter(_ formatter: DateFormatter) -> ExportDateFormat {
    var format = ExportDateFormat { formatter.string(from: $0) }
    format.formatter = formatter
    return format
  }

  /// The JSON of a date; nil when the format cannot say it.
  func json(_ date: Date) -> JSONValue? { write(date) }
}
