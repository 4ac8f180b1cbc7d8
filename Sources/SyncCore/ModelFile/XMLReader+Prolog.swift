/// The text around the root element.
extension XMLReader {
  /// Checks that the bytes are UTF-8 without forbidden characters, and makes all line ends alike.
  static func normalized(_ bytes: [UInt8]) throws(XMLError) -> [UInt8] {
    let start = MarkupPlace(line: 1, column: 1)
    guard !bytes.starts(with: [0xFE, 0xFF]), !bytes.starts(with: [0xFF, 0xFE]) else {
      throw XMLError(message: "The document is in UTF-16. Save it in UTF-8.", place: start)
    }
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    guard !content.isEmpty else { throw XMLError(message: "The document is empty.", place: start) }
    var result: [UInt8] = []
    result.reserveCapacity(content.count)
    var wasReturn = false
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = content.makeIterator()
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .emptyInput:
        return result
      case .error:
        throw problem("The document is not in UTF-8 here. Save it in UTF-8.", after: result)
      case .valid(let encoded):
        let scalar = Unicode.UTF8.decode(encoded)
        guard NameRule.isWritable(scalar) else {
          let code = String(scalar.value, radix: 16, uppercase: true)
          throw problem("The document contains the forbidden character U+\(code).", after: result)
        }
        let isReturn = scalar == "\r"
        if isReturn {
          result.append(10)
        } else if !(wasReturn && scalar == "\n") {
          result.append(contentsOf: encoded)
        }
        wasReturn = isReturn
      }
    }
  }

  private static func problem(_ message: String, after bytes: [UInt8]) -> XMLError {
    let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    let column = lines.last?.reduce(1) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) } ?? 1
    return XMLError(message: message, place: MarkupPlace(line: lines.count, column: column))
  }

  /// Reads `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` when it is there.
  mutating func declaration() throws(XMLError) {
    guard starts(with: "<?xml"), position + 5 < bytes.count,
      [9, 10, 32].contains(bytes[position + 5])
    else { return }
    let start = position
    position += 5
    var fields: [String: String] = [:]
    while !take("?>") {
      let isSeparated = skipWhitespace()
      if starts(with: "?>") { continue }
      guard isSeparated, position < bytes.count else {
        throw error("The XML declaration is malformed.", at: start)
      }
      let field = try name("a field of the XML declaration")
      skipWhitespace()
      guard take("=") else { throw error("Expected “=” after “\(field)”.") }
      skipWhitespace()
      let value: ArraySlice<UInt8>
      if take("\"") {
        value = try skip(through: "\"", of: "XML declaration")
      } else if take("'") {
        value = try skip(through: "'", of: "XML declaration")
      } else {
        throw error("The value of “\(field)” must stand in quotes.")
      }
      guard fields.updateValue(String(decoding: value, as: UTF8.self), forKey: field) == nil else {
        throw error("The XML declaration has “\(field)” twice.", at: start)
      }
    }
    try check(fields, at: start)
  }

  private func check(_ fields: [String: String], at start: Int) throws(XMLError) {
    guard let version = fields["version"] else {
      throw error("The XML declaration does not say which version.", at: start)
    }
    guard version == "1.0" else {
      throw error("XML \(version) is not supported. Use version 1.0.", at: start)
    }
    let encoding = fields["encoding"] ?? "UTF-8"
    guard ["utf-8", "us-ascii"].contains(encoding.lowercased()) else {
      throw error(
        "The encoding \(encoding) is not supported. Save the document in UTF-8.", at: start)
    }
    guard ["yes", "no", nil].contains(fields["standalone"]) else {
      throw error("“standalone” must be yes or no.", at: start)
    }
    let unknown = fields.keys.filter { !["version", "encoding", "standalone"].contains($0) }
      .sorted()
    guard let first = unknown.first else { return }
    throw error("The XML declaration has the unknown field “\(first)”.", at: start)
  }

  /// Skips white space, comments, instructions and, where it is allowed, one document type.
  mutating func skipMisc(beforeRoot: Bool) throws(XMLError) {
    var hasDocumentType = !beforeRoot
    while true {
      skipWhitespace()
      if try skipCommentOrInstruction() { continue }
      guard starts(with: "<!DOCTYPE") else {
        guard !starts(with: "<!") else { throw error("Declarations are not supported.") }
        return
      }
      guard allowsDocumentType, !hasDocumentType else {
        throw error("A document type is not supported here. Remove <!DOCTYPE …>.")
      }
      hasDocumentType = true
      try skipDocumentType()
    }
  }

  private mutating func skipDocumentType() throws(XMLError) {
    let start = position
    position += 9
    while position < bytes.count {
      if take(">") { return }
      if take("\"") {
        _ = try skip(through: "\"", of: "document type")
      } else if take("'") {
        _ = try skip(through: "'", of: "document type")
      } else if starts(with: "[") || starts(with: "<") {
        throw error("A document type with declarations of its own is not supported. Remove them.")
      } else {
        position += 1
      }
    }
    throw error("The document ends inside <!DOCTYPE.", at: start)
  }

  mutating func skipCommentOrInstruction() throws(XMLError) -> Bool {
    if try skipComment() { return true }
    return try skipInstruction()
  }

  private mutating func skipComment() throws(XMLError) -> Bool {
    guard take("<!--") else { return false }
    let start = position
    _ = try skip(through: "--", of: "comment")
    guard take(">") else { throw error("A comment must not contain “--”.", at: start) }
    return true
  }

  private mutating func skipInstruction() throws(XMLError) -> Bool {
    let start = position
    guard take("<?") else { return false }
    let target = try name("the target of a processing instruction")
    guard target.lowercased() != "xml" else {
      throw error("The XML declaration must stand at the very beginning.", at: start)
    }
    _ = try skip(through: "?>", of: "processing instruction")
    return true
  }
}
