import Foundation
import SyncStack
import Testing

@testable import SyncStackTool

/// Tables, and records where a table says too little or has no room.
@Suite struct ShowCommandTests {
  private static let model = """
    <model>
      <entity name="User">
        <attribute name="id" attributeType="Integer 64"/>
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="words" optional="YES" attributeType="Binary"/>
        <attribute name="photo" optional="YES" attributeType="Binary"/>
        <relationship name="notes" optional="YES" toMany="YES" deletionRule="Cascade"
          destinationEntity="Note" inverseName="user" inverseEntity="Note"/>
      </entity>
      <entity name="Note">
        <attribute name="id" attributeType="Integer 64"/>
        <relationship name="user" optional="YES" maxCount="1" destinationEntity="User"
          inverseName="notes" inverseEntity="User"/>
      </entity>
    </model>
    """
  private static let json = #"""
    [{"id": 1, "name": "Ada\nLovelace", "words": ["a", "b"], "photo": "/9j/4A==", "notes": [{"id": 7}, {"id": 8}]},
     {"id": 2, "name": null}]
    """#

  private func bench(width: Int? = nil) async throws -> ToolBench {
    let bench = try ToolBench(width: width)
    let result = await bench.run(
      "import", try bench.file("users.json", Self.json), "--model",
      try bench.file("model.xml", Self.model), "--entity", "User", "--store", bench.store, "--quiet"
    )
    #expect(result.code == .done, "\(result.error)")
    return bench
  }

  @Test func anObjectIsShownByItsKeyWithAllItHolds() async throws {
    let bench = try await bench()
    let ada = await bench.run("show", "User", "1", "--store", bench.store)
    #expect(
      ada.output == """
        User 1
          id     1
          name   Ada
                 Lovelace
          words  ["a","b"]
          photo  "/9j/4A=="
          notes  2: 7, 8

        """)
    #expect(ada.error.isEmpty)
    let note = await bench.run("show", "Note", "8", "--store", bench.store)
    #expect(note.output == "Note 8\n  id    8\n  user  1\n")
  }

  @Test(
    arguments: [
      ("name > '9'", true), ("id == 1 OR NOT (name <= '1101.10')", true), ("name > 'Ada'", false),
      ("name == '9'", false), ("id > 9", false),
    ])
  func textsThatWereOrderedLikeNumbersAreRemarkedOn(
    predicate: String, isRemarkedOn: Bool
  ) async throws {
    let bench = try await bench()
    let shown = await bench.run("show", "User", "--store", bench.store, "--where", predicate)
    let exported = await bench.run(
      "export", "--entity", "User", "--store", bench.store, "--where", predicate)
    for result in [shown, exported] {
      #expect(result.code == .done, "\(result.error)")
      #expect(result.error.contains("“name” holds texts") == isRemarkedOn, "\(result.error)")
    }
  }

  @Test(arguments: [("3", "no User with id “3”"), ("x", "“x” is no key of User")])
  func aKeyThatIsNotThereIsAnError(_ key: String, message: String) async throws {
    let bench = try await bench()
    let result = await bench.run("show", "User", key, "--store", bench.store)
    #expect(result.code == .failed)
    #expect(result.error.contains(message), "\(result.error)")
  }

  @Test func theMembersOfALongListAreCounted() async throws {
    let bench = try await bench()
    let notes = (1...30).map { "{\"id\": \($0)}" }.joined(separator: ",")
    let file = try bench.file("more.json", "[{\"id\": 2, \"notes\": [\(notes)]}]")
    _ = await bench.run(
      "import", file, "--model", try bench.file("model.xml", Self.model), "--entity", "User",
      "--store", bench.store, "--operations", "insert,update,relationships")
    let shown = await bench.run("show", "User", "2", "--store", bench.store)
    #expect(shown.output.contains("  notes  30: "))
    #expect(shown.output.hasSuffix(", …\n"), "\(shown.output)")
  }

  @Test(arguments: [(nil, false), (100, false), (30, true)] as [(Int?, Bool)])
  func aTableWithoutRoomIsShownAsRecords(_ width: Int?, asRecords: Bool) async throws {
    let bench = try await bench(width: width)
    let shown = await bench.run("show", "User", "--store", bench.store)
    #expect(shown.output.contains("User 1\n  id ") == asRecords, "\(shown.output)")
    #expect(shown.output.contains("──") == !asRecords)
    #expect(shown.output.contains(#"["a","b"]"#))
    #expect(shown.error == "2 objects.\n")
    let records = await bench.run("show", "User", "--records", "--store", bench.store)
    #expect(records.output.contains("\n\nUser 2\n"))
  }

  @Test(arguments: [
    (
      ["User"],
      [
        #"{"id":1,"name":"Ada\nLovelace","words":["a","b"],"photo":"/9j/4A=="}"#,
        #"{"id":2,"name":null,"words":null,"photo":null}"#,
      ]
    ),
    (["Note", "8"], [#"{"id":8,"userId":1}"#]),
    (["User", "--where", "id = 2"], [#"{"id":2,"name":null,"words":null,"photo":null}"#]),
    (
      [],
      [#"{"entity":"User","objects":2,"key":"id"}"#, #"{"entity":"Note","objects":2,"key":"id"}"#]
    ),
  ])
  func linesOfJSON(_ words: [String], _ lines: [String]) async throws {
    let bench = try await bench()
    let shown = await bench.run(["show", "--json", "--store", bench.store] + words)
    #expect(shown.output.split(separator: "\n").map(String.init) == lines)
    #expect(shown.error.isEmpty)
    let missing = await bench.run("show", "--json", "User", "9", "--store", bench.store)
    #expect(missing.code == .failed && missing.error.contains("There is no User with id “9”"))
  }
}
