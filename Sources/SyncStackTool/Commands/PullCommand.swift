import SyncCloud
import SyncStack

/// `syncstack pull`: what others sent to a server comes here.
struct PullCommand: Command {
  static let syntax = CommandSyntax(
    name: "pull", summary: "Fetches what others sent to a server into a store.",
    operands: [], options: CloudSettings.options)

  private let settings: CloudSettings

  init(_ arguments: Arguments) throws {
    settings = try CloudSettings(arguments)
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    try await run(in: CloudSession(settings, command: "pull", on: terminal))
  }

  func run(in session: CloudSession) async throws -> ExitCode {
    let (report, status) = try await session.run(
      createsStore: true, left: "What was fetched is stored; the next pull goes on there."
    ) { engine in
      let pull = PullOperation(engine)
      let report = try await session.run(pull, pull.progress, "pull", on: engine)
      return (report, try engine.status)
    }
    let text = CloudText(status: status)
    if settings.isJSON {
      session.terminal.print(text.json(of: report))
    } else {
      session.terminal.print(text.sentence(of: report))
      session.terminal.print(text.problems)
    }
    return report.problems == 0 ? .done : .failed
  }
}
