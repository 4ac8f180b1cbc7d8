/// The form of the command line of one command; arguments are read by it and the help is made of
/// it.
struct CommandSyntax: Sendable {
  let name: String
  /// One line about the command's work.
  let summary: String
  let operands: [Operand]
  let options: [Option]
  /// A command line to begin with.
  let example: String

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

    /// The words that may stand here, where its name lists them.
    var choices: [String] {
      let words = name.split(separator: "|")
      return words.count < 2 ? [] : words.map(String.init)
    }

    /// Whether it is the path of a file or folder.
    var takesFile: Bool { name == "FILE" || name == "MODEL" }

    /// The operand as it stands in a command line.
    var usage: String {
      let words = repeats ? name + "..." : name
      return isRequired ? words : "[\(words)]"
    }
  }

  /// A word that begins with `--`.
  struct Option: Sendable {
    let name: String
    /// The word for its value in the help; nil when it is a switch without a value.
    let placeholder: String?
    let isRequired: Bool
    /// Whether it may be given more than once, each time with a value.
    let repeats: Bool
    let help: String

    init(
      _ name: String, value placeholder: String? = nil, required: Bool = false,
      repeats: Bool = false, _ help: String
    ) {
      self.name = name
      self.placeholder = placeholder
      isRequired = required
      self.repeats = repeats
      self.help = help
    }

    /// The option as it is typed.
    var usage: String { placeholder.map { "\(name) \($0)" } ?? name }

    /// The words that its value can be, where the placeholder lists them: `on` and `off` of
    /// `on|off|LIMITS`.
    var choices: [String] {
      let words = (placeholder ?? "").split(separator: "|")
      return words.count < 2 ? [] : words.filter { $0.first?.isLowercase == true }.map(String.init)
    }

    /// Whether its value is the path of a file or folder.
    var takesFile: Bool { placeholder == "FILE" || placeholder == "MODEL" }
  }

  /// Seconds that a command waits for a store that another process holds, unless told otherwise.
  static let usualWait = 5.0

  /// The option of every command that writes.
  static let wait = Option(
    "--wait", value: "SECONDS",
    "how long to wait for another process that holds the store; 5 by default")

  /// The words that may follow the name of the command, one by one.
  var usageWords: [String] {
    operands.map(\.usage)
      + options.map { ($0.isRequired ? $0.usage : "[\($0.usage)]") + ($0.repeats ? "..." : "") }
  }
}
