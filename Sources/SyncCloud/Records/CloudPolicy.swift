public import SyncCore

/// Which of two values of a field stays when one was set here, was not sent yet, and the server
/// shows another one that was not known. Every machine should be told the same.
public enum CloudPolicy: Sendable {
  /// The later one, as for fields without a policy.
  case newest
  /// The one that the server shows.
  case server
  /// The larger, as filters compare; null is smaller than everything.
  case largest
  /// The smaller, as filters compare; null is smaller than everything.
  case smallest
  /// The value that a closure makes of both, as records carry them: the value here and the
  /// server's. It runs inside the transaction, so it must be quick and must not use the store. The
  /// result is a new edit unless it is the server's value.
  case custom(@Sendable (_ mine: JSONValue, _ theirs: JSONValue) -> JSONValue)

  /// The value that stays; nil leaves it to the stamps.
  func choose(_ mine: JSONValue, _ theirs: JSONValue, _ type: AttributeType?) -> JSONValue? {
    switch self {
    case .newest: return nil
    case .server: return theirs
    case .custom(let choose): return choose(mine, theirs)
    case .largest, .smallest:
      guard let type, let left = FieldCoding.decode(mine, as: type),
        let right = FieldCoding.decode(theirs, as: type)
      else { return nil }
      if left.isNull || right.isNull {
        let isMine = if case .largest = self { right.isNull } else { left.isNull }
        return isMine ? mine : theirs
      }
      let order = left.compared(to: right)
      if case .largest = self { return order > 0 ? mine : theirs }
      return order < 0 ? mine : theirs
    }
  }
}
