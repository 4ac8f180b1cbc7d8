import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

@Suite struct DocumentOptionTests {
  private static let document = #"""
    {"data": [{"type": "articles", "id": "1", "attributes": {"title": "Paint"},
      "relationships": {"author": {"data": {"type": "people", "id": "9"}}}},
      {"type": "articles", "id": "2", "attributes": {"title": "Wait"}}],
     "included": [{"type": "people", "id": "9", "attributes": {"name": "Dan"}}]}
    """#

  @Test func aDocumentIsDrawnExaminedAndImported() async throws {
    let bench = try ToolBench()
    let file = try bench.file("articles.json", DocumentOptionTests.document)
    let drawn = await bench.run(
      "model", "--from", file, "--entity", "Article", "--format", "json-api")
    #expect(drawn.code == .done, "\(drawn.error)")
    let model = try bench.file("Drawn.xml", drawn.output)
    let examined = await bench.run(
      "doctor", file, "--model", model, "--entity", "Article", "--format", "json-api")
    #expect(examined.code == .done, "\(examined.output)")
    let store = bench.store
    let imported = await bench.run(
      "import", file, "--model", model, "--entity", "Article", "--store", store, "--format",
      "json-api")
    #expect(imported.code == .done, "\(imported.error)")
    let shown = await bench.run("show", "--store", store, "Article", "1")
    #expect(shown.output.contains("Paint"))
  }

  @Test func itGoesWithoutAPath() async throws {
    let bench = try ToolBench()
    let file = try bench.file("articles.json", DocumentOptionTests.document)
    let result = await bench.run(
      "doctor", file, "--model", "M.xml", "--entity", "Article", "--format", "json-api", "--at",
      "data")
    #expect(result.code == .usage)
  }

  @Test func objectsByTheirKeysAreImported() async throws {
    let bench = try ToolBench()
    let file = try bench.file("users.json", #"{"users": {"LI": {"name": "Liechtenstein"}}}"#)
    let result = await bench.run(
      "doctor", file, "--model", Fixtures.exampleData("Countries.xcdatamodeld").path, "--entity",
      "Country", "--at", "users.*")
    #expect(result.output.contains("1 Country") || result.code == .done, "\(result.output)")
  }
}
