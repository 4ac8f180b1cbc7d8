import Foundation
import SyncStack
import Testing

@testable import SyncStackTool
@testable import SyncStore

@Suite struct CheckCommandTests {
  private let bench: ToolBench

  /// Two users, of which one leads to a group that there is not.
  init() async throws {
    bench = try ToolBench()
    let model = try bench.file(
      "model.xml",
      """
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="User">
          <attribute name="id" optional="YES" attributeType="Integer 64"/>
          <relationship name="group" optional="YES" maxCount="1" destinationEntity="Group"
            inverseName="users" inverseEntity="Group"/>
        </entity>
        <entity name="Group">
          <attribute name="id" optional="YES" attributeType="Integer 64"/>
          <relationship name="users" optional="YES" toMany="YES" destinationEntity="User"
            inverseName="group" inverseEntity="User"/>
        </entity>
      </model>
      """)
    let json = try bench.file("users.json", #"[{"id": 1, "group": {"id": 5}}, {"id": 2}]"#)
    _ = await bench.run(
      "import", json, "--model", model, "--entity", "User", "--store", bench.store)
  }

  private func execute(_ statement: String) throws {
    let connection = try Connection(
      path: bench.store, options: .init(), recorder: StatementRecorder())
    defer { connection.close() }
    try connection.execute(statement)
  }

  @Test func aSoundStoreHasNothingToSay() async {
    let result = await bench.run("check", "--store", bench.store)
    #expect(result.code == .done)
    #expect(result.output.isEmpty)
    #expect(result.error == "Nothing is wrong.\n")
  }

  @Test func whatIsFoundIsListedAndRepairedByName() async throws {
    try execute(#"UPDATE User SET "group" = 77 WHERE id = 2"#)
    let found = await bench.run("check", "--store", bench.store)
    #expect(found.code == .failed)
    #expect(
      found.output == "! references: User.group (table “User”): it leads to no object, once: 2.\n")
    #expect(found.error.hasPrefix("1 problem. 'syncstack check --store "))
    #expect(found.error.contains("--repair references' repairs what can be"))
    let line = try JSONValue(
      parsing: await bench.run("check", "--store", bench.store, "--json").output)
    #expect(line["kind"] == "references")
    #expect(line["rows"] == [2])
    #expect(line["repairable"] == true)
    let repaired = await bench.run("check", "--store", bench.store, "--repair", "references,links")
    #expect(repaired.code == .done)
    #expect(
      repaired.output
        == "+ references: User.group (table “User”): it leads to no object, once: 2.\n")
    #expect(await bench.run("check", "--store", bench.store).code == .done)
  }

  @Test func whatCannotBeRepairedIsSaid() async throws {
    try execute("UPDATE User SET _row = -4 WHERE id = 2")
    let found = await bench.run("check", "--store", bench.store, "--repair", "rows")
    #expect(found.code == .failed)
    #expect(
      found.output.hasPrefix("! rows: Table “User”: a row has a number that is not given out."))
    #expect(found.error.contains("None of it can be repaired"))
    let shown = await bench.run("show", "--store", bench.store, "User")
    expect(shown, .failed, error: "Table “User” is damaged: in row -4")
  }

  @Test func aKindThatThereIsNotIsASlip() async {
    let slip = await bench.run("check", "--store", bench.store, "--repair", "link")
    expect(slip, .usage, error: "Did you mean links?")
  }
}
