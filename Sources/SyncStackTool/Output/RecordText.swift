/// An object as a record: a title, and a line for each of its properties.
struct RecordText {
  let title: String
  let fields: [(name: String, value: String)]

  /// The record as lines. Further lines of a value stand below its first.
  var lines: [String] {
    let width = fields.map { TextWidth.of($0.name) }.max() ?? 0
    let indent = String(repeating: " ", count: width + 4)
    var lines = [title]
    for field in fields {
      let parts = field.value.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      var line = "  \(TextWidth.pad(field.name, to: width))  \(parts.first ?? "")"
      while line.last == " " { line.removeLast() }
      lines.append(line)
      lines += parts.dropFirst().map { indent + $0 }
    }
    return lines
  }
}
