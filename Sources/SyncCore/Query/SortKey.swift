/// One key of an order: a key path, a direction, and how texts compare.
///
/// ```swift
/// SortKey("name", options: [.caseInsensitive, .diacriticInsensitive])
/// let keys: [SortKey] = ["-age", "company.name"]
/// ```
///
/// Absent values come first when ascending, last when descending. The path may cross to-one
/// relationships. A mistake in it is thrown as a ``FilterError`` when the key is used.
public struct SortKey: Sendable, Hashable {
  /// The key path, without the `-` of the short form.
  public let keyPath: String
  public let ascending: Bool
  public let options: TextOptions

  /// Makes a key from a key path; a leading `-` reverses the direction.
  public init(_ keyPath: String, ascending: Bool = true, options: TextOptions = []) {
    let isReversed = keyPath.hasPrefix("-")
    self.keyPath = isReversed ? String(keyPath.dropFirst()) : keyPath
    self.ascending = ascending != isReversed
    self.options = options
  }

  /// The same key in the other direction.
  public var reversed: SortKey {
    SortKey(keyPath: keyPath, ascending: !ascending, options: options)
  }

  private init(keyPath: String, ascending: Bool, options: TextOptions) {
    self.keyPath = keyPath
    self.ascending = ascending
    self.options = options
  }
}

extension SortKey: ExpressibleByStringLiteral, CustomStringConvertible {
  public init(stringLiteral value: String) {
    self.init(value)
  }

  public var description: String { (ascending ? "" : "-") + keyPath + options.description }
}
