import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

/// Files that are named as JSON may be packed, a line an object, or something else altogether.
@Suite struct InputFormatTests {
  private let bench: ToolBench
  private let model: String

  init() throws {
    bench = try ToolBench()
    model = try bench.file(
      "Things.xml",
      """
      <model><entity name="Thing" syncable="YES">
        <attribute name="id" optional="YES" attributeType="Integer 64"/>
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="note" optional="YES" attributeType="String"/>
      </entity></model>
      """)
  }

  private func importing(
    _ words: String...
  ) async -> ToolBench.Outcome {
    await bench.run(
      ["import"] + words + ["--model", model, "--entity", "Thing", "--store", bench.store])
  }

  private func write(_ name: String, _ data: Data) throws -> String {
    let url = bench.folder.file(name)
    try data.write(to: url)
    return url.path
  }

  // MARK: - Packed files

  private static let one = "H4sIAAAAAAAAA4uuVspMUbJSMNRRUMpLzE0FMpUSlWpjAWtEl9EYAAAA"
  private static let two = "H4sIAAAAAAAAA4uuVspMUbJSMNJRUMpLzE0FMpWSlGpjAXdf6uoYAAAA"

  private func packed(_ base64: String...) -> Data {
    base64.reduce(Data()) { $0 + (Data(base64Encoded: $1) ?? Data()) }
  }

  @Test func packedFilesAreReadByEveryCommand() async throws {
    let file = try write("things.json.gz", packed(InputFormatTests.one))
    let result = await importing(file)
    #expect(result.code == .done, "\(result.error)")
    let doctor = await bench.run("doctor", file, "--model", model, "--entity", "Thing")
    #expect(doctor.output.contains("Everything maps: 1 Thing."), "\(doctor.output)")
    let drawn = await bench.run("model", "--from", file)
    #expect(drawn.output.contains(#"<entity name="Thing""#), "\(drawn.error)")
  }

  /// As `cat a.gz b.gz` makes it: the content is one text, here an object a line.
  @Test func packedFilesBehindEachOtherAreOne() async throws {
    let file = try write("things.gz", packed(InputFormatTests.one, InputFormatTests.two))
    let unpacked = try #require(GzipFile(URL(filePath: file))).data()
    #expect(
      String(decoding: unpacked, as: UTF8.self)
        == #"[{"id": 1, "name": "a"}][{"id": 2, "name": "b"}]"#)
  }

  /// As tapes and some servers fill up their last block.
  @Test func zerosBehindAPackedFileAreNoPartOfIt() async throws {
    let (one, two) = (packed(InputFormatTests.one), packed(InputFormatTests.two))
    let file = try write("things.json.gz", one + Data(count: 1 << 19))
    let result = await importing(file)
    #expect(result.code == .done, "\(result.error)")
    let both = try write("things.gz", one + Data(count: 7) + two)
    #expect(try #require(GzipFile(URL(filePath: both))).data().count == 48)
  }

  @Test func aPackedFileThatIsCutOffStoresNothing() async throws {
    let file = try write("things.json.gz", packed(InputFormatTests.one).dropLast(10))
    let result = await importing(file)
    expect(result, .failed, error: "cannot be unpacked: it ends too early")
    var damaged = packed(InputFormatTests.one)
    damaged[14] ^= 0xFF
    let other = await importing(try write("damaged.json.gz", damaged))
    expect(other, .failed, error: "cannot be unpacked")
  }

  // MARK: - Forms

  @Test func linesAndSeveralFilesAreReadByEveryCommand() async throws {
    let lines = try bench.file("a.ndjson", "{\"id\": 1}\n{\"id\": 2, \"name\": \"b\"}\n")
    let list = try bench.file("b.json", #"[{"id": 3, "note": "c"}]"#)
    let doctor = await bench.run("doctor", lines, list, "--model", model, "--entity", "Thing")
    expect(doctor, .done, output: "Everything maps: 3 Thing.")
    #expect(await importing(lines, list).code == .done)
    let drawn = await bench.run("model", "--from", lines, list, "--entity", "Thing", "--swift")
    #expect(drawn.output.contains("From 3 objects."))
    let twice = await bench.run("doctor", "-", "-", "--model", model, "--entity", "Thing")
    #expect(twice.code == .usage)
  }

  @Test(arguments: [
    ("<!DOCTYPE html>\n<html></html>", "HTML or XML"),
    ("\n  <?xml version=\"1.0\"?>", "HTML or XML"),
    ("\u{FEFF}<html>", "HTML or XML"), ("id,name\n1,a\n", "CSV"), ("name;id\na;1", "CSV"),
    ("\"id\",\"name\"\n1,\"a\"", "CSV"), ("total\tid\n1\t2", "CSV"),
  ])
  func textThatIsNoJSONIsCalledByItsName(_ text: String, _ name: String) async throws {
    let file = try bench.file("things.json", text)
    for words in [
      ["import", file, "--model", model, "--entity", "Thing", "--store", bench.store],
      ["doctor", file, "--model", model, "--entity", "Thing"], ["model", "--from", file],
    ] {
      let result = await bench.run(words)
      #expect(result.code == .failed)
      #expect(result.error.contains(name), "\(result.error)")
    }
  }

  @Test(arguments: ["truth", "nothing", "[1,", "\"a", "{a,b}"])
  func whatMayBeJSONIsNot(_ text: String) throws {
    #expect {
      _ = try JSONValue(parsing: text)
      return ()
    } throws: {
      !"\($0)".contains("CSV") && !"\($0)".contains("HTML")
    }
  }

  // MARK: - Results

  @Test func theReportAsJSONHasOneSpelling() async throws {
    let file = try bench.file("things.json", #"[{"id": 1}]"#)
    let result = await importing(file, "--json")
    let report = try JSONDecoder().decode(SyncReport.self, from: Data(result.output.utf8))
    #expect(report.inserted == 1)
    let both = await importing(file, "--json", "--report", "text")
    #expect(both.code == .usage && both.error.contains("exclude each other"))
  }

  @Test func deletionsComeBeforeAnythingElse() async throws {
    #expect(await importing(try bench.file("a.json", #"[{"id": 1}, {"id": 2}]"#)).code == .done)
    let empty = try bench.file("b.json", #"[{"id": 1}]"#)
    let trial = await importing(empty, "--dry-run")
    #expect(trial.output.hasPrefix("Would be deleted: 1 Thing.\n"), "\(trial.output)")
    let result = await importing(empty)
    #expect(result.output.hasPrefix("Deleted: 1 Thing.\n"), "\(result.output)")
    #expect(!(await importing(empty)).output.contains("Deleted:"))
  }

  @Test func nothingAndAnEmptyTextLookDifferent() async throws {
    let json = #"[{"id": 1, "name": "", "note": null}]"#
    #expect(await importing(try bench.file("a.json", json)).code == .done)
    let table = await bench.run("show", "--store", bench.store, "Thing").output
    let row = table.split(separator: "\n")[2].split(separator: " ")
    #expect(row == ["1", "\"\""])
    let record = await bench.run("show", "--store", bench.store, "Thing", "1").output
    #expect(record.contains("name  \"\"") && !record.contains("note  \"\""), "\(record)")
  }

  @Test(arguments: [
    ("name = 8001", "Write '8001' to compare texts"), ("name > 1.5", "CAST(key, 'NSNumber')"),
    ("id = '1'", "Without quotation marks it is a number: 1."),
  ])
  func aFilterOfTextsThatLookLikeNumbersSaysSo(_ filter: String, _ advice: String) async throws {
    #expect(
      await importing(try bench.file("a.json", #"[{"id": 1, "name": "8001"}]"#)).code == .done)
    for words in [["show", "Thing"], ["export", "--entity", "Thing"]] {
      let result = await bench.run(words + ["--store", bench.store, "--where", filter])
      #expect(result.code == .usage)
      #expect(result.error.contains(advice), "\(result.error)")
    }
  }
}
