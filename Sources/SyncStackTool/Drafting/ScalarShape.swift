import Foundation
import SyncStack

/// The shape of the plain values at one place of a payload: of which kinds they are, and which
/// types of attributes take all of them.
struct ScalarShape {
  private(set) var nulls = 0
  private(set) var booleans = 0
  private(set) var integers = 0
  private(set) var fractions = 0
  private(set) var texts = 0
  /// Texts without letters. They empty dates, addresses and numbers, as null does.
  private(set) var empties = 0

  /// Types that took every value so far, as a sync would.
  private var fitting: Set<AttributeType> = Set(ScalarShape.candidates)

  /// Whether every whole number could be a moment of the years 1990 to 2100, in seconds or
  /// milliseconds since 1970.
  private var areMoments = true

  /// Whether no text has a time of the day.
  private var areDays = true

  /// The different values, up to a limit.
  private(set) var distinct: Set<JSONValue> = []
  private(set) var isCounted = true

  /// From the most special to the most general.
  private static let candidates: [AttributeType] = [
    .uuid, .date, .uri, .boolean, .integer64, .double, .decimal, .string,
  ]

  private static let distinctLimit = 100_000

  /// Values that are not null.
  var count: Int { booleans + integers + fractions + texts }

  /// Whether there are values, and all of them could be keys: texts or whole numbers.
  var mayBeKey: Bool { count > 0 && booleans == 0 && fractions == 0 && nulls == 0 }

  /// Whether no value came twice.
  var isUnique: Bool { isCounted && distinct.count == count }

  /// The one text that stands there in every object; nil when there are others.
  var constantText: String? {
    texts == count && distinct.count == 1 && nulls == 0 ? distinct.first?.stringValue : nil
  }

  mutating func add(_ value: JSONValue) {
    switch value {
    case .null:
      nulls += 1
      return
    case .bool: booleans += 1
    case .string(let text):
      texts += 1
      if text.isEmpty { empties += 1 }
      if text.utf8.count > 10 { areDays = false }
    case .integer(let number):
      integers += 1
      if !ScalarShape.isMoment(number) { areMoments = false }
      // Beyond 53 bits neighbours are one double.
      if number.magnitude > 1 << 53 { fitting.remove(.double) }
    default:
      // Whole numbers beyond 64 bits are no fractions, and need a decimal.
      if value.integerValue == nil, let decimal = value.decimalValue, decimal.isWhole {
        integers += 1
        fitting.subtract([.double])
      } else {
        fractions += 1
      }
      areMoments = false
    }
    if value != "" { fitting = fitting.filter { ScalarShape.fits(value, $0) } }
    if distinct.count < ScalarShape.distinctLimit {
      distinct.insert(value)
    } else if !distinct.contains(value) {
      isCounted = false
    }
  }

  mutating func merge(_ other: ScalarShape) {
    nulls += other.nulls
    booleans += other.booleans
    integers += other.integers
    fractions += other.fractions
    texts += other.texts
    empties += other.empties
    fitting.formIntersection(other.fitting)
    areMoments = areMoments && other.areMoments
    areDays = areDays && other.areDays
    distinct.formUnion(other.distinct)
    isCounted = isCounted && other.isCounted
  }

  /// The type of an attribute for the values, and a doubt about it.
  ///
  /// - Parameter key: The last key that leads to them; its name tells moments from numbers.
  func type(forKey key: String) -> (type: AttributeType, note: String?) {
    let kinds = [
      (booleans, "booleans"), (integers, "whole numbers"), (fractions, "fractions"),
      (texts, "texts"),
    ].filter { $0.0 > 0 }
    if kinds.isEmpty { return (.string, "null everywhere, so the type is a guess") }
    // {"$numberLong": "12"}: numbers in texts, as databases write them.
    if key.hasPrefix("$number"),
      let number = [AttributeType.integer64, .double, .decimal].first(where: fitting.contains)
    {
      return (number, nil)
    }
    if texts == count { return textType(forKey: key) }
    if booleans == count {
      // {"edited": false}, or the time of the edit.
      let isMoment = distinct == [false] && ScalarShape.mayBeMoment(key)
      return isMoment
        ? (.binary, "false everywhere, where a time may come: kept as JSON") : (.boolean, nil)
    }
    if integers == count, areMoments, ScalarShape.soundsLikeMoment(key) {
      return (.date, "numbers that look like seconds or milliseconds since 1970")
    }
    let isWhole = fractions == 0 && NumberNames.isWhole(key)
    let numeric: [AttributeType] =
      (isWhole ? [.integer64] : [.double, .integer64]) + [.double, .decimal]
    let number = numeric.first { fitting.contains($0) && ($0 != .integer64 || fractions == 0) }
    if texts + booleans == 0 {
      let isGuess = fractions == 0 && number == .double
      return (
        number ?? .double,
        isGuess ? "whole numbers so far, which neither count nor name: a fraction may come" : nil
      )
    }
    let list = kinds.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return (number ?? .string, "of several kinds: \(list)")
  }

  /// The type of an attribute that holds keys: none that would take two of them for one.
  var keyType: AttributeType {
    if texts == count { return empties == 0 && fitting.contains(.uuid) ? .uuid : .string }
    if texts > 0 { return .string }
    return [AttributeType.integer64, .decimal].first(where: fitting.contains) ?? .string
  }

  private func textType(forKey key: String) -> (type: AttributeType, note: String?) {
    guard empties < texts else { return (.string, nil) }
    let type = [AttributeType.uuid, .date, .uri].first(where: fitting.contains) ?? .string
    // Of people and works often the year alone is known: “1980”, “1980-01”.
    if type == .date, areDays, ScalarShape.mayBeVague(key) {
      return (.string, "days, of which others may come as a year or a month: kept as text")
    }
    return (type, nil)
  }

  // MARK: - Single values

  private static func fits(_ value: JSONValue, _ type: AttributeType) -> Bool {
    if let text = value.stringValue {
      // Numbers in texts are times as well, and texts of any kind become addresses.
      if type == .date, text.count < 10 || text.dropFirst(4).first != "-",
        !text.hasPrefix("/Date(")
      {
        return false
      }
      if type == .uri, !isAddress(text) { return false }
    }
    let converted = ValueConverter(type).cell(for: Value(json: value), arena: CellArena())
    if case .cell = converted { return true } else { return false }
  }

  private static func isAddress(_ text: String) -> Bool {
    (text.hasPrefix("https://") || text.hasPrefix("http://"))
      && !text.contains(where: { "{} \"<>|\\^`".contains($0) })
      && URL(string: text)?.absoluteString == text
  }

  private static func isMoment(_ number: Int64) -> Bool {
    let seconds: ClosedRange<Int64> = 631_152_000...4_102_444_800
    return seconds.contains(number) || seconds.contains(number / 1_000)
  }

  private static func soundsLikeMoment(_ key: String) -> Bool {
    let words = Inflection.naturalSnake(key).split(separator: "_")
    let names: Set<Substring> = [
      "at", "on", "date", "time", "timestamp", "created", "updated", "modified", "deleted",
      "expires", "expired", "start", "end", "started", "ended", "since", "until",
    ]
    return words.last.map(names.contains) ?? false
  }

  private static func mayBeMoment(_ key: String) -> Bool {
    soundsLikeMoment(key) && !key.lowercased().hasSuffix("deleted") || key == "edited"
  }

  private static func mayBeVague(_ key: String) -> Bool {
    let words = Set(Inflection.naturalSnake(key).split(separator: "_"))
    return !words.isDisjoint(with: [
      "birth", "born", "birthday", "birthdate", "death", "died", "dob", "release", "released",
      "published", "publication", "founded", "begin", "end",
    ])
  }
}

extension Decimal {
  fileprivate var isWhole: Bool {
    var (result, value) = (Decimal(), self)
    NSDecimalRound(&result, &value, 0, .down)
    return result == self
  }
}
