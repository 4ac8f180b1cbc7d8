import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

@Suite struct ToolTests {
  private let bench: ToolBench

  init() throws { bench = try ToolBench() }

  @Test func importsShowsAndImportsAgain() async throws {
    #expect(await bench.countries(2016).code == .done)
    let log = bench.folder.file("changes.ndjson")
    let second = await bench.countries(2024, "--report", "json", "--log", log.path)
    #expect(second.code == .done)
    let report = try JSONDecoder().decode(SyncReport.self, from: Data(second.output.utf8))
    #expect(report.entities["Subdivision"]?.inserted == 793)
    #expect(report.entities["Subdivision"]?.updated == 1_151)
    #expect(report.entities["Subdivision"]?.deleted == 594)
    let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
    #expect(lines.count { $0.contains(#""change":"inserted""#) } == 793)
    #expect(lines.count { $0.contains(#""change":"deleted""#) } == 594)
    #expect(lines.count { $0.contains(#""entity":"Subdivision","change":"updated""#) } == 1_151)
    #expect(
      lines.contains {
        $0.contains(#""change":"updated""#) && $0.contains(#""key":"CZ""#)
          && $0.contains(#""name","#)
      })
    #expect(await bench.countries(2024, "--report", "text").output.contains("Nothing changed"))

    let all = await bench.run("show", "--store", bench.store)
    #expect(all.output.contains("Subdivision    5,046  code  country → Country"))
    let czechia = await bench.run(
      "show", "Country", "--store", bench.store, "--where", "name BEGINSWITH 'Czech'")
    #expect(czechia.output.contains("Czechia"))
    #expect(czechia.error == "1 object.\n")
  }

  @Test func aDryRunLeavesNoStoreBehind() async throws {
    let result = await bench.countries(2016, "--dry-run", "--report", "text")
    expect(result, .done, output: "Dry run: nothing was stored.")
    #expect(!FileManager.default.fileExists(atPath: bench.store))
  }

  @Test func aDryRunChangesNothing() async throws {
    _ = await bench.countries(2016)
    let result = await bench.countries(2024, "--dry-run", "--report", "json")
    let report = try JSONDecoder().decode(SyncReport.self, from: Data(result.output.utf8))
    #expect(report.deleted == 594)
    #expect(await bench.countries(2016, "--report", "text").output.contains("Nothing changed"))
  }

  @Test func childrenOfOneParentCanBeImported() async throws {
    _ = await bench.countries(2024)
    let parts = try bench.file(
      "parts.json", #"[{"code": "LI-01", "name": "Balzers", "category": "Commune"}]"#)
    let model = Fixtures.exampleData("Countries.xcdatamodeld").path
    let result = await bench.run(
      "import", parts, "--model", model, "--entity", "Subdivision", "--store", bench.store,
      "--parent", "Country:LI:country")
    expect(result, .done, output: "Subdivision         0        0       10          1")
    let missing = await bench.run(
      "import", parts, "--model", model, "--entity", "Subdivision", "--store", bench.store,
      "--parent", "Country:XX:country")
    expect(missing, .failed, error: "There is no Country with code “XX” in the store.")
  }

  @Test(
    arguments: [
      (["imprt"], "Did you mean import?"),
      (["--verson"], "There is no option --verson. Did you mean --version?"),
      (["-v"], "There are --help and --version."), (["hlp"], "Did you mean help?"),
      (["show"], "--store FILE is missing"),
      (["model"], "MODEL is missing."), (["model", "x", "--diagram", "png"], "mermaid, dot"),
      (["show", "--store", "x", "--where", "a = 1"], "needs an ENTITY"),
      (["show", "User", "1", "--store", "x", "--limit", "3"], "exclude each other"),
      (["show", "User", "--store", "x", "--limit", "-3"], "a whole number from 0 up, not “-3”"),
      (["show", "User", "--store", "x", "--json", "--records"], "exclude each other"),
      (["completion", "tcsh"], "bash, zsh and fish"), (["completion"], "bash|zsh|fish is missing"),
      (
        ["import", "x", "--model", "m", "--entity", "E", "--store", "s", "--operations", "drop"],
        "drop"
      ),
      (
        ["import", "x", "--model", "m", "--entity", "E", "--store", "s", "--parent", "A"],
        "ENTITY:ID"
      ),
      (["import", "--model", "m", "--entity", "E", "--store", "s"], "FILE is missing"),
      (["import", "x", "--stdin", "--model", "m", "--entity", "E", "--store", "s"], "exclude"),
      (["import", "-", "-", "--model", "m", "--entity", "E", "--store", "s"], "read once"),
      (
        ["import", "x", "y", "--dry-run", "--model", "m", "--entity", "E", "--store", "s"],
        "goes with one FILE"
      ),
      (
        ["import", "x", "--per-batch", "0", "--model", "m", "--entity", "E", "--store", "s"],
        "above 0"
      ),
    ] as [([String], String)])
  func aCommandLineThatMakesNoSenseIsUsage(words: [String], message: String) async throws {
    let result = await (try ToolBench()).run(words)
    #expect(result.code == .usage)
    #expect(result.error.contains(message))
  }

  @Test func theToolAloneShowsItsHelp() async throws {
    let result = await bench.run([])
    #expect(result.code == .usage)
    #expect(result.output == (await bench.run("help").output))
  }

  @Test(arguments: ["help", "--help", "help import", "import --help", "show -h", "--version"])
  func helpIsNoMistake(line: String) async throws {
    let result = await bench.run(line.split(separator: " ").map(String.init))
    expect(result, .done, output: "syncstack")
    #expect(result.error.isEmpty)
  }
}
