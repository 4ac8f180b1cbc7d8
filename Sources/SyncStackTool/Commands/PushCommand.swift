import SyncCloud
import SyncStack

/// `syncstack push`: sends the edits that were saved here to a server.
struct PushCommand: Command {
  static let syntax = CommandSyntax(
    name: "push", summary: "Sends what was saved in a store to a server.",
    operands: [],
    options: CloudSettings.options + [
      .init(
        "--everything",
        "sends all objects, and fetches what is there: for a server that was emptied, or another account"
      )
    ],
    example:
      "syncstack push --store app.sqlite --server https://sync.example.com --app demo --user ann")

  private let settings: CloudSettings
  private let sendsEverything: Bool

  init(_ arguments: Arguments) throws {
    settings = try CloudSettings(arguments)
    sendsEverything = arguments.has("--everything")
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    try await run(in: CloudSession(settings, command: "push", on: terminal))
  }

  func run(in session: CloudSession) async throws -> ExitCode {
    let ((report, status), _) = try await session.run(
      createsStore: false, left: "What was sent is sent; the next push sends the rest."
    ) { [sendsEverything] engine in
      if sendsEverything {
        try await engine.uploadEverything()
        let pull = PullOperation(engine)
        _ = try await session.run(pull, pull.progress, "pull", on: engine)
      }
      let push = PushOperation(engine)
      let report = try await session.run(push, push.progress, "push", on: engine)
      return (report, engine.status)
    }
    let text = CloudText(status: status)
    session.show(text.sentence(of: report), text.json(of: report), text)
    return report.refused == 0 ? .done : .failed
  }
}
