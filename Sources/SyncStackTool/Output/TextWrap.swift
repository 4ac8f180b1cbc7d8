/// Breaks texts between words, so that lines fit a terminal.
enum TextWrap {
  /// The words in lines of at most a width; a word that is wider stands in a line of its own.
  static func lines(_ words: [String], width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in words {
      if line.isEmpty {
        line = word
      } else if TextWidth.of(line) + 1 + TextWidth.of(word) <= width {
        line += " " + word
      } else {
        lines.append(line)
        line = word
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// The text in lines of at most a width.
  static func lines(_ text: String, width: Int) -> [String] {
    lines(text.split(separator: " ").map(String.init), width: width)
  }

  /// Names with their meanings, in two columns; a name that is too wide for the first stands above
  /// its meaning.
  static func columns(_ rows: [(name: String, meaning: String)], width: Int) -> [String] {
    let widest = rows.map { TextWidth.of($0.name) }.filter { $0 <= widestName }.max() ?? 0
    let indent = String(repeating: " ", count: widest + 4)
    var result: [String] = []
    for row in rows {
      var meaning = lines(row.meaning, width: max(20, width - widest - 4))
      if TextWidth.of(row.name) <= widest, let first = meaning.first {
        result.append("  \(TextWidth.pad(row.name, to: widest))  \(first)")
        meaning.removeFirst()
      } else {
        result.append("  " + row.name)
      }
      result += meaning.map { indent + $0 }
    }
    return result
  }

  private static let widestName = 26
}
