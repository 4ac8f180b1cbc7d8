/// The limits of one attribute, ready to check many values: its regular expression is compiled once.
///
/// Not `Sendable`, because a compiled expression is not.
package struct ValueLimits {
  /// One limit that a value does not keep.
  package struct Violation {
    package enum Rule {
      case minimum
      case maximum
      case pattern
    }

    package let rule: Rule
    /// What is wrong, as the end of a sentence that begins with the attribute's name.
    package let text: String
  }

  private let rules: ValidationRules
  private let expression: Regex<AnyRegexOutput>?

  /// - Throws: The compiler's error when the regular expression is malformed.
  package init(_ rules: ValidationRules) throws {
    self.rules = rules
    expression = try rules.regularExpression.map { try Regex($0) }
  }

  /// The limits that a value does not keep. Null keeps all of them.
  package func violations(of value: Value) -> [Violation] {
    guard !value.isNull else { return [] }
    var violations: [Violation] = []
    // Limits of a text are about its length.
    var measure = value
    var unit = ""
    if case .string(let text) = value {
      measure = .int(Int64(text.count))
      unit = " characters"
    }
    if !rules.minimum.isNull, measure < rules.minimum {
      violations.append(
        Violation(
          rule: .minimum, text: "is \(measure)\(unit), less than the minimum \(rules.minimum)."))
    }
    if !rules.maximum.isNull, measure > rules.maximum {
      violations.append(
        Violation(
          rule: .maximum, text: "is \(measure)\(unit), more than the maximum \(rules.maximum)."))
    }
    if let expression, let pattern = rules.regularExpression, case .string(let text) = value,
      !matches(text, expression)
    {
      violations.append(
        Violation(rule: .pattern, text: "is “\(text)”, which does not match “\(pattern)”."))
    }
    return violations
  }

  /// An expression that gives up on a text does not match it.
  private func matches(_ text: String, _ expression: Regex<AnyRegexOutput>) -> Bool {
    (try? expression.wholeMatch(in: text)) != nil
  }
}
