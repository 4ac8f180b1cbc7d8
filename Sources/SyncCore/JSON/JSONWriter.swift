package import Foundation

/// How JSON is written.
package struct JSONWritingOptions: Sendable, Hashable {
  /// Whether lines and indentation are added, for people.
  package var isPretty = false
  /// Whether members are written in the bytewise order of their names instead of their own.
  package var sortsKeys = false

  /// Makes options; the default is one line, members in their order.
  package init(isPretty: Bool = false, sortsKeys: Bool = false) {
    self.isPretty = isPretty
    self.sortsKeys = sortsKeys
  }
}

/// Writes JSON into a buffer, piece by piece or as whole trees.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginArray()
/// for item in items {
///   writer.value(item)
///   try writer.drain(above: 1 << 16) { try file.write($0) }
/// }
/// writer.endArray()
/// ```
///
/// Commas and indentation are its business. The caller keeps begin and end in balance and gives
/// every member of an object a key.
package struct JSONWriter {
  /// The bytes written and not yet drained.
  package private(set) var bytes: [UInt8] = []
  private let options: JSONWritingOptions
  /// For each open container whether it is still empty.
  private var isEmpty: [Bool] = []
  private var followsKey = false

  /// Makes a writer with an empty buffer.
  package init(options: JSONWritingOptions = JSONWritingOptions()) {
    self.options = options
  }

  /// The text of a value.
  package static func bytes(of value: JSONValue, options: JSONWritingOptions) -> [UInt8] {
    var writer = JSONWriter(options: options)
    writer.value(value)
    return writer.bytes
  }

  /// Hands over the written bytes once they are more than `limit`, and forgets them.
  package mutating func drain(
    above limit: Int = 0, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    guard bytes.count > limit else { return }
    try bytes.withUnsafeBytes(body)
    bytes.removeAll(keepingCapacity: true)
  }

  // MARK: - Structure

  /// Opens an object.
  package mutating func beginObject() { begin(UInt8(ascii: "{")) }
  /// Closes the object opened last.
  package mutating func endObject() { end(UInt8(ascii: "}")) }
  /// Opens an array.
  package mutating func beginArray() { begin(UInt8(ascii: "[")) }
  /// Closes the array opened last.
  package mutating func endArray() { end(UInt8(ascii: "]")) }

  /// Writes the name of the member whose value comes next.
  package mutating func key(_ name: String) {
    separate()
    append(string: name)
    bytes.append(UInt8(ascii: ":"))
    if options.isPretty { bytes.append(UInt8(ascii: " ")) }
    followsKey = true
  }

  /// Ends a line, between the values of newline-delimited JSON.
  package mutating func endLine() {
    bytes.append(UInt8(ascii: "\n"))
  }

  // MARK: - Values

  /// Writes `null`.
  package mutating func null() { literal("null") }
  /// Writes `true` or `false`.
  package mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

  /// Writes a whole number.
  package mutating func integer(_ value: Int64) {
    separate()
    JSONNumber.append(value, to: &bytes)
  }

  /// Writes the shortest digits that give the double back.
  package mutating func double(_ value: Double) {
    separate()
    JSONNumber.append(value, to: &bytes)
  }

  /// Writes all digits of a decimal.
  package mutating func decimal(_ value: Decimal) {
    separate()
    JSONNumber.append(value, to: &bytes)
  }

  /// Writes a text with the escapes it needs.
  package mutating func string(_ value: String) {
    separate()
    append(string: value)
  }

  /// Writes a string whose content is given in UTF-8.
  package mutating func string(utf8 content: UnsafeRawBufferPointer) {
    separate()
    append(content: content)
  }

  /// Writes a number as it stands in a document, in canonical form.
  package mutating func number(text: UnsafeRawBufferPointer) {
    separate()
    JSONNumber.append(numberText: text, to: &bytes)
  }

  /// Writes a tree.
  ///
  /// - Complexity: O(*n*); O(*n* log *n*) with sorted keys.
  package mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let value): bool(value)
    case .integer(let value): integer(value)
    case .decimal(let value): decimal(value)
    case .double(let value): double(value)
    case .string(let value): string(value)
    case .array(let elements):
      beginArray()
      for element in elements { self.value(element) }
      endArray()
    case .object(let object):
      beginObject()
      for member in options.sortsKeys ? object.sortedMembers : object.members {
        key(member.key)
        self.value(member.value)
      }
      endObject()
    }
  }

  // MARK: - Bytes

  private mutating func literal(_ text: StaticString) {
    separate()
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func begin(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    isEmpty.append(true)
  }

  private mutating func end(_ bracket: UInt8) {
    require(!isEmpty.isEmpty, "Call end as often as begin.")
    if !isEmpty.removeLast() { breakLine() }
    bytes.append(bracket)
  }

  /// Writes the text between this value or key and the one before it.
  private mutating func separate() {
    if followsKey {
      followsKey = false
      return
    }
    guard let first = isEmpty.last else { return }
    if first {
      isEmpty[isEmpty.count - 1] = false
    } else {
      bytes.append(UInt8(ascii: ","))
    }
    breakLine()
  }

  private mutating func breakLine() {
    guard options.isPretty else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * isEmpty.count))
  }

  private mutating func append(string: String) {
    var string = string
    string.withUTF8 { append(content: UnsafeRawBufferPointer($0)) }
  }

  private mutating func append(content: UnsafeRawBufferPointer) {
    bytes.append(UInt8(ascii: "\""))
    var start = 0
    while true {
      let index = JSONText.indexOfEscape(content, from: start)
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: content[start..<index]))
      if index == content.count { break }
      appendEscape(content[index])
      start = index + 1
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func appendEscape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case 0..<0x20:
      let digits = Array("0123456789abcdef".utf8)
      bytes.append(contentsOf: "u00".utf8)
      bytes.append(digits[Int(byte >> 4)])
      bytes.append(digits[Int(byte & 15)])
    default: bytes.append(byte)
    }
  }
}

extension JSONObject {
  /// The members in the bytewise order of their names.
  var sortedMembers: [Member] {
    var members = members
    members.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return members
  }
}
