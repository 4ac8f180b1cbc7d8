import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

@Suite(.timeLimit(.minutes(5))) struct UndoCommandTests {
  private let bench: ToolBench

  /// A store whose second commit is nonsense.
  init() async throws {
    bench = try ToolBench()
    let stack = try DataStack(
      model: TestModels.userNotes(), store: .sqlite(URL(filePath: bench.store)), history: .values)
    for name in ["Ann", "nonsense"] {
      try await stack.sync([["id": 1, "name": .string(name)]] as JSONValue, inEntityNamed: "User")
    }
    try stack.close()
  }

  @Test func aCommitIsTakenBackAfterATrial() async throws {
    let trial = await bench.run("undo", "2", "--store", bench.store, "--dry-run")
    #expect(trial.output == "User: 1 would be updated\n")
    #expect(trial.error == "")
    let result = await bench.run("undo", "2", "--store", bench.store)
    #expect(result.output == "User: 1 updated\n")
    #expect(result.error == "The undo is commit 3.\n")
    let history = await bench.run("history", "--store", bench.store, "--values", "--since", "1")
    expect(history, output: "User 1 updated: name was “Ann”", "undone by syncstack (undo)")
    let diff = await bench.run("diff", "--since", "1", "--store", bench.store)
    #expect(diff.error == "0 objects differ from then.\n")
  }

  @Test func differencesAreShownAsTextAndJSON() async throws {
    let text = await bench.run("diff", "--since", "1", "--store", bench.store)
    #expect(text.output == "User 1 updated: name “Ann” → “nonsense”\n")
    let json = await bench.run("diff", "--since", "1", "--store", bench.store, "--json")
    let line = try JSONValue(parsing: json.output)
    #expect(line["old"] == ["name": "Ann"])
    #expect(line["new"] == ["name": "nonsense"])
    let report = await bench.run("undo", "2", "--store", bench.store, "--json", "--dry-run")
    #expect(try JSONValue(parsing: report.output)["undone"]?["User"]?["updated"] == 1)
  }

  @Test func aCommitThatIsNoneIsAnErrorOfUsage() async throws {
    for word in ["x", "3-1", "0", "1-2-3"] {
      let result = await bench.run("undo", word, "--store", bench.store)
      #expect(result.error.contains("COMMIT is a number"))
    }
    let late = await bench.run("undo", "9", "--store", bench.store)
    #expect(late.error.contains("There is no commit 9"))
    for number in ["9", "\(Int64.max)"] {
      let diff = await bench.run("diff", "--since", number, "--store", bench.store)
      expect(diff, .failed, error: "There is no commit \(number)")
    }
  }

  @Test func aRefusedUndoNamesTheOptionsThatItHas() async throws {
    let result = await bench.run(
      "undo", "1-2", "--store", bench.store, "--guard", "count=0,share=0%")
    expect(result, .failed, error: "would delete 1 of 1", "--guard off allows it")
    for text in ["deletionGuard", "--operations", "--where"] {
      #expect(!result.error.contains(text), "\(result.error)")
    }
  }

  @Test(arguments: [["undo", "1"], ["diff", "--since", "1"]], [true, false])
  func withoutFormerValuesTheCommandThatStartsThemIsNamed(
    _ words: [String], _ hasHistory: Bool
  ) async throws {
    let stack = try DataStack(
      model: TestModels.userNotes(), store: .sqlite(URL(filePath: bench.store)))
    if hasHistory {
      try stack.stopKeepingFormerValues()
    } else {
      try stack.stopTrackingChanges()
    }
    try stack.close()
    let result = await bench.run(words + ["--store", bench.store])
    expect(result, .failed, error: "'syncstack history --start --values' keeps")
    #expect(!result.error.contains("Open the stack"), "\(result.error)")
  }

  @Test func formerValuesAreStartedOnTheCommandLine() async throws {
    let stack = try DataStack(
      model: TestModels.userNotes(), store: .sqlite(URL(filePath: bench.store)))
    try stack.stopTrackingChanges()
    try stack.close()
    let start = await bench.run("history", "--store", bench.store, "--start", "--values")
    #expect(start.error == "The store keeps a history with former values from now on.\n")
  }
}
