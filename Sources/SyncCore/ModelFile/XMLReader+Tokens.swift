/// The parts that elements are made of, and the places of errors.
extension XMLReader {
  // MARK: - Places

  /// Works out line and column of an offset, counting on from the last one.
  func place(_ offset: Int) -> MarkupPlace {
    var from = counted.offset <= offset ? counted : (offset: 0, line: 1, column: 1)
    for byte in bytes[from.offset..<min(offset, bytes.count)] {
      if byte == 10 {
        from.line += 1
        from.column = 1
      } else if byte & 0xC0 != 0x80 {
        from.column += 1
      }
    }
    return MarkupPlace(line: from.line, column: from.column)
  }

  /// Works out line and column of an offset, and remembers them.
  mutating func count(to offset: Int) -> MarkupPlace {
    let place = place(offset)
    counted = (offset, place.line, place.column)
    return place
  }

  func error(_ message: String, at offset: Int? = nil) -> XMLError {
    XMLError(message: message, place: place(offset ?? position))
  }

  func cutOff(in element: MarkupElement) -> XMLError {
    error(
      "The document ends inside <\(element.name)>, which begins in \(element.place). It is cut off.",
      at: bytes.count)
  }

  // MARK: - Bytes

  func starts(with text: StaticString) -> Bool {
    guard position + text.utf8CodeUnitCount <= bytes.count else { return false }
    return text.withUTF8Buffer { buffer in
      bytes[position..<position + buffer.count].elementsEqual(buffer)
    }
  }

  mutating func take(_ text: StaticString) -> Bool {
    guard starts(with: text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  @discardableResult
  mutating func skipWhitespace() -> Bool {
    let start = position
    while position < bytes.count, [9, 10, 32].contains(bytes[position]) { position += 1 }
    return position > start
  }

  /// Skips to behind the end mark.
  ///
  /// - Returns: the text before it.
  mutating func skip(
    through end: StaticString, of what: String
  ) throws(XMLError) -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count {
      if starts(with: end) {
        let content = bytes[start..<position]
        position += end.utf8CodeUnitCount
        return content
      }
      position += 1
    }
    throw error("The document ends inside a \(what).", at: start)
  }

  mutating func name(_ what: String) throws(XMLError) -> String {
    let start = position
    while position < bytes.count, XMLReader.isNameByte(bytes[position]) { position += 1 }
    guard start < position, XMLReader.isNameStart(bytes[start]) else {
      throw error("Expected \(what).", at: start)
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isNameStart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "_"), UInt8(ascii: ":"), 0x80...: true
    default: false
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: isNameStart(byte)
    }
  }

  // MARK: - References

  /// Reads `&name;`, `&#10;` or `&#xA;`.
  mutating func reference(into text: inout [UInt8]) throws(XMLError) {
    let start = position
    position += 1
    guard let end = bytes[position...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
      throw error("“&” must be written “&amp;”, or begin a reference that ends in “;”.", at: start)
    }
    let body = String(decoding: bytes[position..<end], as: UTF8.self)
    position = end + 1
    switch body {
    case "amp": text.append(UInt8(ascii: "&"))
    case "lt": text.append(UInt8(ascii: "<"))
    case "gt": text.append(UInt8(ascii: ">"))
    case "quot": text.append(UInt8(ascii: "\""))
    case "apos": text.append(UInt8(ascii: "'"))
    default:
      guard let scalar = XMLReader.numericReference(body) else {
        throw error("“&\(body);” is no character that the document may contain.", at: start)
      }
      text.append(contentsOf: String(scalar).utf8)
    }
  }

  private static func numericReference(_ body: String) -> Unicode.Scalar? {
    guard body.hasPrefix("#") else { return nil }
    let isHexadecimal = body.hasPrefix("#x")
    let digits = body.dropFirst(isHexadecimal ? 2 : 1)
    guard digits.allSatisfy(\.isHexDigit), digits.utf8.allSatisfy({ $0 < 0x80 }),
      let number = Int64(String(digits), radix: isHexadecimal ? 16 : 10),
      let scalar = UInt32(exactly: number).flatMap(Unicode.Scalar.init), NameRule.isWritable(scalar)
    else { return nil }
    return scalar
  }
}
