/// What the command line of one command looks like; arguments are read by it and the help is made of it.
struct CommandSyntax: Sendable {
  let name: String
  /// One line that says what the command does.
  let summary: String
  let operands: [Operand]
  let options: [Option]

  /// A word without a name, told by its position.
  struct Operand: Sendable {
    let name: String
    let help: String
    let isRequired: Bool
    /// Whether more than one word may stand here; only the last operand of a command can.
    let repeats: Bool

    init(_ name: String, required: Bool = true, repeats: Bool = false, _ help: String) {
      self.name = name
      self.help = help
      isRequired = required
      self.repeats = repeats
    }

    /// The operand as it stands in a command line.
    var usage: String {
      let words = repeats ? name + "..." : name
      return isRequired ? words : "[\(words)]"
    }
  }

  /// A word that begins with `--`.
  struct Option: Sendable {
    let name: String
    /// What stands for its value in the help; nil when it is a switch without a value.
    let placeholder: String?
    let isRequired: Bool
    let help: String

    init(_ name: String, value placeholder: String? = nil, required: Bool = false, _ help: String) {
      self.name = name
      self.placeholder = placeholder
      isRequired = required
      self.help = help
    }

    /// The option as it is typed.
    var usage: String { placeholder.map { "\(name) \($0)" } ?? name }
  }

  /// Seconds that a command waits for a store that somebody else holds, unless told otherwise.
  static let usualWait = 5.0

  /// The option of every command that writes.
  static let wait = Option(
    "--wait", value: "SECONDS",
    "how long to wait for another process that holds the store; 5 by default")

  /// The command line with everything that can stand in it, in one line.
  var usage: String {
    var words = ["syncstack", name]
    words += operands.map(\.usage)
    for option in options {
      words.append(option.isRequired ? option.usage : "[\(option.usage)]")
    }
    return words.joined(separator: " ")
  }

  /// The whole help of the command.
  var help: String {
    let rows = operands.map { ($0.name, $0.help) } + options.map { ($0.usage, $0.help) }
    let width = rows.map(\.0.count).max() ?? 0
    var lines = [summary, "", "  " + usage, ""]
    for (name, help) in rows {
      let gap = String(repeating: " ", count: width - name.count + 2)
      lines.append("  " + name + gap + help)
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
