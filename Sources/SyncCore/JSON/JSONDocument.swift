/// A text in which one value after the other is read: the encoding at its beginning, its end.
struct JSONDocument {
  let bytes: UnsafeRawBufferPointer
  var scanner: JSONScanner

  /// Looks at the first bytes: steps over a byte order mark, refuses other encodings.
  ///
  /// - Throws: ``JSONError`` for UTF-16, UTF-32, compressed bytes, HTML and CSV.
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
    if let format = ForeignFormat(bytes) {
      throw error(.unexpectedCharacter, at: 0, format.message)
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
