/// How strictly JSON is read.
///
/// The text is always strict RFC 8259 in UTF-8, with the one leniency below. A byte order mark is
/// skipped. Half a surrogate pair in an escape (`"\ud83d"`) becomes U+FFFD, as a decoder of damaged
/// UTF-16 does it: the grammar allows it, and one cut-off emoji must not cost a payload.
public struct JSONReadingOptions: Sendable, Hashable {
  /// What kind of text a payload is.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// One document; or, when a second value follows on a line of its own and the first is no
    /// array, lines.
    case automatic
    /// Exactly one document.
    case document
    /// Newline-delimited: any number of values, also none, each on lines of its own.
    case lines
  }

  /// Whether a comma may stand before a closing bracket. Default: yes.
  public var allowsTrailingCommas = true

  /// How deep arrays and objects may nest. Default: 512; at most 1,000 is used.
  public var maximumDepth = 512

  /// What kind of text a payload is. Default: found out.
  public var format = Format.automatic

  /// Makes options; what is left out has its default.
  public init(
    allowsTrailingCommas: Bool = true, maximumDepth: Int = 512, format: Format = .automatic
  ) {
    self.allowsTrailingCommas = allowsTrailingCommas
    self.maximumDepth = maximumDepth
    self.format = format
  }

  /// The depth in use. Trees are walked by recursion, so it is bounded by the stack of the smallest
  /// thread, 512 kB.
  var depthLimit: Int { Swift.min(Swift.max(maximumDepth, 0), 1000) }
}
