import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

/// Rules from a file, for import, export and doctor.
@Suite struct MappingFileTests {
  private let model = Fixtures.exampleData("Countries.xcdatamodeld").path
  private let json = #"[{"code": "LI", "names": [{"text": "Liechtenstein"}], "name": "other"}]"#
  private let rules = #"{"Country": {"name": {"string": ["names", 0, "text"]}}}"#

  private func bench() throws -> (bench: ToolBench, words: [String], mapping: String) {
    let bench = try ToolBench()
    let file = try bench.file("countries.json", json)
    let words = [file, "--model", model, "--entity", "Country"]
    return (bench, words, try bench.file("mapping.json", rules))
  }

  @Test func anImportFollowsTheRulesAndAnExportReadsThemTheOtherWay() async throws {
    let (bench, words, mapping) = try bench()
    let result = await bench.run(
      ["import"] + words + ["--store", bench.store, "--mapping", mapping, "--quiet"])
    #expect(result.code == .done)
    let export = ["export", "--store", bench.store, "--entity", "Country"]
    let plain = try JSONValue(parsing: await bench.run(export).output)
    #expect(plain[0]?["name"] == "Liechtenstein")
    let ruled = try JSONValue(parsing: await bench.run(export + ["--mapping", mapping]).output)
    #expect(ruled[0]?["names"] == [["text": "Liechtenstein"]])
    #expect(ruled[0]?["name"] == nil)
  }

  @Test func theDoctorKnowsTheRules() async throws {
    let (bench, words, mapping) = try bench()
    let without = await bench.run(["doctor"] + words)
    #expect(without.output.contains("names"))
    let result = await bench.run(["doctor"] + words + ["--mapping", mapping])
    #expect(result.output.contains("Country: keys that fill nothing"))
    #expect(!result.output.contains("names"))
  }

  @Test(arguments: [
    (#"{"Country": {"name": {"int": "n"}}}"#, "Country.name"),
    (#"{"Country": {"nme": {"string": "n"}}}"#, "nme"), (#"{"Cuntry": {}}"#, "Cuntry"),
    (#"{"Country": {"name": {"txt": "n"}}}"#, "isoDate"), ("[", "mapping.json"),
    (#"{"Country": 1}"#, "the mapping of “Country”"),
  ])
  func aMistakeInTheFileIsNamed(text: String, message: String) async throws {
    let (bench, words, _) = try bench()
    let mapping = try bench.file("mapping.json", text)
    for command in [["import"] + words + ["--store", bench.store], ["doctor"] + words] {
      let result = await bench.run(command + ["--mapping", mapping])
      #expect(result.code == .failed)
      #expect(result.error.contains(message) && result.error.contains("mapping.json"))
    }
    #expect(!FileManager.default.fileExists(atPath: bench.store))
  }

  @Test func aFileThatIsNotThereIsNamed() async throws {
    let (bench, words, _) = try bench()
    let result = await bench.run(["doctor"] + words + ["--mapping", "nowhere.json"])
    expect(result, .failed, error: "There is no file", "nowhere.json")
    let folder = await bench.run(["doctor"] + words + ["--mapping", bench.folder.url.path])
    expect(folder, .failed, output: "is a folder")
  }
}
