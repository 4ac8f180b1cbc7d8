import Foundation
import SyncCloud
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

/// `push`, `pull` and `status` against a server in memory.
@Suite(.timeLimit(.minutes(5))) struct CloudCommandTests {
  private let bench: ToolBench
  private let server = MemoryTransport(account: "ann")
  private let model: String
  private let address = ["--server", "https://sync.example.com", "--app", "demo", "--user", "ann"]

  init() throws {
    bench = try ToolBench()
    model = try bench.file("model.xml", BadInputTests.model)
  }

  private func importing(_ json: String, _ store: String) async throws {
    let file = try bench.file("users.json", json)
    let result = await bench.run(
      "import", file, "--model", model, "--entity", "User", "--store", store, "--quiet")
    #expect(result.code == .done, "\(result.error)")
  }

  private func other() -> String { bench.folder.file("other.sqlite").path }

  /// The exit code and the output of a push or pull.
  private func run(
    _ name: String, _ words: [String], _ connected: Connected = Connected()
  ) async throws -> (code: ExitCode, output: String, notes: String) {
    let text = Locked("")
    let notes = Locked("")
    let terminal = Terminal(
      outputWidth: nil, errorWidth: nil,
      output: { data in text.withLock { $0 += String(decoding: data, as: UTF8.self) } },
      error: { data in notes.withLock { $0 += String(decoding: data, as: UTF8.self) } })
    let syntax = name == "push" ? PushCommand.syntax : PullCommand.syntax
    let arguments = try Arguments(words, syntax: syntax)
    let session = CloudSession(try CloudSettings(arguments), command: name, on: terminal) {
      [server] address in
      connected.address.withLock { $0 = address }
      return server
    }
    let code =
      name == "push"
      ? try await PushCommand(arguments).run(in: session)
      : try await PullCommand(arguments).run(in: session)
    return (code, text.withLock { $0 }, notes.withLock { $0 })
  }

  @Test func whatOneStorePushesAnotherPulls() async throws {
    try await importing(#"[{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]"#, bench.store)
    let push = try await run("push", ["--store", bench.store] + address)
    #expect(push.code == .done && push.output == "2 records sent.\n")
    let pull = try await run("pull", ["--store", other(), "--model", model] + address)
    #expect(pull.code == .done && pull.output == "2 objects inserted, 0 updated, 0 deleted.\n")
    let shown = await bench.run("show", "User", "--store", other(), "--sort", "id")
    #expect(shown.output.hasSuffix(" 1  Ann\n 2  Bob\n"), "\(shown.output)")
    #expect(try await run("pull", ["--store", other()]).output == "Nothing new.\n")
    #expect(try await run("push", ["--store", other()]).output == "Nothing to send.\n")
  }

  @Test func lineOfJSONSayWhatWasDone() async throws {
    try await importing(#"[{"id": 1, "name": "Ann"}]"#, bench.store)
    let push = try await run("push", ["--store", bench.store, "--json"] + address)
    #expect(
      try JSONValue(parsing: push.output) == [
        "batches": 1, "sent": 1, "conflicts": 0, "refused": 0, "waiting": 0, "problems": [],
      ])
    let pull = try await run("pull", ["--store", other(), "--model", model, "--json"] + address)
    let line = try JSONValue(parsing: pull.output)
    #expect(line["inserted"] == 1 && line["records"] == 1 && line["pages"] == 1)
  }

  @Test func whereAStoreIsSyncedIsRememberedOnceItWentWell() async throws {
    try await importing(#"[{"id": 1}]"#, bench.store)
    await #expect(throws: UsageError.self) { try await run("push", ["--store", bench.store]) }
    // It begins no history either.
    #expect(await bench.run("history", "--store", bench.store).code == .failed)
    server.signIn("ann")
    _ = try await run("push", ["--store", bench.store] + address)
    let connected = Connected()
    _ = try await run("push", ["--store", bench.store], connected)
    let known = RemoteAddress(server: "https://sync.example.com", app: "demo", user: "ann")
    #expect(connected.address.withLock { $0 } == known)
    // Another account is refused, and not remembered.
    server.signIn("eve")
    await #expect(throws: CloudError.self) {
      try await run("push", ["--store", bench.store, "--user", "eve"])
    }
    server.signIn("ann")
    _ = try await run("push", ["--store", bench.store], connected)
    #expect(connected.address.withLock { $0 } == known)
  }

  @Test func everythingIsSentWhenTheServerWasEmptied() async throws {
    try await importing(#"[{"id": 1}, {"id": 2}]"#, bench.store)
    _ = try await run("push", ["--store", bench.store] + address)
    let zone = CloudZone(.private)
    try await server.remove(zone)
    let error = await #expect(throws: CloudError.self) {
      try await run("push", ["--store", bench.store])
    }
    #expect(error.map { ErrorHint.text(for: $0)?.contains("--everything") } == true)
    #expect(error.map { ErrorHint.message(of: $0).contains("uploadEverything") } == false)
    let push = try await run("push", ["--store", bench.store, "--everything"])
    #expect(push.output == "2 records sent.\n")
    #expect(server.records(in: zone).count == 2)
  }

  @Test func whatTheServerHasTakesThePlaceOfWhatIsHereWhenAsked() async throws {
    try await importing(#"[{"id": 1}, {"id": 2}]"#, bench.store)
    _ = try await run("push", ["--store", bench.store] + address)
    try await importing(#"[{"id": 3}]"#, other())
    try await server.remove(CloudZone(.private))
    _ = try await run("push", ["--store", other()] + address)
    let error = await #expect(throws: CloudError.self) {
      try await run("pull", ["--store", bench.store])
    }
    #expect(error.map { ErrorHint.text(for: $0)?.contains("--replace-local") } == true)
    let pull = try await run("pull", ["--store", bench.store, "--replace-local"])
    #expect(pull.output == "1 object inserted, 0 updated, 2 deleted.\n")
    #expect(try await run("push", ["--store", bench.store]).output == "Nothing to send.\n")
  }

  @Test func aPullThatDeletesTooMuchIsRefusedUnlessTheGuardAllowsIt() async throws {
    try await importing(#"[{"id": 1}, {"id": 2}, {"id": 3}]"#, bench.store)
    _ = try await run("push", ["--store", bench.store] + address)
    _ = try await run("pull", ["--store", other(), "--model", model] + address)
    try await importing(#"[{"id": 1}]"#, other())
    _ = try await run("push", ["--store", other()])
    let limits = ["--guard", "count=1,share=10%"]
    let error = await #expect(throws: CloudError.self) {
      try await run("pull", ["--store", bench.store] + limits)
    }
    #expect(error?.code == .deletionRefused)
    #expect(error.map { ErrorHint.text(for: $0)?.contains("--guard off") } == true)
    let pull = try await run("pull", ["--store", bench.store, "--guard", "off"])
    #expect(pull.output == "0 objects inserted, 0 updated, 2 deleted.\n")
  }

  @Test func eachScopeHasAZoneOfItsOwn() async throws {
    let scope = #"<userInfo><entry key="cloud.scope" value="public"/></userInfo>"#
    let model = try bench.file(
      "shared.xml",
      BadInputTests.model.replacing(
        #"<entity name="User">"#, with: #"<entity name="User">"# + scope))
    let file = try bench.file("users.json", #"[{"id": 1}]"#)
    let imported = await bench.run(
      "import", file, "--model", model, "--entity", "User", "--store", bench.store, "--quiet")
    #expect(imported.code == .done, "\(imported.error)")
    #expect(
      try await run("push", ["--store", bench.store] + address).output == "Nothing to send.\n")
    let push = try await run("push", ["--store", bench.store, "--scope", "public"])
    #expect(push.output == "1 record sent.\n" && !push.notes.contains("no entity"))
    #expect(server.records(in: CloudZone(.public)).count == 1)
    let status = await bench.run("status", "--store", bench.store, "--scope", "public", "--json")
    #expect(try JSONValue(parsing: status.output)["lastPush"] != nil, "\(status.output)")
  }

  @Test func aFirstPullThatFindsNothingAndAnotherAppAreNoted() async throws {
    let first = try await run("pull", ["--store", other(), "--model", model] + address)
    #expect(first.output == "Nothing new.\n" && first.notes.contains("check --app"))
    #expect(try await !run("pull", ["--store", other()]).notes.contains("!"))
    let scoped = try await run("pull", ["--store", other(), "--scope", "public"])
    #expect(scoped.notes.contains("no entity of the public scope"), "\(scoped.notes)")
    let moved = try await run("pull", ["--store", other(), "--app", "moved"])
    #expect(moved.notes.contains("https://sync.example.com, app demo, user ann"), "\(moved.notes)")
  }

  @Test func aPullThatFailsLeavesNoNewStore() async throws {
    let words = ["--store", other(), "--model", model]
    await #expect(throws: UsageError.self) { try await run("pull", words) }
    #expect(!FileManager.default.fileExists(atPath: other()))
    let missing = await #expect(throws: UsageError.self) {
      try await run("pull", ["--store", other()] + address)
    }
    #expect(missing?.message.contains("--model MODEL is missing") == true)
    await #expect(throws: ToolError.self) { try await run("push", words + address) }
    #expect(!FileManager.default.fileExists(atPath: other()))
  }

  // MARK: - Status

  @Test func theStatusSaysWhatWaitsAndWhatLost() async throws {
    try await importing(#"[{"id": 1, "name": "Ann"}]"#, bench.store)
    let before = await bench.run("status", "--store", bench.store)
    #expect(before.code == .done && before.error.contains("never synced"))
    _ = try await run("push", ["--store", bench.store] + address)
    _ = try await run("pull", ["--store", other(), "--model", model] + address)
    try await importing(#"[{"id": 1, "name": "Here, now"}]"#, bench.store)
    let edited = await bench.run("status", "--store", bench.store)
    #expect(
      edited.output.contains(
        "Server     https://sync.example.com, app demo, user ann\n"
          + "Waiting    0 records, and what changed in 1 object saved since\n"), "\(edited.output)")
    // The later value wins; the one that was never sent is kept aside.
    try await importing(#"[{"id": 1, "name": "There"}]"#, other())
    _ = try await run("push", ["--store", other()])
    _ = try await run("pull", ["--store", bench.store])
    let after = await bench.run("status", "--store", bench.store, "--json")
    let line = try JSONValue(parsing: after.output)
    #expect(line["waiting"] == 0 && line["edited"] == 0 && line["user"] == "ann")
    let lost = try #require(line["conflicts"]?.arrayValue?.first)
    #expect(lost["field"] == "name" && lost["value"] == "Here, now")
    let text = await bench.run("status", "--store", bench.store)
    #expect(
      text.output.contains("~ User.name \"Here, now\" lost to a later value"), "\(text.output)")
    #expect(!text.output.contains("Last pull  never"))
  }

  // MARK: - Options

  @Test(arguments: [
    (["--server", "sync.example.com"], "an address as in https://"),
    (["--server", "https://ann:pw@sync.example.com"], "no name and password"),
    (["--app", "my app"], "letters, digits"), (["--user", "a:b"], "without a colon"),
    (["--passwrod", "x"], "no option --passwrod"),
    (["--scope", "mine"], "private or public"),
  ])
  func optionsThatMakeNoSenseAreUsage(_ words: [String], _ message: String) async throws {
    for command in ["push", "pull"] {
      let result = await bench.run([command, "--store", bench.store] + words)
      #expect(result.code == .usage)
      #expect(result.error.contains(message), "\(result.error)")
    }
  }

  @Test(arguments: [
    ("secret\n", "secret"), ("sx\u{7F}ecret\r", "secret"), ("wrong\u{15}secret\n", "secret"),
    ("grün\u{8}\u{8}een\u{4}", "green"), ("\n", ""),
  ])
  func passwordsAreTypedWithCorrections(_ keys: String, _ password: String) throws {
    var line = PasswordLine()
    for byte in keys.utf8 { try line.type(byte) }
    #expect(line.isComplete && line.text == password)
  }

  @Test(arguments: ["\u{3}", "abc\u{3}", "\u{4}"]) func typingCanBeGivenUp(_ keys: String) throws {
    var line = PasswordLine()
    #expect(throws: CancellationError.self) { for byte in keys.utf8 { try line.type(byte) } }
  }
}

/// Where a command connected to.
private final class Connected: Sendable {
  let address = Locked<RemoteAddress?>(nil)
}
