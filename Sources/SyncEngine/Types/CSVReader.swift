import SyncCore

/// Reads the fields of a table of comma-separated values (RFC 4180), one after the other.
///
/// ```
/// id,name,note          fields are parted by commas, or by semicolons or tabs where the first
/// 7,"Doe, Ann",         line has more of these; one in quotes may hold all of them, line ends,
/// 8,"the ""old"" one",  and quotes that are doubled
/// ```
struct CSVReader {
  private let bytes: UnsafeRawBufferPointer
  private let separator: UInt8
  private var position = 0
  /// The line that is read at the moment.
  private var nextLine = 1

  /// The line in which the field begins, from 1.
  private(set) var line = 1
  /// The field without its quotes.
  private(set) var content: [UInt8] = []
  private(set) var isQuoted = false
  /// Whether the field is the last one of its row.
  private(set) var endsRow = false

  private static let quote = UInt8(ascii: "\"")
  private static let newline = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    // The mark of an encoding that has no other order of its bytes.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    separator = CSVReader.separator(of: bytes[position...])
  }

  /// The sign that parts the fields of the first line: the most frequent one outside of quotes.
  private static func separator(of bytes: Slice<UnsafeRawBufferPointer>) -> UInt8 {
    var counts: [UInt8: Int] = [:]
    var isInside = false
    for byte in bytes {
      if byte == quote { isInside.toggle() }
      if isInside { continue }
      if byte == newline || byte == carriageReturn, !counts.isEmpty { break }
      counts[byte, default: 0] += 1
    }
    let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
    return candidates.max { counts[$0, default: 0] < counts[$1, default: 0] } ?? candidates[0]
  }

  /// The most likely encoding of a table that is no UTF-8: of two that spreadsheets write, the one
  /// begins with a mark.
  private var encoding: String {
    bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
      ? "UTF-16" : "WINDOWS-1252"
  }

  /// Goes to the next row that is no blank line.
  ///
  /// - Returns: Whether there is one.
  mutating func nextRow() -> Bool {
    while position < bytes.count, isLineEnd(position) { skipLineEnd() }
    return position < bytes.count
  }

  /// Reads the next field of the row.
  ///
  /// - Parameter column: How it is called in an error.
  mutating func nextField(_ column: @autoclosure () -> String) throws(CSVFault) {
    content.removeAll(keepingCapacity: true)
    line = nextLine
    isQuoted = position < bytes.count && bytes[position] == CSVReader.quote
    if isQuoted {
      if let fault = readQuoted() { throw CSVFault(line, column(), fault) }
    } else if let fault = readPlain() {
      throw CSVFault(line, column(), fault)
    }
    if content.contains(where: { $0 > 0x7F }), String(validating: content, as: UTF8.self) == nil {
      throw CSVFault(
        line, column(),
        "it is no UTF-8. Save the table in that, or run: iconv -f \(encoding) -t UTF-8")
    }
    endsRow = true
    guard position < bytes.count else { return }
    if bytes[position] == separator {
      position += 1
      endsRow = false
    } else {
      skipLineEnd()
    }
  }

  // Both return the fault, if there is one, and end at a separator, a line end, or the end.

  private mutating func readPlain() -> String? {
    let start = position
    while position < bytes.count, bytes[position] != separator, !isLineEnd(position) {
      if bytes[position] == CSVReader.quote {
        return "a quotation mark stands within it. Put the field in quotation marks, and double "
          + "each inside"
      }
      position += 1
    }
    content.append(contentsOf: bytes[start..<position])
    return nil
  }

  private mutating func readQuoted() -> String? {
    position += 1
    while true {
      let start = position
      while position < bytes.count, bytes[position] != CSVReader.quote {
        if isLineEnd(position) { nextLine += isSecondOfTwo(position) ? 0 : 1 }
        position += 1
      }
      content.append(contentsOf: bytes[start..<position])
      guard position < bytes.count else {
        return "its quotation mark is not closed. Close it, or double the ones inside"
      }
      position += 1
      guard position < bytes.count, bytes[position] == CSVReader.quote else { break }
      content.append(CSVReader.quote)
      position += 1
    }
    guard position == bytes.count || bytes[position] == separator || isLineEnd(position) else {
      return "more stands behind its closing quotation mark. Double the quotation marks inside"
    }
    return nil
  }

  private func isLineEnd(_ position: Int) -> Bool {
    bytes[position] == CSVReader.newline || bytes[position] == CSVReader.carriageReturn
  }

  private func isSecondOfTwo(_ position: Int) -> Bool {
    bytes[position] == CSVReader.newline && position > 0
      && bytes[position - 1] == CSVReader.carriageReturn
  }

  private mutating func skipLineEnd() {
    let isPair =
      bytes[position] == CSVReader.carriageReturn && position + 1 < bytes.count
      && bytes[position + 1] == CSVReader.newline
    position += isPair ? 2 : 1
    nextLine += 1
  }
}

/// A place in a table where it is none.
struct CSVFault: Error {
  let line: Int
  let column: String
  /// The end of a sentence, without a full stop.
  let reason: String

  init(_ line: Int, _ column: String, _ reason: String) {
    self.line = line
    self.column = column
    self.reason = reason
  }
}
