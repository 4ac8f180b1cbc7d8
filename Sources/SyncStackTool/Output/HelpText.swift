/// The help of a command, made of its syntax.
struct HelpText {
  let syntax: CommandSyntax

  /// Cells in a line where no terminal says how many there are.
  static let usualWidth = 80

  func text(width: Int = HelpText.usualWidth) -> String {
    let name = "  syncstack \(syntax.name) "
    let indent = String(repeating: " ", count: TextWidth.of(name))
    let usage = TextWrap.lines(syntax.usageWords, width: width - TextWidth.of(name))
    var lines = TextWrap.lines(syntax.summary, width: width) + [""]
    for (number, line) in usage.enumerated() { lines.append((number == 0 ? name : indent) + line) }
    lines.append("")
    lines += TextWrap.columns(
      syntax.operands.map { ($0.name, $0.help) } + syntax.options.map { ($0.usage, $0.help) },
      width: width)
    // As it can be copied into a shell.
    let example = TextWrap.lines(
      syntax.example.split(separator: " ").map(String.init), width: width - 6)
    lines += ["", "Example:"]
    for (number, line) in example.enumerated() {
      lines.append((number == 0 ? "  " : "    ") + line + (number < example.count - 1 ? " \\" : ""))
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
