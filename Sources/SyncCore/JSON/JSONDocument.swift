/// A text in which one value after the other is read: the encoding at its beginning, its end.
struct JSONDocument {
  let bytes: UnsafeRawBufferPointer
  var scanner: JSONScanner

  /// Looks at the first bytes: steps over a byte order mark, refuses other encodings.
  ///
  /// - Throws: ``JSONError`` for UTF-16, UTF-32 and compressed bytes.
  init(_ bytes: UnsafeRawBufferPointer, options: JSONReadingOptions) throws(JSONError) {
    self.bytes = bytes
    scanner = JSONScanner(bytes, options: options)
    if let format = CompressedFormat(bytes) {
      throw error(
        .compressed, at: 0,
        "This is not JSON yet: it is compressed with \(format.rawValue). Unpack it first, as "
          + "'\(format.reader) FILE' does.")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      scanner.position = 3
    } else if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
      || bytes.prefix(4).contains(0)
    {
      throw error(
        .invalidEncoding, at: 0,
        "The text is UTF-16 or UTF-32. Encode it as UTF-8, which is what JSON is exchanged in.")
    }
  }

  /// Steps over white space.
  ///
  /// - Returns: Whether there was a line break, and whether something follows.
  mutating func skipSpace() -> (brokeLine: Bool, isAtEnd: Bool) {
    var brokeLine = false
    while scanner.position < bytes.count {
      switch bytes[scanner.position] {
      case 0x0A, 0x0D: brokeLine = true
      case 0x20, 0x09: break
      default: return (brokeLine, false)
      }
      scanner.position += 1
    }
    return (brokeLine, true)
  }

  /// Checks that nothing but white space is left.
  ///
  /// - Throws: ``JSONError`` when something follows.
  mutating func expectEnd() throws(JSONError) {
    guard !skipSpace().isAtEnd else { return }
    let found = JSONScanner.byteInWords(bytes, scanner.position)
    throw error(
      .trailingContent, at: scanner.position,
      "Found \(found) after the end of the document. Remove it; read several values, each on lines "
        + "of its own, with the format `.lines`.")
  }

  func error(
    _ code: JSONError.Code, at offset: Int, path: String = "$", _ message: String
  ) -> JSONError {
    JSONError(code, in: bytes, at: offset, path: path, message: message)
  }
}

/// How strictly JSON is read.
///
/// The text is always strict RFC 8259 in UTF-8, with the one leniency below. A byte order mark is
/// skipped. Half a surrogate pair in an escape (`"\ud83d"`) becomes U+FFFD, as a decoder of damaged
/// UTF-16 does it: the grammar allows it, and one cut-off emoji must not cost a payload.
public struct JSONReadingOptions: Sendable, Hashable {
  /// The kind of text of a payload.
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

  /// The kind of text of a payload. Default: found out.
  public var format = Format.automatic

  /// Makes options; those left out have their defaults.
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
