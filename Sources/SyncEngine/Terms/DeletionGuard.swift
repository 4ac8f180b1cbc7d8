/// Whether a sync that would delete much is refused.
public enum DeletionGuard: String, Sendable, Hashable, Codable {
  /// Refused are: deleting more than 500 objects that are more than half of the scope, an empty
  /// payload while the scope holds more than 100, and a payload of which no item can be used.
  case on
  /// Everything is allowed.
  case off
}
