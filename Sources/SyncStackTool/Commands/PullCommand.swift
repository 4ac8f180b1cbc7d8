import SyncCloud
import SyncStack

/// `syncstack pull`: fetches the records that others sent to a server.
struct PullCommand: Command {
  static let syntax = CommandSyntax(
    name: "pull", summary: "Fetches what others sent to a server into a store.",
    operands: [],
    options: CloudSettings.options + [
      .init(
        "--guard", value: "on|off|LIMITS",
        "refuse a pull that would delete most of the store (default: on); limits as in count=20,share=10%"
      ),
      .init(
        "--replace-local",
        "takes what the server has in the place of what is here: for a server that was made anew, or another account"
      ),
    ],
    example: "syncstack pull --store app.sqlite")

  private let settings: CloudSettings
  private let limits: DeletionGuard
  private let replacesLocal: Bool

  init(_ arguments: Arguments) throws {
    settings = try CloudSettings(arguments)
    limits = try GuardLimits.parse(arguments)
    replacesLocal = arguments.has("--replace-local")
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    try await run(in: CloudSession(settings, command: "pull", on: terminal))
  }

  func run(in session: CloudSession) async throws -> ExitCode {
    let ((report, status), isFirst) = try await session.run(
      createsStore: true, left: "What was fetched is stored; the next pull goes on there."
    ) { [limits, replacesLocal] engine in
      engine.deletionGuard = limits
      if replacesLocal { return (try await engine.replaceLocal(), engine.status) }
      let pull = PullOperation(engine)
      let report = try await session.run(pull, pull.progress, "pull", on: engine)
      return (report, engine.status)
    }
    if isFirst, report.records == 0 {
      session.terminal.note(
        "! The server has nothing yet for that app and user. If that is a surprise, check --app and --user."
      )
    }
    let text = CloudText(status: status)
    session.show(text.sentence(of: report), text.json(of: report), text)
    return report.problems == 0 ? .done : .failed
  }
}
