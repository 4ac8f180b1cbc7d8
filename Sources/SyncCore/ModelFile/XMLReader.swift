import Foundation

/// Reads the subset of XML that model documents use, strictly: elements, attributes, character
/// data, CDATA, comments, processing instructions and the five named entities. UTF-8 only; no
/// document type (optionally one without internal subset), so nothing is ever expanded or fetched.
///
/// Foundation's parser accepts documents that are cut off or empty, and it brings libxml2 along.
struct XMLReader {
  /// Deeper nesting is refused.
  static let maximumDepth = 64

  var bytes: [UInt8]
  var position = 0
  let allowsDocumentType: Bool

  /// The last place that was worked out; the next one is counted from here.
  var counted = (offset: 0, line: 1, column: 1)

  /// Reads a whole document.
  ///
  /// - Returns: the root element.
  /// - Throws: ``XMLError`` for the first thing that is wrong.
  static func read(
    _ data: Data, allowsDocumentType: Bool = false
  ) throws(XMLError) -> MarkupElement {
    var reader = XMLReader(bytes: [], allowsDocumentType: allowsDocumentType)
    reader.bytes = try XMLReader.normalized(Array(data))
    try reader.declaration()
    try reader.skipMisc(beforeRoot: true)
    guard reader.position < reader.bytes.count else {
      throw reader.error("The document has no content.")
    }
    guard reader.bytes[reader.position] == UInt8(ascii: "<") else {
      throw reader.error("Text stands before the first element.")
    }
    let root = try reader.element(depth: 1)
    try reader.skipMisc(beforeRoot: false)
    guard reader.position == reader.bytes.count else {
      throw reader.error("Something follows the end of <\(root.name)>.")
    }
    return root
  }

  // MARK: - Elements

  private mutating func element(depth: Int) throws(XMLError) -> MarkupElement {
    let start = position
    guard depth <= XMLReader.maximumDepth else {
      throw error("Elements are nested deeper than \(XMLReader.maximumDepth) levels.")
    }
    position += 1
    var element = MarkupElement(name: try name("the name of an element"), place: count(to: start))
    let isEmpty = try attributes(of: &element)
    if !isEmpty { try content(of: &element, depth: depth) }
    return element
  }

  /// Reads attributes and the end of the start tag.
  ///
  /// - Returns: whether the tag closes the element (`/>`).
  private mutating func attributes(of element: inout MarkupElement) throws(XMLError) -> Bool {
    while true {
      let isSeparated = skipWhitespace()
      if take(">") { return false }
      if take("/>") { return true }
      guard position < bytes.count else { throw cutOff(in: element) }
      guard isSeparated else { throw error("Expected a space, “>” or “/>” in <\(element.name)>.") }
      let start = position
      let name = try name("the name of an attribute of <\(element.name)>")
      skipWhitespace()
      guard take("=") else { throw error("Expected “=” after the attribute “\(name)”.") }
      skipWhitespace()
      let value = try attributeValue(of: name, in: element)
      guard element.attribute(name) == nil else {
        throw error("<\(element.name)> has the attribute “\(name)” twice.", at: start)
      }
      element.attributes.append(MarkupAttribute(name: name, value: value, place: count(to: start)))
    }
  }

  private mutating func attributeValue(
    of name: String, in element: MarkupElement
  ) throws(XMLError) -> String {
    guard position < bytes.count else { throw cutOff(in: element) }
    let quote = bytes[position]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw error("The value of the attribute “\(name)” must stand in quotes.")
    }
    position += 1
    var value: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case quote:
        position += 1
        return String(decoding: value, as: UTF8.self)
      case UInt8(ascii: "&"):
        try reference(into: &value)
      case UInt8(ascii: "<"):
        throw error("“<” in the value of the attribute “\(name)” must be written “&lt;”.")
      default:
        // White space in attributes is a space, unless it was written as a reference.
        value.append(byte == 9 || byte == 10 ? 32 : byte)
        position += 1
      }
    }
    throw cutOff(in: element)
  }

  private mutating func content(of element: inout MarkupElement, depth: Int) throws(XMLError) {
    var text: [UInt8] = []
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "&") {
        try reference(into: &text)
      } else if bytes[position] != UInt8(ascii: "<") {
        guard !starts(with: "]]>") else { throw error("“]]>” in text must be written “]]&gt;”.") }
        text.append(bytes[position])
        position += 1
      } else if starts(with: "</") {
        try endTag(of: element)
        element.text = String(decoding: text, as: UTF8.self)
        return
      } else if starts(with: "<![CDATA[") {
        position += 9
        text.append(contentsOf: try skip(through: "]]>", of: "CDATA section"))
      } else if try skipCommentOrInstruction() {
        continue
      } else if starts(with: "<!") {
        throw error("Declarations are not supported inside elements.")
      } else {
        element.children.append(try self.element(depth: depth + 1))
      }
    }
    throw cutOff(in: element)
  }

  private mutating func endTag(of element: MarkupElement) throws(XMLError) {
    let start = position
    position += 2
    let name = try name("the name of the element that ends")
    guard name == element.name else {
      throw error(
        "</\(name)> does not end <\(element.name)>, which begins in \(element.place).", at: start)
    }
    skipWhitespace()
    guard take(">") else { throw error("Expected “>” at the end of </\(name)>.") }
  }
}
