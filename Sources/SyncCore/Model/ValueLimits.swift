/// The limits of one attribute, ready to check many values: its regular expression is compiled
/// once.
///
/// The expression has to match the whole text, as that of `MATCHES` has.
package struct ValueLimits: Sendable {
  /// One limit that a value does not keep.
  package struct Violation {
    package enum Rule {
      case minimum
      case maximum
      case pattern
    }

    package let rule: Rule
    /// The problem, as the end of a sentence that begins with the attribute's name.
    package let text: String
  }

  private let rules: ValidationRules
  private let pattern: WholeTextPattern?

  /// Takes the rules of an attribute of a model, which has checked them.
  package init(_ rules: ValidationRules) {
    self.rules = rules
    pattern = rules.regularExpression.map { text in
      guard let pattern = try? WholeTextPattern(text) else {
        programmingError("A model let the malformed pattern “\(text)” pass.")
      }
      return pattern
    }
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
    if let pattern, let rule = rules.regularExpression, case .string(let text) = value,
      !pattern.matches(text)
    {
      violations.append(
        Violation(rule: .pattern, text: "is “\(text)”, which does not match “\(rule)”."))
    }
    return violations
  }
}
