import Foundation
import SyncCore
import SyncStack
import TestSupport
import Testing

/// Tests that need a process of their own: signals, the end of others, output that goes nowhere.
@Suite(.timeLimit(.minutes(5))) struct ToolProcessTests {
  private let cities: CityBench
  private var bench: ToolBench { cities.tool }

  init() throws { cities = try CityBench() }

  private func importing(_ words: String...) throws -> ToolProcess {
    try ToolProcess(
      ["import"] + words + ["--model", cities.model, "--entity", "City", "--store", bench.store])
  }

  /// Looks into the store beside the process that writes.
  private func reader() throws -> Store {
    var configuration = Store.Configuration(.file(URL(filePath: bench.store)))
    configuration.isReadOnly = true
    return try Store(
      model: ManagedObjectModel(contentsOf: URL(filePath: cities.model)),
      configuration: configuration
    )
  }

  @Test func theExitCodeSaysHowItEnded() async throws {
    #expect(try await importing(cities.file("a.json", 0..<3), "--quiet").wait() == 0)
    #expect(try await importing(bench.file("b.json", "[{"), "--quiet").wait() == 1)
    #expect(try await ToolProcess(["import"]).wait() == 2)
    #expect(try cities.stored() == [0, 1, 2])
  }

  // MARK: - Ctrl-C

  /// Services and containers end a program by SIGTERM.
  @Test(arguments: [SIGINT, SIGTERM])
  func anInterruptLeavesTheStoreAsItWas(_ signal: Int32) async throws {
    #expect(try await importing(cities.file("few.json", 0..<5), "--quiet").wait() == 0)
    let long = try importing(cities.file("many.json", 0..<60_000, "other"))
    #expect(await long.end(by: signal) { long.error.contains("match") } == 130)
    #expect(long.error.hasSuffix("Cancelled. The store is as it was.\n"), "\(long.error)")
    #expect(long.output.isEmpty)
    #expect(try cities.stored() == Array(0..<5))
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func anExportThatIsStoppedLeavesNoFile(_ signal: Int32) async throws {
    #expect(try await importing(cities.file("many.json", 0..<30_000), "--quiet").wait() == 0)
    let folder = bench.folder.file("exports")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let export = try ToolProcess([
      "export", "--store", bench.store, "--entity", "City", "--output",
      folder.appending(path: "cities.json").path,
    ])
    let status = await export.end(by: signal) {
      try !FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty
    }
    #expect(status == 130)
    #expect(export.error.contains("Cancelled."), "\(export.error)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func aSecondInterruptIsNotNeededWhileTheInputIsSilent() async throws {
    let pipe = Pipe()
    let waiting = try ToolProcess(
      ["import", "--stdin", "--model", cities.model, "--entity", "City", "--store", bench.store],
      input: pipe.fileHandleForReading)
    // The store is made before the input is read.
    try await waiting.until { FileManager.default.fileExists(atPath: bench.store) }
    while waiting.process.isRunning {
      waiting.signal(SIGINT)
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(await waiting.wait() == 130)
    try pipe.fileHandleForWriting.close()
  }

  // MARK: - kill -9

  @Test func whoIsKilledHasStoredNothing() async throws {
    #expect(try await importing(cities.file("few.json", 0..<5), "--quiet").wait() == 0)
    let long = try importing(cities.file("many.json", 0..<60_000, "other"))
    #expect(await long.end(by: SIGKILL) { long.error.contains("insert") } == 128 + SIGKILL)
    #expect(try cities.stored() == Array(0..<5))
  }

  @Test func anImportInBatchesThatWasKilledIsMadeUpFor() async throws {
    let count = 20_000
    #expect(try await importing(cities.file("old.json", count..<count + 10), "--quiet").wait() == 0)
    let words = [try cities.file("all.json", 0..<count), "--per-batch", "50"]
    let first = try importing(words[0], words[1], words[2], "--quiet")
    let reader = try reader()
    let city = try reader.model.requireEntity(named: "City")
    let status = await first.end(by: SIGKILL) {
      try reader.read { try $0.count(FetchPlan(entity: city)) } > 2_000
    }
    #expect(status == 128 + SIGKILL)
    // The next process that opens the file may find a batch in the log that the killed one had no
    // time to announce.
    try reader.close()
    let kept = try cities.stored().count - 10
    #expect(kept > 1_000 && kept < count && kept % 50 == 0)
    // Deletions wait for the end, and that is reached only now.
    let second = try importing(words[0], words[1], words[2], "--quiet", "--report", "json")
    #expect(await second.wait() == 0, "\(second.error)")
    let report = try JSONDecoder().decode(SyncReport.self, from: Data(second.output.utf8))
    #expect(report.inserted == count - kept)
    #expect(report.deleted == 10)
    #expect(try cities.stored() == Array(0..<count))
  }

  @Test(arguments: [SIGKILL, SIGINT])
  func aSessionGoesOnBehindThePageItWasStoppedAfter(_ signal: Int32) async throws {
    #expect(try await importing(cities.file("old.json", 0..<15), "--quiet").wait() == 0)
    let pages = try [
      cities.file("1.json", 0..<10), cities.file("2.json", 100..<30_100),
      cities.file("3.json", 20..<30),
    ]
    let words = pages + ["--session", "nightly"]
    let first = try ToolProcess(
      ["import"] + words + ["--model", cities.model, "--entity", "City", "--store", bench.store])
    let reader = try reader()
    let status = await first.end(by: signal) {
      try reader.read {
        try SessionState.all(in: $0).first?.pages.contains(where: \.isStored) == true
      }
    }
    try reader.close()
    #expect(status == (signal == SIGKILL ? 128 + SIGKILL : 130))
    if signal == SIGINT {
      #expect(first.error.contains("Cancelled. 1 of 3 pages stored, nothing deleted."))
    }
    #expect(try cities.stored() == Array(0..<15))
    let list = try ToolProcess(["sessions", "--store", bench.store, "--json"])
    #expect(await list.wait() == 0)
    let line = try JSONValue(parsing: list.output)
    #expect(line["stored"] == [.string(pages[0])])
    #expect(line["missing"] == [.string(pages[1]), .string(pages[2])])

    let second = try ToolProcess(
      ["import"] + words
        + ["--model", cities.model, "--entity", "City", "--store", bench.store, "--report", "json"])
    #expect(await second.wait() == 0, "\(second.error)")
    let report = try JSONDecoder().decode(SyncReport.self, from: Data(second.output.utf8))
    #expect(report.itemCount == 30_010 && report.deleted == 5)
    #expect(try cities.stored() == Array(0..<10) + Array(20..<30) + Array(100..<30_100))
  }

  // MARK: - Several writers

  @Test func oneProcessWatchesWhatOthersCommit() async throws {
    #expect(try await importing(cities.file("a.json", 0..<2), "--quiet").wait() == 0)
    #expect(try await ToolProcess(["history", "--store", bench.store, "--start"]).wait() == 0)
    let watch = try ToolProcess(
      ["watch", "--store", bench.store, "--since", "0", "--count", "3", "--json"])
    for number in 1...3 {
      let payload = try cities.file("\(number).json", 0..<2 + number)
      #expect(try await importing(payload, "--quiet").wait() == 0)
      try await watch.until { watch.output.count { $0 == "\n" } >= number }
    }
    #expect(await watch.wait() == 0, "\(watch.error)")
    let lines = try watch.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    #expect(lines.map { $0["changes"]?.arrayValue?.count } == [1, 1, 1])
    #expect(lines.map { $0["changes"]?.arrayValue?.first?["key"] } == [2, 3, 4])
  }

  @Test func watchingEndsWithAnInterrupt() async throws {
    #expect(try await importing(cities.file("a.json", 0..<2), "--quiet").wait() == 0)
    #expect(try await ToolProcess(["history", "--store", bench.store, "--start"]).wait() == 0)
    #expect(try await importing(cities.file("b.json", 0..<3), "--quiet").wait() == 0)
    let watch = try ToolProcess(["watch", "--store", bench.store, "--since", "0"])
    // Its output shows that it watches.
    try await watch.until { !watch.output.isEmpty }
    watch.signal(SIGINT)
    #expect(await watch.wait() == 130)
  }

  // MARK: - Output that goes nowhere

  @Test func outputWithoutRoomIsAnErrorNotACrash() async throws {
    #expect(try await importing(cities.file("a.json", 0..<2), "--quiet").wait() == 0)
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"), "no /dev/full")
    let show = try ToolProcess(["show", "City", "--store", bench.store], output: full)
    #expect(await show.wait() == 1)
    #expect(show.error.contains("The output cannot be written"), "\(show.error)")
    #expect(!show.error.contains("crash"))
  }

  /// As in `syncstack show | head -1`.
  @Test func aReaderThatLeavesEndsTheToolQuietly() async throws {
    #expect(try await importing(cities.file("a.json", 0..<20_000), "--quiet").wait() == 0)
    let pipe = Pipe()
    let show = try ToolProcess(
      ["show", "City", "--store", bench.store, "--limit", "0"], output: pipe.fileHandleForWriting)
    try pipe.fileHandleForWriting.close()
    _ = try pipe.fileHandleForReading.read(upToCount: 10)
    try pipe.fileHandleForReading.close()
    #expect([0, 128 + SIGPIPE].contains(await show.wait()))
    #expect(show.error.isEmpty, "\(show.error)")
  }

  /// Where its parent ignores the signal that would end it.
  @Test(arguments: [
    ("exec 3> >(exit); wait $!; exec 1>&3", "", 128 + SIGPIPE),
    ("exec >&-", "syncstack: The output cannot be written: the standard output is closed.", 1),
  ])
  func anOutputThatIsClosedIsNoRiddle(
    _ closing: String, _ message: String, _ code: Int32
  ) async throws {
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/bash")
    let tool = try ToolProcess.executable.path
    shell.arguments = ["-c", "trap '' PIPE; \(closing); exec '\(tool)' help import"]
    let error = Pipe()
    (shell.standardError, shell.standardOutput) = (error, FileHandle.nullDevice)
    try shell.run()
    let text = String(decoding: try error.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    shell.waitUntilExit()
    #expect(text.hasPrefix(message) && text.isEmpty == message.isEmpty, "\(text)")
    #expect(shell.terminationStatus == code)
  }
}
