import Foundation
import SyncStack

/// The words of a command line, told apart by the syntax of their command.
struct Arguments: Sendable {
  let syntax: CommandSyntax
  private(set) var operands: [String] = []
  private var values: [String: String] = [:]
  /// The values of options that may be given more than once.
  private var lists: [String: [String]] = [:]

  /// Reads `--name value`, `--name=value`, switches and operands in any order; everything behind
  /// `--` is an operand.
  ///
  /// - Throws: ``UsageError`` for an unknown or repeated option, a value too many or too few, and
  ///   when something required is missing.
  init(_ words: [String], syntax: CommandSyntax) throws(UsageError) {
    self.syntax = syntax
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      try readOption(word, &rest)
    }
    try checkCompleteness()
  }

  private mutating func readOption(
    _ word: String, _ rest: inout ArraySlice<String>
  ) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = syntax.options.first(where: { $0.name == name }) else {
      let known = syntax.options.map(\.name)
      let hint = Spelling.nearest(to: name, in: known).map { " Did you mean \($0)?" } ?? ""
      throw error("There is no option \(name).\(hint)")
    }
    guard values[name] == nil || option.repeats else { throw error("\(name) was given twice.") }
    if option.placeholder != nil {
      if parts.count == 2 {
        values[name] = String(parts[1])
      } else if let value = rest.first, !value.hasPrefix("--") {
        values[name] = value
        rest.removeFirst()
      } else {
        throw error("\(name) needs a value: \(option.usage).")
      }
      if option.repeats, let value = values[name] { lists[name, default: []].append(value) }
    } else {
      guard parts.count == 1 else { throw error("\(name) takes no value.") }
      values[name] = ""
    }
  }

  private func checkCompleteness() throws(UsageError) {
    if operands.count > syntax.operands.count, syntax.operands.last?.repeats != true {
      let extra = operands[syntax.operands.count]
      throw error("“\(extra)” is one word too many.")
    }
    if operands.count < syntax.operands.count, syntax.operands[operands.count].isRequired {
      throw error("\(syntax.operands[operands.count].name) is missing.")
    }
    for option in syntax.options where option.isRequired && values[option.name] == nil {
      throw error("\(option.usage) is missing.")
    }
  }

  /// An error about this command line.
  func error(_ message: String) -> UsageError {
    UsageError(message, command: syntax.name)
  }
}

// MARK: - Values

extension Arguments {
  /// Whether the command has an option.
  func knows(_ name: String) -> Bool { syntax.options.contains { $0.name == name } }

  /// Whether the option was given.
  func has(_ name: String) -> Bool { values[name] != nil }

  /// The value of an option, or nil when it was not given.
  subscript(_ name: String) -> String? { values[name] }

  /// All values of an option that may be given more than once, in order.
  func all(_ name: String) -> [String] { lists[name] ?? [] }

  /// The value of an option that the syntax requires.
  func required(_ name: String) throws(UsageError) -> String {
    guard let value = values[name], !value.isEmpty else { throw error("\(name) is missing.") }
    return value
  }

  /// The value as a file to write, or nil when the option was not given.
  ///
  /// - Throws: ``UsageError`` when the file is one of a store.
  func output(_ name: String, beside store: URL) throws(UsageError) -> URL? {
    guard let path = values[name] else { return nil }
    let url = URL(filePath: path)
    let (file, kept) = (url.resolvingSymlinksInPath().path, store.resolvingSymlinksInPath().path)
    guard !["", "-wal", "-shm", "-journal"].map({ kept + $0 }).contains(file) else {
      throw error("\(name) \(path) is the store, which it would overwrite. Give another file.")
    }
    return url
  }

  /// The value as a whole number that is not negative, or nil when the option was not given.
  func count(_ name: String) throws(UsageError) -> Int? {
    guard let value = values[name] else { return nil }
    guard let number = Int(value), number >= 0 else {
      throw error("\(name) takes a whole number from 0 up, not “\(value)”.")
    }
    return number
  }

  /// The value as a number of seconds that is not negative, or nil when the option was not given.
  func seconds(_ name: String) throws(UsageError) -> Double? {
    guard let value = values[name] else { return nil }
    guard let number = Double(value), (0...86_400).contains(number) else {
      throw error("\(name) takes seconds from 0 to 86400, as in 30 or 0.5; “\(value)” is none.")
    }
    return number
  }

  /// The value of `--wait`, of commands that write.
  func wait() throws(UsageError) -> Double { try seconds("--wait") ?? CommandSyntax.usualWait }

  /// Which of some switches was given, or nil; they exclude each other.
  func one<Choice: RawRepresentable<String> & CaseIterable>(
    of switches: Choice.Type
  ) throws(UsageError) -> Choice? {
    let given = switches.allCases.filter { has($0.rawValue) }
    guard given.count < 2 else {
      let names = given.map(\.rawValue).joined(separator: " and ")
      throw error("\(names) exclude each other.")
    }
    return given.first
  }

  /// The value as one of the cases, or nil when the option was not given.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, as type: Choice.Type = Choice.self
  ) throws(UsageError) -> Choice? {
    guard let value = values[name] else { return nil }
    guard let choice = Choice(rawValue: value) else {
      let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw error("\(name) takes one of \(known); “\(value)” is none.")
    }
    return choice
  }
}
