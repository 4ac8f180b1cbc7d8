import SyncStack

/// Rows and columns as text: columns of numbers to the right, everything else to the left.
struct TextTable: Sendable {
  struct Column: Sendable {
    let title: String
    let isNumeric: Bool

    init(_ title: String, numeric: Bool = false) {
      self.title = title
      isNumeric = numeric
    }
  }

  let columns: [Column]
  private(set) var rows: [[String]] = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Adds a row of one text per column. Line breaks and tabs in a text become blanks.
  mutating func add(_ row: [String]) {
    require(row.count == columns.count, "A row of a table needs one text per column.")
    rows.append(row.map { text in String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 }) })
  }

  /// The table as lines.
  ///
  /// - Parameter width: Cells a line may take; nil for as many as it needs. Wide columns of text
  ///   are cut first.
  func lines(width: Int? = nil) -> [String] {
    let widths = fittedWidths(to: width)
    let header = line(columns.map(\.title), widths)
    let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ")
    return [header, rule] + rows.map { line($0, widths) }
  }

  /// Whether a line of that many cells has room for the table, with columns of text narrowed as far
  /// as is of use.
  func fits(_ width: Int) -> Bool {
    let widths = fittedWidths(to: width)
    return widths.reduce(0, +) + 2 * max(0, widths.count - 1) <= width
  }

  private func line(_ texts: [String], _ widths: [Int]) -> String {
    var result = ""
    for (index, text) in texts.enumerated() {
      if index > 0 { result += "  " }
      let cut = TextWidth.cut(text, to: widths[index])
      result += TextWidth.pad(cut, to: widths[index], right: columns[index].isNumeric)
    }
    while result.last == " " { result.removeLast() }
    return result
  }

  /// The width that each column needs, narrowed from the widest down until the line fits. No column
  /// gets narrower than eight cells.
  private func fittedWidths(to width: Int?) -> [Int] {
    var widths = columns.map { TextWidth.of($0.title) }
    for row in rows {
      for (index, text) in row.enumerated() {
        widths[index] = max(widths[index], TextWidth.of(text))
      }
    }
    guard let width else { return widths }
    var excess = widths.reduce(0, +) + 2 * max(0, widths.count - 1) - width
    while excess > 0 {
      let candidates = widths.indices.filter { !columns[$0].isNumeric && widths[$0] > 8 }
      guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
      let next = candidates.map { widths[$0] }.filter { $0 < widths[widest] }.max() ?? 8
      let step = min(excess, max(1, widths[widest] - next))
      widths[widest] -= step
      excess -= step
    }
    return widths
  }
}
