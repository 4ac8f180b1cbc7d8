/// An error in a JSON text or value, and its place.
public struct JSONError: Error, Sendable, Hashable {
  /// The kinds of errors.
  public enum Code: String, Sendable, Hashable, Codable {
    /// There is nothing but white space. Look at the answer of the server.
    case emptyDocument
    /// The text stops inside a value. The answer was cut off: fetch it anew.
    case unexpectedEnd
    /// Something else had to stand here. The message has line and column; an HTML page begins with
    /// `<`.
    case unexpectedCharacter
    /// A number breaks the grammar. JSON has no `NaN`, no `+` and no zeros in front.
    case invalidNumber
    /// A control character stands in a string. The sender has to escape it.
    case controlCharacter
    /// A string holds an escape that does not exist. The sender has to mend it.
    case invalidEscape
    /// The bytes are not UTF-8. Convert them first.
    case invalidEncoding
    /// The bytes are those of a compressed file. Unpack it first.
    case compressed
    /// Arrays and objects nest deeper than allowed. Allow more in ``JSONReadingOptions``, where the
    /// payload can be trusted.
    case tooDeep
    /// A string has more than 4 GB, or one item too many values. Split it.
    case tooLarge
    /// Something follows the document. Objects of a line each are read as lines.
    case trailingContent
    /// A path leads nowhere. The message names the keys that are there.
    case pathNotFound
    /// There is no array and no object where the list is expected. Give the path of the list.
    case notAList
    /// A member that a path goes through is there twice. The sender has to leave one.
    case duplicateMember
    /// A Swift value has no JSON form. Turn it into a text, a number, a list or an object.
    case unsupportedValue
  }

  /// The kind of error.
  public let code: Code
  /// Line, from 1; nil when there is no text.
  public let line: Int?
  /// Character in the line, from 1; nil when there is no text.
  public let column: Int?
  /// Byte in the text, from 0; nil when there is no text.
  public let offset: Int?
  /// Where in the document, as in `$.data[3].name`.
  public let path: String
  /// A sentence that tells the error and its remedy.
  public let message: String

  /// Describes an error in a Swift value, in a document as a whole, or at a place in a text.
  package init(
    _ code: Code, line: Int? = nil, column: Int? = nil, offset: Int? = nil, path: String = "$",
    message: String
  ) {
    self.code = code
    self.line = line
    self.column = column
    self.offset = offset
    self.path = path
    self.message = message
  }

  /// Describes an error at a byte of a text. Where the first line is wrong already, and is that of
  /// another format, the message is about the format.
  ///
  /// - Complexity: O(`offset`), to count the lines.
  init(
    _ code: Code, in bytes: UnsafeRawBufferPointer, at offset: Int, path: String, message: String
  ) {
    let position = JSONError.lineAndColumn(of: offset, in: bytes)
    self.init(
      code, line: position.line, column: position.column, offset: offset, path: path,
      message: ForeignFormat(bytes, failedAt: offset)?.message ?? message)
  }

  /// The error as seen from outside of the value in which it was found.
  func inside(_ outer: String) -> JSONError {
    JSONError(
      code, line: line, column: column, offset: offset, path: outer + path.dropFirst(),
      message: message)
  }

  private static func lineAndColumn(
    of offset: Int, in bytes: UnsafeRawBufferPointer
  ) -> (line: Int, column: Int) {
    var line = 1
    var column = 1
    for byte in bytes.prefix(offset) {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return (line, column)
  }
}

extension JSONError: ExplainedError {
  /// Position, path and message, ready to be shown.
  public var description: String {
    guard let line, let column, let offset else { return "At \(path): \(message)" }
    return "Line \(line), column \(column) (byte \(offset)), at \(path): \(message)"
  }
}
