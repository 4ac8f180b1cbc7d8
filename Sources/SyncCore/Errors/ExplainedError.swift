public import Foundation

/// An error that says what is wrong, and what to do about it. Foundation shows its parts in alerts
/// and as `localizedDescription`.
public protocol ExplainedError: LocalizedError, CustomStringConvertible {
  /// A few sentences, of which the first says what is wrong.
  var message: String { get }
}

extension ExplainedError {
  /// The message; some errors add where it happened.
  public var description: String { message }

  /// The whole description.
  public var errorDescription: String? { description }

  /// What is wrong, in one sentence.
  public var failureReason: String? { ErrorText(message).reason }

  /// What to do about it; nil when the message does not say.
  public var recoverySuggestion: String? { ErrorText(message).suggestion }

  /// Nil. Said here, so that who conforms need not see the one of Foundation.
  public var helpAnchor: String? { nil }
}
