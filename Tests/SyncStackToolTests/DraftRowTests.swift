import Foundation
import SyncStack
import Testing

@testable import SyncStackTool

/// Items that are lists have positions in the place of keys.
@Suite struct DraftRowTests {
  struct Rows: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let entity: String
    var path: String?
    let first: String
    let second: String
    let types: [String: AttributeType]
    /// The attribute at position 0, which a person says is the key.
    let stored: [String]
  }

  static let all = [
    Rows(
      testDescription: "candles", entity: "Candle",
      first: #"[[1700000000000, "1.5", 12, 0.5], [1700000060000, "1.6", 13, 2]]"#,
      second: #"[[1700000000000, "1.7", 12.5, null], [1700000120000, "1.8", 13]]"#,
      types: ["value0": .double, "value1": .string, "value2": .double, "value3": .double],
      stored: [#""1":"1.7""#, #""2":12.5"#, #""1":"1.8""#]),
    Rows(
      testDescription: "aircraft", entity: "State", path: "states",
      first: #"""
        {"time": 1458564121, "states": [["4b1806", "SWR5WN", null, false, [1, 2]], ["4b1807", null, 8.5, true, null]]}
        """#,
      second: #"""
        {"time": 1458564131, "states": [["4b1806", null, 7, true, null], ["4b1808", "DLH", 9.25, false, [3]]]}
        """#,
      types: ["value0": .string, "value1": .string, "value2": .double, "value3": .boolean],
      stored: [#""2":9.25"#, #""4":[3]"#, #""1":"DLH""#]),
  ]

  @Test(arguments: all)
  func itemsThatAreListsAreDrawnByTheirPositionsAndLaterOnesAreKept(_ rows: Rows) async throws {
    let bench = try ToolBench()
    let first = try bench.file("first.json", rows.first)
    let draft = await bench.run("model", "--from", first, "--entity", rows.entity)
    try #require(draft.code == .done, "\(draft.error)")
    if let path = rows.path { #expect(draft.error.contains("give --at \(path) to doctor")) }
    let entity = try ManagedObjectModel(xml: Data(draft.output.utf8))
      .requireEntity(named: rows.entity)
    for (name, type) in rows.types {
      #expect(entity.attribute(named: name)?.type == type, "\(draft.output)")
    }
    #expect(entity.attribute(named: "value0")?.userInfo["sync.remoteKey"] == "0")
    #expect(draft.output.contains("no names: rename the attributes"))
    #expect(draft.output.contains("Different in each of the 2 objects: “0”"), "\(draft.output)")

    let key = #"<entry key="sync.remoteKey" value="0"/>"#
    #expect(draft.output.contains(key))
    let model = try bench.file(
      "model.xml",
      draft.output.replacing(key, with: key + #"<entry key="sync.isPrimaryKey" value="YES"/>"#))
    let words = ["--model", model, "--entity", rows.entity, "--store", bench.store]
    for text in [rows.first, rows.second] {
      let file = try bench.file("answer.json", text)
      let result = await bench.run(
        ["import", file] + words + (rows.path.map { ["--at", $0] } ?? []))
      #expect(result.code == .done, "\(result.error)")
    }
    let export = await bench.run("export", "--store", bench.store, "--entity", rows.entity)
    for text in rows.stored { #expect(export.output.contains(text), "\(export.output)") }
  }

  @Test(arguments: [
    #"{"type": "LineString", "coordinates": [[8.5, 47.4], [8.6, 47.5]]}"#,
    #"{"name": "m", "rows": [[1, 0], [0, 1]]}"#,
  ])
  func numbersInRowsOfNumbersAreAMatrixAndStayJSON(_ json: String) async throws {
    let bench = try ToolBench()
    let file = try bench.file("thing.json", json)
    let draft = await bench.run("model", "--from", file, "--entity", "Thing")
    expect(draft, .done, output: "lists in lists, kept as JSON")
  }
}
