public import Foundation

/// The parts of an error's description: the error and its remedy.
///
/// Descriptions are a few sentences, of which the first tells the error. `LocalizedError` asks for
/// the parts one by one, and Foundation shows them in alerts and as `localizedDescription`.
package struct ErrorText: Sendable, Hashable {
  /// The first sentence.
  package let reason: String

  /// Everything behind the first sentence; nil when there is nothing.
  package let suggestion: String?

  /// Takes a description apart.
  ///
  /// A sentence ends with a full stop, a colon of a list does not end it, and text between quotes
  /// or parentheses is never looked into: it may be a user's data.
  ///
  /// - Complexity: O(*n*) in the length of the description.
  package init(_ description: String) {
    let end = ErrorText.endOfFirstSentence(description)
    reason = String(description[..<end])
    let rest = description[end...].drop { $0 == " " || $0 == "\n" }
    suggestion = rest.isEmpty ? nil : String(rest)
  }

  private static func endOfFirstSentence(_ text: String) -> String.Index {
    var depth = 0
    var index = text.startIndex
    while index < text.endIndex {
      let next = text.index(after: index)
      switch text[index] {
      case "“", "(": depth += 1
      case "”", ")": depth = max(0, depth - 1)
      case "." where depth == 0:
        if next == text.endIndex { return next }
        let after = text.index(after: next)
        if text[next] == " ", after < text.endIndex, text[after].isUppercase || text[after] == "“" {
          return next
        }
      default: break
      }
      index = next
    }
    return text.endIndex
  }
}

/// An error that tells its reason and its remedy. Foundation shows its parts in alerts and as
/// `localizedDescription`.
public protocol ExplainedError: LocalizedError, CustomStringConvertible {
  /// A few sentences, of which the first tells the error.
  var message: String { get }
}

extension ExplainedError {
  /// The message; some errors add where it happened.
  public var description: String { message }

  /// The whole description.
  public var errorDescription: String? { description }

  /// The error, in one sentence.
  public var failureReason: String? { ErrorText(message).reason }

  /// The remedy; nil when the message has none.
  public var recoverySuggestion: String? { ErrorText(message).suggestion }

  /// Nil. Declared here, so that conforming types need not see the one of Foundation.
  public var helpAnchor: String? { nil }
}
