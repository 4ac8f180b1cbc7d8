public import SyncCore

/// Rules as JSON, for programs whose mapping is a file: the kind and the path, then the options.
///
/// ```json
/// { "unixTime": ["meta", "joined"], "unit": "seconds", "whenMissing": "fail", "onMismatch": "keep", "coercing": "strict" }
/// ```
extension Rule {
  /// Reads a rule. The path is a list of keys and positions, or a text with dots between the keys.
  ///
  /// - Throws: ``RuleError`` when the JSON is no rule.
  public init(json: JSONValue) throws {
    guard let members = json.objectValue else {
      throw RuleError("A rule is an object such as {\"string\": [\"user\", \"name\"]}.")
    }
    var rule: Rule?
    for member in members {
      let kind = RuleKind(rawValue: member.key)
      guard kind != nil || member.key == Rule.constantKey else { continue }
      guard rule == nil else { throw RuleError("A rule has one kind, and this one has several.") }
      rule =
        try kind.map { Rule(try JSONPath(rule: member.value), .attribute($0)) }
        ?? Rule(JSONPath(), .constant(Value(json: member.value)))
    }
    guard var rule else {
      let kinds = RuleKind.allCases.map(\.rawValue) + [Rule.constantKey]
      throw RuleError("A rule names its kind: \(kinds.joined(separator: ", ")).")
    }
    for member in members
    where RuleKind(rawValue: member.key) == nil && member.key != Rule.constantKey {
      switch member.key {
      case "whenMissing": rule = rule.whenMissing(try RuleError.choice(member))
      case "onMismatch": rule = rule.onMismatch(try RuleError.choice(member))
      case "coercing": rule = rule.coercing(try RuleError.choice(member))
      case "unit" where rule.content.isUnixTime: rule.unit = try RuleError.choice(member)
      default:
        throw RuleError(
          "“\(member.key)” means nothing in a rule; there are whenMissing, onMismatch and coercing, and unit of unixTime."
        )
      }
    }
    self = rule
  }

  private static let constantKey = "constant"
}

extension Rule.Content {
  fileprivate var isUnixTime: Bool {
    if case .attribute(.unixTime) = self { true } else { false }
  }
}

/// Why JSON is no rule.
public struct RuleError: Error, Sendable, Hashable {
  /// A sentence that tells the error.
  public let message: String

  init(_ message: String) {
    self.message = message
  }

  fileprivate static func choice<Choice: RawRepresentable & CaseIterable>(
    _ member: JSONObject.Element
  ) throws -> Choice where Choice.RawValue == String {
    if let choice = member.value.stringValue.flatMap(Choice.init(rawValue:)) { return choice }
    let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    throw RuleError("“\(member.key)” is one of \(choices), not \(member.value).")
  }
}

extension RuleError: ExplainedError {}

extension JSONPath {
  /// The path that a rule in JSON gives.
  fileprivate init(rule json: JSONValue) throws {
    switch json {
    case .string(let dotted):
      self.init(dotted)
    case .array(let steps):
      self.init(
        try steps.map { step in
          if let key = step.stringValue { return .key(key) }
          if let position = step.integerValue.flatMap(Int.init(exactly:)), position >= 0 {
            return .position(position)
          }
          throw RuleError("A step of a path is a key or a position from 0, not \(step).")
        })
    default:
      throw RuleError("A path is a list of keys and positions, or a text with dots, not \(json).")
    }
  }
}
