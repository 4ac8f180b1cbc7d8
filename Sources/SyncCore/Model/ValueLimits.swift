import Foundation

/// The limits of one attribute, ready to check many values: its regular expression is compiled
/// once.
///
/// The expression has to match the whole text. It is of the dialect of `NSRegularExpression`, as
/// that of `MATCHES` is, and as the model was checked.
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
  private let expression: NSRegularExpression?

  /// Takes the rules of an attribute of a model, which has checked them.
  package init(_ rules: ValidationRules) {
    self.rules = rules
    expression = rules.regularExpression.map { pattern in
      guard let expression = try? ValueLimits.compiled(pattern) else {
        programmingError("A model let the malformed pattern “\(pattern)” pass.")
      }
      return expression
    }
  }

  /// A pattern that has to match a whole text.
  ///
  /// - Throws: The compiler's error when it is malformed.
  static func compiled(_ pattern: String) throws -> NSRegularExpression {
    try NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")
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

  private func matches(_ text: String, _ expression: NSRegularExpression) -> Bool {
    let range = NSRange(location: 0, length: text.utf16.count)
    return expression.firstMatch(in: text, options: .anchored, range: range) != nil
  }
}
