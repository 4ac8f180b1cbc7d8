/// How texts are compared, besides byte by byte.
public struct TextOptions: OptionSet, Sendable, Hashable {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Upper and lower case are the same: `[c]`.
  public static let caseInsensitive = TextOptions(rawValue: 1)

  /// Letters with and without accents are the same: `[d]`.
  public static let diacriticInsensitive = TextOptions(rawValue: 2)
}

extension TextOptions: CustomStringConvertible {
  /// The options as a filter's text says them: `[cd]`, or nothing.
  public var description: String {
    let letters =
      (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}
