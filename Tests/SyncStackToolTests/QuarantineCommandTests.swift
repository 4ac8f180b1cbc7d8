import Foundation
import SyncStack
import Testing

@testable import SyncStackTool

@Suite struct QuarantineCommandTests {
  private let bench: ToolBench
  private let model: String

  init() throws {
    bench = try ToolBench()
    model = try bench.file(
      "model.xml",
      """
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="User">
          <attribute name="id" optional="YES" attributeType="Integer 64"/>
          <attribute name="name" attributeType="String"/>
        </entity>
      </model>
      """)
  }

  private func importing(_ json: String, _ more: String...) async throws -> ToolBench.Outcome {
    let file = try bench.file("users.json", json)
    return await bench.run(
      ["import", file, "--model", model, "--entity", "User", "--store", bench.store] + more)
  }

  private let json = #"[{"id": 1, "name": "a"}, {"id": 2, "name": null}]"#

  @Test func badItemsAreLeftOutUnlessSaidOtherwise() async throws {
    let skipped = try await importing(json)
    #expect(skipped.code == .done, "\(skipped.error)")
    #expect(
      await bench.run("quarantine", "--store", bench.store).error == "Nothing is in quarantine.\n")
    #expect(try await importing(json, "--on-error", "fail").code == .failed)
  }

  @Test func itemsOfWhichNoneCanBeStoredMayDeleteOthers() async throws {
    _ = try await importing(#"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]"#)
    let result = try await importing(#"[{"id": 1, "name": null}]"#, "--guard", "off")
    expect(result, .done, output: "Deleted: 1 User.")
  }

  /// It is as it was, and yet no more than an item that was left out.
  @Test(arguments: ["skip", "quarantine"])
  func aStoredObjectWhoseItemIsLeftOutCountsOnce(_ policy: String) async throws {
    _ = try await importing(#"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]"#)
    let report = try await importing(json, "--on-error", policy).output
    #expect(report.contains("User           0        0        0          1        1"), "\(report)")
  }

  /// So that it works where nothing can be written.
  @Test func listsOpenTheStoreForReadingOnly() async throws {
    _ = try await importing(json, "--on-error", "quarantine")
    let stack = try DataStack(keptAt: URL(filePath: bench.store), isReadOnly: true)
    let items = try stack.quarantine.items()
    #expect(items.count == 1)
    #expect(throws: StoreError.self) { try stack.quarantine.discard(items) }
    #expect(throws: StoreError.self) {
      try stack.sync(JSONValue(parsing: #"[{"id": 3, "name": "c"}]"#), inEntityNamed: "User")
    }
    try stack.close()
    #expect(await bench.run("quarantine", "--store", bench.store).output.contains("User"))
    #expect(await bench.run("sessions", "--store", bench.store).code == .done)
  }

  @Test func whatIsKeptCanBeListedReplayedAndForgotten() async throws {
    let kept = try await importing(json, "--on-error", "quarantine")
    expect(kept, .done, output: "1 item in quarantine")
    let list = await bench.run("quarantine", "--store", bench.store)
    expect(list, .done, output: "User")
    #expect(list.error.hasPrefix("1 item; --replay"))
    let lines = await bench.run("quarantine", "--store", bench.store, "--json")
    let line = try JSONValue(parsing: lines.output)
    #expect(line["item"]?["id"] == 2)
    #expect(line["code"] == "requiredValueMissing")
    let replayed = await bench.run("quarantine", "--store", bench.store, "--replay")
    #expect(replayed.code == .failed)
    #expect(replayed.error.hasPrefix("0 of 1 item stored.\n! #1 User 2: "))
    let other = await bench.run("quarantine", "--store", bench.store, "--discard", "--ids", "7")
    expect(other, .failed, error: "no item in quarantine with the number 7. Nothing was done.")
    let some = await bench.run("quarantine", "--store", bench.store, "--discard", "--ids", "1,99")
    #expect(some.code == .failed && some.error.contains("number 99."))
    let discarded = await bench.run("quarantine", "--store", bench.store, "--discard")
    #expect(discarded.error == "1 item forgotten.\n")
    #expect(await bench.run("quarantine", "--store", bench.store, "--json").output == "")
  }

  @Test func replayAndDiscardExcludeEachOther() async throws {
    let result = await bench.run("quarantine", "--store", bench.store, "--replay", "--discard")
    #expect(result.code == .usage)
    #expect(await bench.run("quarantine", "--store", bench.store, "--ids", "x").code == .usage)
    #expect(await bench.run("quarantine", "--store", bench.store).code == .failed)
  }
}
