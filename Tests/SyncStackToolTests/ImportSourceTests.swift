import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

/// `import` takes one document or the pages of a list, in one transaction or in many.
@Suite struct ImportSourceTests {
  private let cities: CityBench
  private var bench: ToolBench { cities.tool }

  init() throws { cities = try CityBench() }

  private func importing(_ words: String...) async -> ToolBench.Outcome {
    await bench.run(
      ["import"] + words
        + ["--model", cities.model, "--entity", "City", "--store", bench.store, "--quiet"])
  }

  @Test func filesArePagesOfOneListAndWhatNoneMentionsGoesAtTheEnd() async throws {
    #expect(await importing(try cities.file("all.json", 0..<30)).code == .done)
    let result = await importing(
      try cities.file("one.json", 0..<10), try cities.file("two.json", 10..<25), "--report", "json")
    #expect(result.code == .done, "\(result.error)")
    #expect(try cities.stored() == Array(0..<25))
    let report = try JSONDecoder().decode(SyncReport.self, from: Data(result.output.utf8))
    #expect(report.entities["City"]?.unchanged == 25 && report.entities["City"]?.deleted == 5)
  }

  @Test func aStoreThatIsThereBringsItsModel() async throws {
    let words = ["--entity", "City", "--store", bench.store]
    let none = await bench.run(["import", try cities.file("one.json", 0..<3)] + words)
    #expect(none.code == .usage && none.error.contains("there is no store"), "\(none.error)")
    #expect(await importing(try cities.file("one.json", 0..<3)).code == .done)
    let kept = await bench.run(["import", try cities.file("two.json", 1..<5)] + words)
    #expect(kept.code == .done, "\(kept.error)")
    #expect(try cities.stored() == Array(1..<5))
  }

  @Test func aPageThatCannotBeReadDeletesNothing() async throws {
    #expect(await importing(try cities.file("all.json", 0..<30)).code == .done)
    let result = await importing(
      try cities.file("one.json", 0..<10), try bench.file("two.json", "[{\"id\": 1"))
    #expect(result.code == .failed)
    #expect(try cities.stored() == Array(0..<30))
  }

  @Test(arguments: [1, 7, 1_000]) func batchesGiveWhatOneTransactionGives(size: Int) async throws {
    let result = await importing(try cities.file("all.json", 0..<20), "--per-batch", "\(size)")
    #expect(result.code == .done, "\(result.error)")
    #expect(try cities.stored() == Array(0..<20))
  }

  @Test func batchesBeforeOneThatFailsStay() async throws {
    let items = (0..<20).map { $0 == 13 ? "{\"id\": 13," : "{\"id\": \($0)}" }
    let file = try bench.file("broken.ndjson", items.joined(separator: "\n"))
    let result = await importing(file, "--per-batch", "5")
    expect(result, .failed, error: "Batches before the one that failed stay")
    #expect(try cities.stored() == Array(0..<10))
  }

  @Test(arguments: [["--session", "nightly"], ["--per-batch", "5"]])
  func theLogHasWhatWasStoredBeforeAnError(_ words: [String]) async throws {
    let log = bench.folder.file("log.ndjson")
    let lines = (0..<10).map { "{\"id\": \($0)}\n" } + ["{\"id\": 13,"]
    let files =
      words[0] == "--session"
      ? [try cities.file("one.json", 0..<10), try bench.file("two.json", "[{\"id\": 1")]
      : [try bench.file("broken.ndjson", lines.joined())]
    let result = await bench.run(
      ["import"] + files + words
        + ["--model", cities.model, "--entity", "City", "--store", bench.store, "--log", log.path])
    #expect(result.code == .failed, "\(result.error)")
    #expect(try String(contentsOf: log, encoding: .utf8).split(separator: "\n").count == 10)
  }

  @Test func aPipeIsReadFromTheStandardInput() async throws {
    let path = try cities.file("one.json", 0..<1) + ".pipe"
    #expect(mkfifo(path, 0o600) == 0)
    let imported = await importing(path)
    let drawn = await bench.run("model", "--from", path)
    for (code, error) in [(imported.code, imported.error), (drawn.code, drawn.error)] {
      #expect(code == .failed && error.contains("standard input: - < \(path)"), "\(error)")
    }
  }

  // MARK: - Sessions with a name

  private func sessions(_ words: String...) async -> ToolBench.Outcome {
    await bench.run(["sessions", "--store", bench.store] + words)
  }

  @Test func aSessionGoesOnBehindThePagesThatAreStored() async throws {
    #expect(await importing(try cities.file("all.json", 0..<30)).code == .done)
    let one = try cities.file("one.json", 0..<10)
    let two = try bench.file("two.json", "[{\"id\": 1")
    let failed = await importing(one, two, "--session", "nightly")
    #expect(failed.code == .failed)
    #expect(
      failed.error.contains("1 of 2 pages stored, nothing deleted. Stopped at \(two)."),
      "\(failed.error)")
    #expect(try cities.stored() == Array(0..<30))
    let lines = await sessions("--json").output
    let line = try JSONValue(parsing: lines)
    #expect(line["name"] == "nightly" && line["entity"] == "City")
    #expect(line["stored"] == [.string(one)] && line["missing"] == [.string(two)])
    #expect(await sessions().output.contains("nightly"))

    _ = try cities.file("two.json", 10..<25)
    let again = await bench.run(
      "import", one, two, "--session", "nightly", "--model", cities.model, "--entity", "City",
      "--store",
      bench.store, "--report", "json")
    expect(again, .done, error: "1 of 2 pages stored before")
    let report = try JSONDecoder().decode(SyncReport.self, from: Data(again.output.utf8))
    #expect(report.itemCount == 15 && report.deleted == 5)
    #expect(try cities.stored() == Array(0..<25))
    #expect(await sessions().error == "No session is kept.\n")
  }

  /// Objects that were stored of it may be gone from the new content, and the other way round.
  @Test func aPageWhoseFileChangedIsReadAgain() async throws {
    #expect(await importing(try cities.file("all.json", 0..<30)).code == .done)
    let one = try cities.file("one.json", 0..<10)
    let two = try bench.file("two.json", "[{\"id\": 1")
    #expect(await importing(one, two, "--session", "nightly").code == .failed)
    _ = try cities.file("one.json", 0..<12)
    _ = try cities.file("two.json", 20..<25)
    #expect(await importing(one, two, "--session", "nightly").code == .done)
    #expect(try cities.stored() == Array(0..<12) + Array(20..<25))
  }

  @Test func aSessionCanBeAbandoned() async throws {
    #expect(await importing(try cities.file("all.json", 0..<30)).code == .done)
    let one = try cities.file("one.json", 5..<35)
    let two = try bench.file("two.json", "[{\"id\": 1")
    #expect(await importing(one, two, "--session", "nightly").code == .failed)
    // Another list under the same name lacks a page.
    let other = await importing(one, "--session", "nightly")
    #expect(other.code == .failed && other.error.contains("two.json"), "\(other.error)")
    let wrong = await sessions("--abandon", "nigthly")
    #expect(wrong.code == .failed && wrong.error.contains("Did you mean nightly?"))
    #expect(await sessions("--abandon", "nightly").code == .done)
    #expect(try cities.stored() == Array(0..<35))
    #expect(await importing(one, "--session", "nightly").code == .done)
    #expect(try cities.stored() == Array(5..<35))
  }

  /// The deletions at the end depend on them, and on the store that the first page found.
  @Test(arguments: [
    ["--where", "id < 20"], ["--operations", "insert"], ["--at", "data.items"],
    ["--operations", "insert,update", "--where", "id < 5"],
  ])
  func aSessionGoesOnWithTheSettingsItBeganWith(_ others: [String]) async throws {
    #expect(await importing(try cities.file("all.json", 0..<30)).code == .done)
    let one = try cities.file("one.json", 0..<10)
    let two = try bench.file("two.json", "[{\"id\": 1")
    #expect(await importing(one, two, "--session", "nightly").code == .failed)
    _ = try cities.file("two.json", 10..<25)
    let session = ["import", one, two, "--session", "nightly", "--model", cities.model, "--quiet"]
    let city = ["--entity", "City", "--store", bench.store]
    let refused = await bench.run(session + city + others)
    #expect(refused.code == .failed)
    for option in others where option.hasPrefix("--") {
      #expect(refused.error.contains("\(option) was"), "\(refused.error)")
    }
    #expect(refused.error.contains("abandon"), "\(refused.error)")
    #expect(try cities.stored() == Array(0..<30))
    // The guard and the treatment of unfit items may change: that is how a refusal is answered.
    let again = await bench.run(session + city + ["--guard", "off", "--on-error", "fail"])
    #expect(again.code == .done, "\(again.error)")
    #expect(try cities.stored() == Array(0..<25))
  }

  @Test func aSessionIsOfOneEntity() async throws {
    let two = try bench.file("two.json", "[{\"id\": 1")
    #expect(
      await importing(try cities.file("one.json", 0..<10), two, "--session", "nightly").code
        == .failed)
    let both = try bench.file(
      "Both.xml",
      try String(contentsOfFile: cities.model, encoding: .utf8).replacing(
        "</model>",
        with: """
          <entity name="Town" syncable="YES">
          <attribute name="id" optional="YES" attributeType="Integer 64"/></entity></model>
          """))
    let store = try DataStack(
      model: ManagedObjectModel(contentsOf: URL(filePath: both)),
      store: .sqlite(URL(filePath: bench.store)))
    try store.close()
    let other = await bench.run(
      "import", two, "--session", "nightly", "--model", both, "--entity", "Town", "--store",
      bench.store)
    expect(other, .failed, error: "pages of City, not of Town")
  }

  /// The second mention counts for nothing; the report counts it once too.
  @Test(arguments: [[], ["--session", "nightly"]])
  func aFileThatIsGivenTwiceIsReadOnce(_ words: [String]) async throws {
    let one = try cities.file("one.json", 0..<10)
    let two = try cities.file("two.json", 5..<15)
    let link = one + ".link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: one)
    let result = await bench.run(
      ["import", one, two, one, link] + words
        + ["--model", cities.model, "--entity", "City", "--store", bench.store, "--report", "json"])
    expect(result, .done, error: "one.json was given before", "one.json.link was given before")
    let report = try JSONDecoder().decode(SyncReport.self, from: Data(result.output.utf8))
    #expect(report.itemCount == 20 && report.inserted == 15)
  }

  @Test(arguments: [
    ["-", "--session", "a"], ["FILE", "--session", ""], ["FILE", "--session", "a", "--dry-run"],
    ["FILE", "--session", "a", "--per-batch", "5"], ["FILE", "--session", "a", "--parent", "A:1"],
    ["FILE", "--session"],
  ])
  func aSessionNeedsFilesThatAreReadWhole(_ words: [String]) async throws {
    let file = try cities.file("all.json", 0..<3)
    let result = await bench.run(
      ["import"] + words.map { $0 == "FILE" ? file : $0 }
        + ["--model", cities.model, "--entity", "City", "--store", bench.store])
    #expect(result.code == .usage && result.error.contains("--session"), "\(result.error)")
  }

  #if os(Linux)
    @Test func aLogThatIsFullSaysThatTheChangesAreStored() async throws {
      let city = try CityBench()
      let result = await city.tool.run(
        "import", try city.file("a.json", 1..<3), "--model", city.model, "--entity", "City",
        "--store", city.tool.store, "--log", "/dev/full")
      expect(result, .failed, error: "The changes are stored, but the log /dev/full is incomplete")
      #expect(!result.error.contains("NSPOSIXErrorDomain"), "\(result.error)")
      #expect(try city.stored() == [1, 2])
    }
  #endif
}
