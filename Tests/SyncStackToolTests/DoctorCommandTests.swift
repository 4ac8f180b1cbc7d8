import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

@Suite struct DoctorCommandTests {
  private let model = Fixtures.exampleData("Countries.xcdatamodeld").path

  private func examine(
    _ json: String, _ more: String...
  ) async throws -> (code: ExitCode, output: String, error: String) {
    let bench = try ToolBench()
    let file = try bench.file("document.json", json)
    return await bench.run(["doctor", file, "--model", model, "--entity", "Country"] + more)
  }

  @Test func aDocumentThatMapsIsHealthy() async throws {
    let bench = try ToolBench()
    let result = await bench.run(
      "doctor", Fixtures.exampleData("countries-2024.json").path, "--model", model, "--entity",
      "Country", "--at", "countries")
    #expect(result.code == .done)
    #expect(result.output.contains("Everything maps: 249 Country, 5,046 Subdivision."))
  }

  @Test func aKeyThatFillsNothingGetsAdvice() async throws {
    let result = try await examine(
      #"[{"code": "LI", "offical_name": "Liechtenstein", "population_density": 1}]"#)
    #expect(result.code == .failed)
    #expect(result.output.contains("Country: keys that fill nothing"))
    #expect(result.output.contains("Is it “official_name”, which fills officialName?"))
    #expect(result.output.contains("set sync.remoteKey to “population_density”"))
    #expect(result.output.contains("Not everything maps"))
    #expect(result.output.contains("Country.name in 1 object"))
  }

  @Test("an object where a plain value is expected is an illness, with the key of what lies inside")
  func objectsUnderAttributes() async throws {
    let result = try await examine(#"[{"code": "LI", "name": {"en": "Liechtenstein"}}]"#)
    #expect(result.code == .failed)
    #expect(
      result.output.contains("“name” of “Country”: expected text, found an object"))
    #expect(result.output.contains("Not everything maps"))
  }

  @Test func attributesThatNothingFillsAreNoIllness() async throws {
    let result = try await examine(#"[{"code": "LI", "name": "Liechtenstein"}]"#)
    #expect(result.code == .done)
    #expect(result.output.contains("Country: attributes that nothing fills"))
    #expect(result.output.contains("No item has “official_name”"))
  }

  @Test func itemsAndValuesThatAreRefusedAreShownWithTheirPlace() async throws {
    let result = try await examine(
      #"[{"code": "LI", "name": ["a"]}, {"name": "Nowhere"}, 7]"#)
    #expect(result.code == .failed)
    #expect(result.output.contains("Values that do not fit their attributes: 1"))
    #expect(result.output.contains("($[0].name)"))
    #expect(result.output.contains("Items that would be left out: 2"))
  }

  @Test func anEmptyListIsNoAnswer() async throws {
    let result = try await examine("[]")
    #expect(result.code == .failed)
    #expect(result.output.contains("There is no item to map."))
  }

  @Test func aDocumentThatIsNoJSONSaysWhere() async throws {
    let result = try await examine("[{]")
    #expect(result.code == .failed)
    #expect(result.error.contains("Line 1"))
  }
}
