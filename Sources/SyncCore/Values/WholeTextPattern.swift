import Foundation

/// A regular expression, in the dialect of `NSRegularExpression`, that has to match a whole text:
/// that of a model's attribute, or of `MATCHES`.
package struct WholeTextPattern: Sendable {
  private let expression: NSRegularExpression

  /// - Throws: The compiler's error when the pattern is malformed.
  package init(_ pattern: String, isCaseInsensitive: Bool = false) throws {
    let options: NSRegularExpression.Options = isCaseInsensitive ? .caseInsensitive : []
    // By itself first: `a)|(b` is malformed, and well-formed between parentheses. The empty pattern
    // is the other way round.
    if !pattern.isEmpty { _ = try NSRegularExpression(pattern: pattern, options: options) }
    do {
      expression = try NSRegularExpression(pattern: "\\A(?:\(pattern))\\z", options: options)
    } catch {
      // With free spacing, `(?x)`, a comment at the end goes as far as its line.
      expression = try NSRegularExpression(pattern: "\\A(?:\(pattern)\n)\\z", options: options)
    }
  }

  package func matches(_ text: String) -> Bool {
    let range = NSRange(location: 0, length: text.utf16.count)
    return expression.firstMatch(in: text, options: .anchored, range: range) != nil
  }
}
