import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

@Suite(.timeLimit(.minutes(5))) struct HistoryCommandTests {
  private let bench: ToolBench

  init() throws { bench = try ToolBench() }

  private func stack() throws -> DataStack {
    try DataStack(
      model: TestModels.userNotes(), store: .sqlite(URL(filePath: bench.store)), tracksChanges: true
    )
  }

  private func edit(_ stack: DataStack, _ id: Int64, _ name: String) throws {
    let context = stack.newBackgroundContext()
    context.author = "me"
    try context.edit {
      let request = Fetch<ManagedObject>(entityNamed: "User", Filter("id == %@", id))
      let user = try context.fetch(request).first ?? context.insert(entityNamed: "User")
      user["id"] = id
      user["name"] = name
    }
  }

  @Test func theHistoryTellsWhoChangedWhat() async throws {
    let stack = try stack()
    try await stack.sync([["id": 1, "notes": [["id": 7]]]] as JSONValue, inEntityNamed: "User")
    try edit(stack, 1, "a")
    try stack.close()
    let result = await bench.run("history", "--store", bench.store)
    let lines = result.output.split(separator: "\n")
    try #require(lines.count == 5)
    #expect(lines[0].hasPrefix("1  "))
    #expect(lines[0].contains("synced by "))
    #expect(lines[1...2] == ["  User 1 inserted", "  Note 7 inserted"])
    #expect(lines[3].hasSuffix("  edited by me"))
    #expect(lines[4] == "  User 1 updated: name")
    #expect(result.error == "2 commits.\n")
    let json = await bench.run("history", "--store", bench.store, "--json", "--since", "1")
    let line = try JSONValue(parsing: json.output)
    #expect(line["token"] == 2)
    #expect(line["author"] == "me")
    #expect(
      line["changes"] == [
        ["entity": "User", "change": "updated", "row": 1, "key": 1, "properties": ["name"]]
      ])
    let first = await bench.run("history", "--store", bench.store, "--limit", "1")
    #expect(first.error == "1 commit.\n")
  }

  @Test func commitsOfManyObjectsAreSummedUpUnlessAllAreAskedFor() async throws {
    let stack = try stack()
    let users: JSONValue = .array(
      (1...1_200).map { ["id": .integer($0), "notes": [["id": .integer($0)]]] })
    try await stack.sync(users, inEntityNamed: "User")
    try stack.edit { context in
      let users = try context.fetch(
        Fetch<ManagedObject>(entityNamed: "User", Filter("id <= 7")).sorted(by: "id"))
      for user in users.dropFirst() { user["name"] = "n" }
      context.delete(users[0])
    }
    try stack.close()
    let sums = await bench.run("history", "--store", bench.store)
    let lines = sums.output.split(separator: "\n")
    try #require(lines.count >= 5, "\(sums.output)")
    #expect(lines[1...2] == ["  Note: 1,200 inserted", "  User: 1,200 inserted"])
    #expect(lines.last == "  User: 6 updated (name), 1 deleted")
    let all = await bench.run("history", "--store", bench.store, "--objects")
    expect(all, output: "  User 1200 inserted\n", "  User 1 deleted\n")
  }

  @Test(arguments: ["history", "watch"])
  func aStoreWithoutHistorySaysHowToStartOne(_ command: String) async throws {
    let plain = try DataStack(
      model: TestModels.userNotes(), store: .sqlite(URL(filePath: bench.store)))
    try plain.close()
    let result = await bench.run(command, "--store", bench.store)
    expect(result, .failed, error: "--start")
    #expect(await bench.run("history", "--store", bench.store, "--start").code == .done)
    let again = await bench.run("history", "--store", bench.store, "--start", "--wait", "0.5")
    #expect(again.error == "The store keeps a history already. It goes on as before.\n")
    #expect(await bench.run("history", "--store", bench.store).error == "0 commits.\n")
    #expect(await bench.run("history", "--store", bench.store, "--stop").code == .done)
    #expect(await bench.run("history", "--store", bench.store).code == .failed)
  }

  @Test func watchingShowsWhatOthersCommitMeanwhile() async throws {
    let stack = try stack()
    try edit(stack, 1, "before")
    let begun = Locked(false)
    // The first line it writes says that it watches; then more is committed.
    let texts = Locked("")
    let terminal = Terminal(
      outputWidth: nil, errorWidth: nil,
      output: { data in
        texts.withLock { $0 += String(decoding: data, as: UTF8.self) }
        let isFirst = begun.withLock { begun in
          defer { begun = true }
          return !begun
        }
        guard isFirst else { return }
        DispatchQueue.global().async {
          try? edit(stack, 2, "b")
          try? edit(stack, 2, "c")
        }
      }, error: { _ in })
    let code = await Tool.run(
      [
        "watch", "--store", bench.store, "--since", "0", "--count", "3", "--json", "--interval",
        "5",
      ], terminal: terminal)
    #expect(code == .done)
    let lines = texts.withLock { $0 }.split(separator: "\n")
    #expect(try lines.map { try JSONValue(parsing: String($0))["token"] } == [1, 2, 3])
    try stack.close()
  }

  @Test func anImportThatFailsLeavesNoNewFile() async throws {
    let model = try bench.file("model.xml", BadInputTests.model)
    for (json, code) in [("[{", ExitCode.failed), (#"[{"name": "x"}]"#, .failed), ("[]", .done)] {
      let file = try bench.file("a.json", json)
      let result = await bench.run(
        "import", file, "--model", model, "--entity", "User", "--store", bench.store, "--quiet")
      #expect(result.code == code)
      for ending in ["", "-wal", "-shm"] {
        #expect(
          FileManager.default.fileExists(atPath: bench.store + ending)
            == (code == .done && ending.isEmpty), "\(json) \(ending)")
      }
    }
  }
}
