import Foundation

/// Regular expressions of `MATCHES`: the pattern has to match the whole text.
package enum TextPattern {
  private struct Key: Hashable {
    let pattern: String
    let isCaseInsensitive: Bool
  }

  /// Compiled patterns; emptied when it gets large, so that patterns taken from data do not pile
  /// up.
  private static let cache = Locked<[Key: NSRegularExpression]>([:])
  private static let capacity = 64

  /// Whether the whole text matches the pattern.
  ///
  /// - Throws: ``FilterError`` when the pattern is not a regular expression.
  package static func matches(
    _ text: String, _ pattern: String, isCaseInsensitive: Bool
  ) throws(FilterError) -> Bool {
    let expression = try compile(pattern, isCaseInsensitive: isCaseInsensitive)
    let range = NSRange(location: 0, length: text.utf16.count)
    return expression.firstMatch(in: text, options: .anchored, range: range) != nil
  }

  /// - Throws: ``FilterError`` when the pattern is not a regular expression.
  package static func check(_ pattern: String) throws(FilterError) {
    _ = try compile(pattern, isCaseInsensitive: false)
  }

  /// The compiled pattern.
  @discardableResult
  static func compile(
    _ pattern: String, isCaseInsensitive: Bool
  ) throws(FilterError) -> NSRegularExpression {
    let key = Key(pattern: pattern, isCaseInsensitive: isCaseInsensitive)
    if let known = cache.withLock({ $0[key] }) { return known }
    do {
      let whole = try NSRegularExpression(
        pattern: "\\A(?:\(pattern))\\z", options: isCaseInsensitive ? .caseInsensitive : [])
      cache.withLock {
        if $0.count >= capacity { $0.removeAll() }
        $0[key] = whole
      }
      return whole
    } catch {
      throw FilterError(
        .invalidPattern, expected: "a regular expression", key: pattern,
        message: "“\(pattern)” behind MATCHES is not a regular expression.")
    }
  }
}
