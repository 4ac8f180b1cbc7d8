import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

@Suite struct ExportCommandTests {
  @Test func anExportCanBeImportedAgain() async throws {
    let bench = try ToolBench()
    #expect(await bench.countries(2016).code == .done)
    let file = bench.folder.file("countries.json").path
    let result = await bench.run(
      "export", "--store", bench.store, "--entity", "Country", "--output", file)
    #expect(result.code == .done)
    #expect(result.output.isEmpty)
    #expect(result.error.hasPrefix("249 objects written to"))
    let again = await bench.run(
      "import", file, "--model", Fixtures.exampleData("Countries.xcdatamodeld").path, "--entity",
      "Country", "--store", bench.store, "--report", "text", "--quiet")
    expect(again, .done, output: "Nothing changed")
  }

  @Test func theStandardOutputHoldsTheJSONAlone() async throws {
    let bench = try ToolBench()
    _ = await bench.countries(2016)
    let result = await bench.run(
      "export", "--store", bench.store, "--entity", "Country", "--where", "code = 'LI'",
      "--relationships", "none", "--pretty")
    #expect(result.code == .done)
    let json = try JSONValue(parsing: result.output)
    #expect(json.arrayValue?.count == 1)
    #expect(json[0]?["name"] == "Liechtenstein")
    #expect(json[0]?["subdivisions"] == nil)
    #expect(result.output.hasPrefix("[\n  {\n"))
    #expect(result.error.isEmpty)
  }

  @Test func eachObjectCanHaveALine() async throws {
    let bench = try ToolBench()
    _ = await bench.countries(2016)
    let result = await bench.run(
      "export", "--store", bench.store, "--entity", "Country", "--lines", "--sort", "-code",
      "--relationships", "none")
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 249)
    #expect(try JSONValue(parsing: String(lines[0]))["code"] == "ZW")
  }

  @Test(arguments: [
    ("--entity Cuntry", ExitCode.failed, "Country"), ("--entity Country --where x", .usage, "x"),
    ("--entity Country --where cod=1", .usage, "Did you mean “code”?"),
    ("--entity Country --where official_name=1", .usage, "Did you mean “officialName”?"),
    ("--entity Country --relationships all", .usage, "array, nested, keys, none"),
    ("--entity Country --pretty --lines", .usage, "exclude each other"),
  ])
  func mistakesAreNamed(line: String, code: ExitCode, message: String) async throws {
    let bench = try ToolBench()
    _ = await bench.countries(2016)
    let words = line.split(separator: " ").map(String.init)
    let result = await bench.run(["export", "--store", bench.store] + words)
    #expect(result.code == code)
    #expect(result.error.contains(message))
  }
}
