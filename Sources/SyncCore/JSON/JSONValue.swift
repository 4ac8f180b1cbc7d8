public import Foundation

/// A JSON value as a tree: delegates see it and export makes it.
///
/// ```swift
/// var item: JSONValue = ["id": 6, "name": "Shawn", "tags": ["a", "b"]]
/// item["name"] = "Merrill"
/// item["tags"]?[0]?.stringValue            // "a"
/// ```
///
/// Whole numbers are exact up to 64 bits, other numbers exact up to the 38 digits of a decimal;
/// only a number that a decimal cannot hold is a double. Numbers are equal when they are the same
/// number in JSON: `.integer(1)`, `.decimal(1)` and `.double(1)` are, and so are the decimal and
/// the double `0.1`. Booleans are never numbers. Text is compared byte by byte.
///
/// ## At a glance
/// - Reading: `init(parsing:options:)`, ``init(_:)``, ``init(encoding:)``, ``init(canonical:)``
/// - Looking inside: subscripts, ``value(at:)``, ``stringValue``, ``integerValue``, …
/// - Writing: ``data(isPretty:sortsKeys:)``, ``canonicalData``, ``description``
@frozen
public enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`, which are no numbers.
  case bool(Bool)
  /// A number without fraction and exponent that fits into 64 bits.
  case integer(Int64)
  /// Another number, with all of its digits.
  case decimal(Decimal)
  /// A number that a decimal cannot hold, as the nearest double.
  case double(Double)
  /// Text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Members by their keys, in their order.
  case object(JSONObject)
}

// MARK: - Looking inside

extension JSONValue {
  /// Whether this is `null`.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The boolean; nil for everything else, numbers too.
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The text; nil for everything else.
  public var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The number when it is whole and fits; nil for everything else.
  public var integerValue: Int64? {
    switch self {
    case .integer(let value): value
    case .decimal, .double: JSONNumber.withText(of: self) { NumberText($0)?.integer }
    default: nil
    }
  }

  /// The number as a double, rounded when it has to be; nil for everything else.
  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .decimal: JSONNumber.withText(of: self) { NumberText($0)?.double }
    case .double(let value): value
    default: nil
    }
  }

  /// The number as a decimal, a double by its shortest text; nil for everything else and beyond the
  /// range of a decimal.
  public var decimalValue: Decimal? {
    switch self {
    case .integer(let value): Decimal(value)
    case .decimal(let value): value
    case .double: JSONNumber.withText(of: self) { NumberText($0)?.decimal }
    default: nil
    }
  }

  /// The date that a sync reads here; nil for everything else.
  ///
  /// Text in ISO 8601, with or without time, fraction and zone (UTC without one), or Unix time as a
  /// number or as text: its magnitude tells seconds, milliseconds and microseconds apart. Cut to
  /// milliseconds.
  public var dateValue: Date? {
    let seconds: Double? =
      switch self {
      case .string(let text): DateText.parse(text)
      case .integer(let number): DateText.unix(number)
      case .decimal, .double: JSONNumber.withText(of: self) { DateText.unix($0) }
      default: nil
      }
    return seconds.map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  /// The elements; nil for everything else.
  public var arrayValue: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members; nil for everything else.
  public var objectValue: JSONObject? {
    if case .object(let value) = self { value } else { nil }
  }

  /// The value of a member; nil when this is no object or has no such member.
  ///
  /// Setting into `null` makes an object; setting nil removes the member. Setting into anything
  /// else does nothing.
  public subscript(key: String) -> JSONValue? {
    get {
      objectValue?[key]
    }
    set {
      switch self {
      case .object(var object):
        self = .null
        object[key] = newValue
        self = .object(object)
      case .null:
        if let newValue { self = .object([key: newValue]) }
      default:
        break
      }
    }
  }

  /// An element; nil when this is no array or is shorter. Setting beyond the end, or nil, does
  /// nothing.
  public subscript(position: Int) -> JSONValue? {
    get {
      guard case .array(let array) = self, array.indices.contains(position) else { return nil }
      return array[position]
    }
    set {
      guard case .array(var array) = self, array.indices.contains(position), let newValue else {
        return
      }
      self = .null
      array[position] = newValue
      self = .array(array)
    }
  }

  /// The value a path leads to; nil when it leads nowhere.
  public func value(at path: JSONPath) -> JSONValue? {
    path.steps.reduce(self) { value, step in
      switch value {
      case .object(let object) where step != .each: object[step.key]
      case .array: step.position.flatMap { value?[$0] }
      default: nil
      }
    }
  }

  /// The kind in words, for messages: “an object”, “a number”.
  package var kindText: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer, .decimal, .double: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

// MARK: - Equality

extension JSONValue: Hashable {
  /// Whether both have the same canonical text.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.string(let left), .string(let right)): ByteKey(text: left) == ByteKey(text: right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    case (.integer, .decimal), (.integer, .double), (.decimal, .integer), (.decimal, .decimal),
      (.decimal, .double), (.double, .integer), (.double, .decimal), (.double, .double):
      JSONNumber.canonicalText(of: left) == JSONNumber.canonicalText(of: right)
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null:
      hasher.combine(0)
    case .bool(let value):
      hasher.combine(value)
    case .integer(let value):
      hasher.combine(value)
    case .decimal, .double:
      // A whole number hashes like the integer it is equal to.
      if let integer = integerValue {
        hasher.combine(integer)
      } else {
        hasher.combine(JSONNumber.canonicalText(of: self))
      }
    case .string(let value):
      hasher.combine(ByteKey(text: value))
    case .array(let value):
      hasher.combine(value)
    case .object(let value):
      hasher.combine(value)
    }
  }
}

// MARK: - Literals

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringInterpolation,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral pairs: (String, JSONValue)...) {
    var object = JSONObject()
    for (key, value) in pairs { object[key] = value }
    self = .object(object)
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value as JSON text in one line.
  public var description: String {
    String(decoding: JSONWriter.bytes(of: self, options: JSONWritingOptions()), as: UTF8.self)
  }
}
