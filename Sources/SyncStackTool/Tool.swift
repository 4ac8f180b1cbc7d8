import Foundation

/// `syncstack`: the framework without writing Swift.
@main
struct Tool {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    let code = await run(words, terminal: .current)
    exit(code.rawValue)
  }

  static let commands: [any Command.Type] = [
    ImportCommand.self, ExportCommand.self, DoctorCommand.self, ShowCommand.self,
    ModelCommand.self, QuarantineCommand.self, SessionsCommand.self, HistoryCommand.self,
    WatchCommand.self,
  ]

  /// Runs a command line and says how it ended. Errors are written, never thrown.
  static func run(_ words: [String], terminal: Terminal) async -> ExitCode {
    do {
      guard let name = words.first else {
        throw UsageError("Say what to do: \(names).")
      }
      if ["help", "--help", "-h"].contains(name) {
        return try help(words.dropFirst().first, terminal: terminal)
      }
      let type = try command(named: name)
      if words.contains(where: { $0 == "--help" || $0 == "-h" }) {
        return try help(name, terminal: terminal)
      }
      let arguments = try Arguments(Array(words.dropFirst()), syntax: type.syntax)
      return try await type.init(arguments).run(terminal: terminal)
    } catch let error as UsageError {
      terminal.note("syncstack: \(error)")
      return .usage
    } catch let error as Cancelled {
      terminal.note("Cancelled. \(error)")
      return .cancelled
    } catch is CancellationError {
      terminal.note("Cancelled. The store is as it was.")
      return .cancelled
    } catch {
      terminal.note("syncstack: \(error)")
      if let hint = ErrorHint.text(for: error) { terminal.note(hint) }
      return .failed
    }
  }

  private static var names: String {
    commands.map { $0.syntax.name }.joined(separator: ", ")
  }

  private static func command(named name: String) throws(UsageError) -> any Command.Type {
    if let type = commands.first(where: { $0.syntax.name == name }) { return type }
    let near = Spelling.nearest(to: name, in: commands.map { $0.syntax.name })
    let hint = near.map { "Did you mean \($0)?" } ?? "There are \(names)."
    throw UsageError("There is no command “\(name)”. \(hint)")
  }

  private static func help(_ name: String?, terminal: Terminal) throws(UsageError) -> ExitCode {
    if let name {
      terminal.print(try command(named: name).syntax.help)
      return .done
    }
    terminal.print("SyncStack brings JSON into a SQLite file and keeps it in step.\n")
    for type in commands {
      terminal.print("  syncstack \(TextWidth.pad(type.syntax.name, to: 12))\(type.syntax.summary)")
    }
    terminal.print(
      """

      'syncstack help COMMAND' lists the options of a command.
      Exit codes: 0 done, 1 refused or failed, 2 usage, 130 cancelled.
      """)
    return .done
  }
}
