import CSyncStackVersion
import Foundation
import SyncStack

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
    DiffCommand.self, UndoCommand.self, WatchCommand.self, PendingCommand.self, PushCommand.self,
    PullCommand.self, StatusCommand.self,
    CloudCommand.self,
    CheckCommand.self,
    CompletionCommand.self,
  ]

  /// The version of the package.
  static let version = "0.1.0"

  /// Runs a command line and says how it ended. Errors are written, never thrown.
  static func run(_ words: [String], terminal: Terminal) async -> ExitCode {
    var given: Arguments?
    do {
      guard let name = words.first else {
        _ = try help(nil, terminal: terminal)
        return .usage
      }
      if ["help", "--help", "-h"].contains(name) {
        return try help(words.dropFirst().first, terminal: terminal)
      }
      if name == "--version" || name == "version" {
        let commit = syncstack_commit().map { " (\(String(cString: $0)))" } ?? ""
        terminal.print("syncstack \(version)\(commit)")
        return .done
      }
      let type = try command(named: name)
      let options = words.prefix { $0 != "--" }
      if options.contains(where: { $0 == "--help" || $0 == "-h" }) {
        return try help(name, terminal: terminal)
      }
      let arguments = try Arguments(Array(words.dropFirst()), syntax: type.syntax)
      given = arguments
      // Inside, commands whose work leaves something behind have it cancelled instead.
      let interrupt = Interrupt { terminal.leaveCancelled() }
      defer { withExtendedLifetime(interrupt) {} }
      return try await type.init(arguments).run(terminal: terminal)
    } catch let error as UsageError {
      terminal.note("syncstack: \(error)")
      return .usage
    } catch let error as FilterError {
      // Of --where and --sort.
      terminal.note("syncstack: \(error)")
      return .usage
    } catch let error as Cancelled {
      terminal.note("Cancelled. \(error)")
      return .cancelled
    } catch is CancellationError {
      terminal.note("Cancelled. The store is as it was.")
      return .cancelled
    } catch {
      terminal.note("syncstack: \(ErrorHint.message(of: error))")
      if let hint = ErrorHint.text(for: error, of: given) { terminal.note(hint) }
      return .failed
    }
  }

  private static var names: String {
    commands.map { $0.syntax.name }.joined(separator: ", ")
  }

  private static func command(named name: String) throws(UsageError) -> any Command.Type {
    if let type = commands.first(where: { $0.syntax.name == name }) { return type }
    let isOption = name.hasPrefix("-")
    let known = isOption ? ["--help", "--version"] : commands.map { $0.syntax.name } + ["help"]
    let near = Spelling.nearest(to: name, in: known)
    let all = isOption ? known.joined(separator: " and ") : names
    let hint = near.map { "Did you mean \($0)?" } ?? "There are \(all)."
    throw UsageError("There is no \(isOption ? "option \(name)" : "command “\(name)”"). \(hint)")
  }

  private static func help(_ name: String?, terminal: Terminal) throws(UsageError) -> ExitCode {
    let width = terminal.outputWidth ?? HelpText.usualWidth
    if let name {
      terminal.print(HelpText(syntax: try command(named: name).syntax).text(width: width))
      return .done
    }
    let summary = "SyncStack brings JSON into a SQLite file and keeps it in step."
    terminal.print(TextWrap.lines(summary, width: width) + [""])
    terminal.print(
      TextWrap.columns(
        commands.map { ("syncstack \($0.syntax.name)", $0.syntax.summary) }, width: width))
    terminal.print()
    let rest =
      "'syncstack help COMMAND' lists the options of a command, 'syncstack --version' says which version "
      + "this is. Exit codes: 0 done, 1 refused or failed, 2 usage, 130 cancelled."
    terminal.print(TextWrap.lines(rest, width: width))
    return .done
  }
}
