import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

@Suite struct DoctorCommandTests {
  private let model = Fixtures.exampleData("Countries.xcdatamodeld").path

  private func examine(
    _ json: String, _ more: String...
  ) async throws -> ToolBench.Outcome {
    let bench = try ToolBench()
    let file = try bench.file("document.json", json)
    return await bench.run(["doctor", file, "--model", model, "--entity", "Country"] + more)
  }

  @Test func aDocumentThatMapsIsHealthy() async throws {
    let bench = try ToolBench()
    let result = await bench.run(
      "doctor", Fixtures.exampleData("countries-2024.json").path, "--model", model, "--entity",
      "Country", "--at", "countries")
    expect(result, .done, output: "Everything maps: 249 Country, 5,046 Subdivision.")
  }

  @Test func aKeyThatFillsNothingGetsAdvice() async throws {
    let result = try await examine(
      #"[{"code": "LI", "offical_name": "Liechtenstein", "population_density": 1}]"#)
    expect(
      result, .failed, output: "Country: keys that fill nothing",
      "Is it “official_name”, which fills officialName?",
      "set sync.remoteKey to “population_density”", "Not everything maps",
      "Country.name in 1 object")
  }

  @Test func anObjectWhereAPlainValueIsExpectedIsAnIllnessWithTheKeyOfItsContent() async throws {
    let result = try await examine(#"[{"code": "LI", "name": {"en": "Liechtenstein"}}]"#)
    #expect(result.code == .failed)
    #expect(result.output.contains("“name” of “Country”: expected text, found an object"))
    #expect(result.output.contains("Not everything maps"))
  }

  @Test(arguments: [
    (
      #"{"page": 1, "data": {"countries": [{"code": "LI"}]}}"#, [],
      "--at data.countries takes that."
    ),
    (
      #"{"data": {"a": [{"code": "LI"}], "b": [{}], "c": [1]}}"#, [],
      "lists at data.a, data.b: --at"
    ),
    (
      #"{"data": {"page": {"items": [{"code": "LI"}]}}}"#, ["--at", "data.page"],
      "--at data.page.items"
    ),
  ])
  func aListDeeperInTheDocumentIsPointedAt(
    _ json: String, _ more: [String], _ advice: String
  ) async throws {
    let bench = try ToolBench()
    let file = try bench.file("document.json", json)
    let result = await bench.run(["doctor", file, "--model", model, "--entity", "Country"] + more)
    #expect(result.code == .failed)
    #expect(result.output.contains(advice), "\(result.output)")
    let drawn = await bench.run(["model", "--from", file] + more)
    let place = advice.replacing(" takes that.", with: "").replacing(": --at", with: "")
    #expect(drawn.error.contains(place) || drawn.error.contains("data.a"), "\(drawn.error)")
  }

  /// As Cloudflare's D1 answers.
  @Test func theListInTheOnlyItemOfAListIsPointedAt() async throws {
    let bench = try ToolBench()
    let file = try bench.file("d1.json", #"[{"results": [{"code": "LI"}], "success": true}]"#)
    let drawn = await bench.run("model", "--from", file, "--entity", "Country")
    expect(drawn, .done, output: #"name="code""#, error: "--at '*.results'")
    let words = ["--model", model, "--entity", "Country"]
    let result = await bench.run(["doctor", file] + words)
    expect(result, .failed, output: "--at '*.results' takes that.")
    let taken = await bench.run(["doctor", file, "--at", "*.results"] + words)
    #expect(taken.output.contains("1 Country"), "\(taken.output)")
  }

  @Test func anOnlyItemWithAKeyIsNoObjectAroundAList() async throws {
    let bench = try ToolBench()
    let file = try bench.file("u.json", #"[{"id": 1, "notes": [{"id": 2, "text": "x"}]}]"#)
    let drawn = await bench.run("model", "--from", file, "--entity", "User")
    #expect(drawn.code == .done && !drawn.error.contains("--at"), "\(drawn.error)")
  }

  @Test func aKeyWithAPathIsNamedOnce() async throws {
    let bench = try ToolBench()
    let file = try bench.file("orders.json", #"[{"id": 1}]"#)
    let model = try bench.file(
      "model.xml",
      """
      <model><entity name="Order">
        <attribute name="id" attributeType="Integer 64"/>
        <attribute name="carrier" optional="YES" attributeType="String">
          <userInfo><entry key="sync.remoteKey" value="shipping.carrier"/></userInfo>
        </attribute>
      </entity></model>
      """)
    let result = await bench.run("doctor", file, "--model", model, "--entity", "Order")
    #expect(result.output.ranges(of: "“shipping.carrier”").count == 1, "\(result.output)")
  }

  @Test func attributesThatNothingFillsAreNoIllness() async throws {
    let result = try await examine(#"[{"code": "LI", "name": "Liechtenstein"}]"#)
    #expect(result.code == .done)
    expect(result, output: "Country: attributes that nothing fills", "No item has “official_name”")
  }

  @Test func itemsAndValuesThatAreRefusedAreShownWithTheirPlace() async throws {
    let result = try await examine(
      #"[{"code": "LI", "name": ["a"]}, {"name": "Nowhere"}, 7]"#)
    expect(
      result, .failed, output: "Values that do not fit their attributes: 1", "($[0].name)",
      "Items that would be left out: 2")
  }

  @Test func anEmptyListIsNoAnswer() async throws {
    let result = try await examine("[]")
    expect(result, .failed, output: "There is no item to map.")
  }

  @Test func aDocumentThatIsNoJSONSaysWhere() async throws {
    let result = try await examine("[{]")
    expect(result, .failed, error: "Line 1")
  }

  @Test func theDiagnosisIsJSONOnRequest() async throws {
    let good = try await examine(#"[{"code": "LI", "name": "Liechtenstein"}]"#, "--json")
    #expect(good.code == .done)
    let healthy = try JSONValue(parsing: good.output)
    #expect(healthy["isHealthy"] == true)
    #expect(healthy["report"]?["entities"]?["Country"]?["inserted"] == 1)
    let bad = try await examine(#"[{"code": "LI", "deleted": true}]"#, "--json")
    #expect(bad.code == .failed)
    let ill = try JSONValue(parsing: bad.output)
    #expect(ill["isHealthy"] == false)
    #expect(ill["missing"]?[0]?["property"] == "name")
    #expect(ill["deletionMarks"]?[0]?["key"] == "deleted")
    let refused = try JSONValue(
      parsing: try await examine(#"{"x": {"countries": [{"code": "LI"}]}}"#, "--json").output)
    #expect(refused["refusal"]?.stringValue?.contains("x.countries") == true, "\(refused)")
    for text in ["[{]", "<html>"] {
      let broken = try await examine(text, "--json")
      #expect(broken.code == .failed)
      let reason = try JSONValue(parsing: broken.output)["refusal"]?.stringValue
      #expect(reason?.contains("Line 1") == true, "\(broken.output)")
    }
  }
}
