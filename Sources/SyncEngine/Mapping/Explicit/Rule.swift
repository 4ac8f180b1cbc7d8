public import SyncCore

/// How one property gets its value: where the value stands in the item, and how it is converted.
///
/// The path of a rule is a list of keys and positions, `["tags", 0]`, in which a dot is a part of
/// its key; as a text, `"user.name"`, it is parted at its dots; `[]` is the item itself, which is
/// an object. A key that does not stand in an object, and a position that is not in an array, lead
/// nowhere: the value is missing then.
///
/// ```swift
/// "fullName": .string(["user", "name"]),
/// "joinedAt": .unixTime(["meta", "joined"]).whenMissing(.fail),
/// "level":    .custom("level") { Level(code: $0.stringValue) } encode: { .string($0.code) },
/// ```
///
/// A key that the item does not have leaves the property alone, null empties it, and
/// ``onMismatch(_:)`` decides about a value of the wrong kind. A rule is checked against the model
/// when its mapping is compiled.
///
/// The kinds:
///
/// - Text and numbers: `string(_:)`, `bool(_:)`, `int(_:)`, `number(_:)`, `double(_:)`,
///   `float(_:)`, `decimal(_:)`
/// - Dates: `isoDate(_:)`, `unixTime(_:_:)`
/// - Other values: `uuid(_:)`, `url(_:)`, `base64(_:)`, `structured(_:)`, `raw(_:)`,
///   `custom(_:version:decode:encode:)`, `constant(_:)`
/// - Relationships: `toOne(_:_:)`, `toMany(_:_:)`
/// - The options: `whenMissing(_:)`, `onMismatch(_:)`, `coercing(_:)`, `isPartial(_:)`
public struct Rule: Sendable {
  enum Content: Sendable {
    case attribute(RuleKind)
    case custom(RuleCoding)
    /// A value that no item gives.
    case constant(Value)
    case objects(NestedSource, isToMany: Bool)
  }

  /// Where the value stands in the item.
  package let path: JSONPath
  let content: Content
  private(set) var missing: SyncPolicy.Missing?
  private(set) var mismatch: SyncPolicy.Mismatch?
  private(set) var coercion: SyncPolicy.Coercion?
  var partial: PartialList?
  /// The unit of Unix time; nil is told by its size.
  var unit: UnixTimeUnit?

  init(_ path: JSONPath, _ content: Content) {
    self.path = path
    self.content = content
  }

  /// Whether the rule asks no item.
  var isConstant: Bool {
    if case .constant = content { true } else { false }
  }

  /// The rule with its own policy for a missing key, in place of the mapping's. The mapping's
  /// default keeps the property as it is.
  public func whenMissing(_ policy: SyncPolicy.Missing) -> Rule {
    var rule = self
    rule.missing = policy
    return rule
  }

  /// The rule with its own policy for a value that cannot be converted, in place of the mapping's.
  public func onMismatch(_ policy: SyncPolicy.Mismatch) -> Rule {
    var rule = self
    rule.mismatch = policy
    return rule
  }

  /// The rule with its own choice of the kinds of JSON values it takes, in place of the mapping's.
  public func coercing(_ mode: SyncPolicy.Coercion) -> Rule {
    var rule = self
    rule.coercion = mode
    return rule
  }
}

/// The closures of a custom rule, over stored values.
struct RuleCoding: Sendable {
  let decode: ValueConverter.Decoder
  let encode: (@Sendable (Value) throws -> JSONValue?)?
  /// The type of attribute that holds the values of the closure.
  let type: AttributeType
  /// Tells the values of the closure from those of another one; nil when the two cannot be told
  /// apart.
  let version: Int?
}

// MARK: - Kinds

extension Rule {
  /// Text.
  public static func string(_ path: JSONPath) -> Rule { Rule(path, .attribute(.string)) }

  /// A boolean; 0 and 1 are none for a strict rule.
  public static func bool(_ path: JSONPath) -> Rule { Rule(path, .attribute(.bool)) }

  /// A whole number of up to 64 bits; `2.0` is one, `2.5` is not. A boolean counts as 1 or 0.
  public static func int(_ path: JSONPath) -> Rule { Rule(path, .attribute(.int)) }

  /// A number, as exactly as the attribute can hold it. A boolean counts as 1 or 0.
  public static func number(_ path: JSONPath) -> Rule { Rule(path, .attribute(.number)) }

  /// A number as the nearest double. A boolean counts as 1 or 0.
  public static func double(_ path: JSONPath) -> Rule { Rule(path, .attribute(.double)) }

  /// A number as the nearest 32-bit float. A boolean counts as 1 or 0.
  public static func float(_ path: JSONPath) -> Rule { Rule(path, .attribute(.float)) }

  /// A number as a decimal, with all of its digits.
  public static func decimal(_ path: JSONPath) -> Rule { Rule(path, .attribute(.decimal)) }

  /// A date and time in ISO 8601 with a zone, as `2026-11-24T09:30:00Z`, or a day, as `2026-11-24`;
  /// a fraction of a second may be there. Empty text is no date. With `.coercing(.lossless)` also
  /// without leading zeros, with blanks around, and with `GMT` or `UTC` for the zone.
  public static func isoDate(_ path: JSONPath) -> Rule { Rule(path, .attribute(.isoDate)) }

  /// A date as a number since 1970.
  ///
  /// - Parameter unit: The unit of the count. Without it seconds, milliseconds and microseconds are
  ///   told apart by their size, so milliseconds of the first years after 1970 are taken for
  ///   seconds; with it every date comes back as it was exported.
  public static func unixTime(_ path: JSONPath, _ unit: UnixTimeUnit? = nil) -> Rule {
    var rule = Rule(path, .attribute(.unixTime))
    rule.unit = unit
    return rule
  }

  /// A UUID as text.
  public static func uuid(_ path: JSONPath) -> Rule { Rule(path, .attribute(.uuid)) }

  /// A URL as text.
  public static func url(_ path: JSONPath) -> Rule { Rule(path, .attribute(.url)) }

  /// Bytes as base64 text.
  public static func base64(_ path: JSONPath) -> Rule { Rule(path, .attribute(.base64)) }

  /// Any JSON value, kept as JSON in a binary attribute.
  public static func structured(_ path: JSONPath) -> Rule { Rule(path, .attribute(.structured)) }

  /// Any value that the type of the attribute takes.
  public static func raw(_ path: JSONPath) -> Rule { Rule(path, .attribute(.raw)) }

  /// The same value for every item, as the source of a list or the user it belongs to; it may be an
  /// identifier. An export leaves it out, as the way back needs nothing for it.
  ///
  /// ```swift
  /// var identifiers: [String] { ["source", "id"] }
  /// var mapping: Mapping { ["source": .constant("crm"), "id": .int("id")] }
  /// ```
  public static func constant(_ value: some ValueConvertible) -> Rule {
    Rule(JSONPath(), .constant(value.storedValue))
  }

  /// A value that a closure makes.
  ///
  /// - Parameters:
  ///   - path: Where the value stands in the item.
  ///   - decode: Makes the value of the attribute; nil empties it. Not called for null. An error
  ///     that it throws counts as a value that cannot be converted. Called on the thread of the
  ///     sync, for every item.
  ///   - version: A promise that the closure makes the same of the same JSON as long as the number
  ///     is the same, in every process, so that items that did not change need not be read again
  ///     (<doc:Performance>). Give another number when the closure changes.
  ///   - encode: The way back. Without it an export of the entity throws ``ExportError``, unless
  ///     the attribute is left out with the user info `sync.nonExportable`.
  public static func custom<Result: ValueConvertible>(
    _ path: JSONPath, version: Int? = nil,
    decode: @escaping @Sendable (JSONValue) throws -> Result?,
    encode: (@Sendable (Result) throws -> JSONValue)? = nil
  ) -> Rule {
    var back: (@Sendable (Value) throws -> JSONValue?)?
    if let encode {
      back = { try Result.converted(from: $0).map(encode) }
    }
    return Rule(
      path,
      .custom(
        RuleCoding(
          decode: { try decode($0)?.storedValue }, encode: back, type: Result.attributeType,
          version: version)))
  }
}
