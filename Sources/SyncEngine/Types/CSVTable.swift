package import Foundation
import SyncCore

/// A table of comma-separated values with a line of names, as the list of JSON objects that it
/// stands for.
///
/// A field is a text, which the mapping turns into the type of its attribute; an empty one without
/// quotes is null, and one with quotes the empty text. It is read once and written piece by piece.
package struct CSVTable {
  /// Bytes of a piece.
  private static let pieceSize = 1 << 18

  private var reader: CSVReader
  private var names: [String] = []
  private let guessesTypes: Bool

  /// The list of objects as JSON, by way of a temporary file.
  ///
  /// - Parameter name: The file, for errors; nil where there is none.
  /// - Throws: ``SyncError`` with ``SyncError/Code/unreadablePayload`` that names line and column;
  ///   `CancellationError`.
  static func spooled(_ table: Data, name: String?, _ control: SyncControl?) throws -> Data {
    let spool = try PayloadSpool()
    try write(table, name: name) { piece in
      try control?.checkpoint()
      _ = try spool.append(Data(piece))
    }
    spool.end(nil)
    return try spool.wait(control)
  }

  /// The list of objects as JSON, in which fields without quotes that look like numbers and
  /// booleans are such: for drawing a model. Texts of digits would lose by it.
  package static func guessed(_ table: Data, name: String?) throws -> Data {
    var result = Data()
    try write(table, name: name, guessesTypes: true) { result.append(contentsOf: $0) }
    return result
  }

  private static func write(
    _ table: Data, name: String?, guessesTypes: Bool = false,
    _ give: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    do {
      try table.withUnsafeBytes { bytes in
        var table = try CSVTable(bytes, guessesTypes: guessesTypes)
        var writer = JSONWriter()
        writer.beginArray()
        while try table.writeRow(to: &writer) { try writer.drain(above: pieceSize, give) }
        writer.endArray()
        try writer.drain(give)
      }
    } catch let fault as CSVFault {
      throw SyncError(
        .unreadablePayload,
        message: "The table\(name.map { " “\($0)”" } ?? "") cannot be read: line \(fault.line), "
          + "\(fault.column): \(fault.reason). Nothing was changed.")
    }
  }

  /// Reads the line of names.
  private init(_ bytes: UnsafeRawBufferPointer, guessesTypes: Bool) throws(CSVFault) {
    reader = CSVReader(bytes)
    self.guessesTypes = guessesTypes
    guard reader.nextRow() else {
      throw CSVFault(
        1, "column 1", "there is no line of names. Write the names of the columns first")
    }
    repeat {
      let column = "column \(names.count + 1)"
      try reader.nextField(column)
      var name = String(decoding: reader.content, as: UTF8.self)
      if !reader.isQuoted { name = name.trimmingCharacters(in: .whitespaces) }
      if name.isEmpty {
        throw CSVFault(reader.line, column, "it has no name. Give it one in the first line")
      }
      if names.contains(name) {
        throw CSVFault(
          reader.line, column, "it is called “\(name)” as another one. Give each a name of its own")
      }
      names.append(name)
    } while !reader.endsRow
  }

  /// Writes the next row as an object.
  ///
  /// - Returns: Whether there was one.
  private mutating func writeRow(to writer: inout JSONWriter) throws(CSVFault) -> Bool {
    guard reader.nextRow() else { return false }
    writer.beginObject()
    for (index, name) in names.enumerated() {
      try reader.nextField("column \(index + 1) (“\(name)”)")
      writer.key(name)
      writeField(to: &writer)
      guard reader.endsRow == (index == names.count - 1) else {
        throw CSVFault(
          reader.line, "column \(index + 1) (“\(name)”)",
          reader.endsRow
            ? "the row ends here, and the first line has \(names.count) columns. Mend the row"
            : "the row goes on, and the first line has \(names.count) columns. Put fields that hold the "
              + "separator in quotation marks")
      }
    }
    writer.endObject()
    return true
  }

  private func writeField(to writer: inout JSONWriter) {
    reader.content.withUnsafeBytes { content in
      guard !reader.isQuoted else { return writer.string(utf8: content) }
      if content.isEmpty { return writer.null() }
      guard guessesTypes else { return writer.string(utf8: content) }
      if isNumber(content) {
        writer.number(text: content)
      } else if content.elementsEqual("true".utf8) || content.elementsEqual("false".utf8) {
        writer.bool(content.count == 4)
      } else {
        writer.string(utf8: content)
      }
    }
  }

  /// Whether a field is a number and not a text of digits, as a postal code or a telephone number
  /// is.
  private func isNumber(_ content: UnsafeRawBufferPointer) -> Bool {
    let digits = content.first == UInt8(ascii: "-") ? content.dropFirst() : content[...]
    guard let first = digits.first, let last = digits.last, digits.count < 16,
      (0x30...0x39).contains(first), (0x30...0x39).contains(last), NumberText(content) != nil
    else { return false }
    return first != 0x30 || digits.count == 1 || digits[digits.startIndex + 1] == UInt8(ascii: ".")
  }
}
