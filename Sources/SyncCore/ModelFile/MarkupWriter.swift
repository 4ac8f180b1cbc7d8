/// Writes elements as indented XML.
struct MarkupWriter {
  private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  private var open: [String] = []
  private var isTagOpen = false

  /// Begins an element; attributes follow.
  mutating func begin(_ name: String) {
    closeTag()
    text += String(repeating: "  ", count: open.count) + "<" + name
    open.append(name)
    isTagOpen = true
  }

  /// Writes an attribute of the element that was just begun; nil writes nothing.
  mutating func attribute(_ name: String, _ value: String?) {
    guard let value else { return }
    text += " \(name)=\"\(MarkupWriter.escaped(value))\""
  }

  /// Writes `YES` when the flag is set, and nothing otherwise.
  mutating func flag(_ name: String, _ value: Bool) {
    if value { attribute(name, "YES") }
  }

  /// Ends the innermost element.
  mutating func end() {
    guard let name = open.popLast() else { return }
    if isTagOpen {
      text += "/>\n"
    } else {
      text += String(repeating: "  ", count: open.count) + "</\(name)>\n"
    }
    isTagOpen = false
  }

  private mutating func closeTag() {
    if isTagOpen { text += ">\n" }
    isTagOpen = false
  }

  /// White space other than spaces is written as a reference, so that it comes back as it is.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t", "\n", "\r": result += "&#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
