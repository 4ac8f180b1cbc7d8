import Foundation
import SyncStack
import TestSupport
import Testing

/// Payloads and models at the edge of what services send.
@Suite(.timeLimit(.minutes(30))) struct EdgeBehaviourTests {
  static let cases = [
    BehaviourCase(
      "an item without key is skipped although the key's default is 0", "Edges",
      [
        .init(
          "Zero", #"[{"name": "?"}, {"remoteID": null, "name": "!"}, {"id": 4, "name": "four"}]"#)
      ],
      .init("Zero", "remoteID name", "4 four")),
    BehaviourCase(
      "keyless to-one objects start with the default key and stay apart", "Edges",
      [
        .init(
          "Zero",
          #"[{"id": 1, "one": {"name": "a"}}, {"id": 2, "one": {"name": "b"}}, {"id": 3, "one": null}]"#
        )
      ],
      .init("ZeroChild", "remoteID name owner", "0 a 1", "0 b 2"),
      .init("Zero", "remoteID one", "1 0", "2 0", "3 -")),
    BehaviourCase(
      "keyless children of a list are skipped although the key's default is 0", "Edges",
      [
        .init(
          "Zero", #"[{"id": 1, "many": [{"name": "a"}, {"id": 7, "name": "b"}, {"id": null}]}]"#)
      ],
      .init("ZeroChild", "remoteID name lister", "7 b 1")),
    BehaviourCase(
      "a list under its key that is none changes nothing", "Edges",
      [
        .init("Order", #"[{"id": 1, "lines": [{"id": 1}]}]"#),
        .init("Order", #"[{"id": 1, "lines": "none"}]"#),
      ],
      .init("Line", "id order", "1 1")),
    BehaviourCase(
      "null among the objects of a list", "Edges",
      [
        .init("Order", #"[{"id": 1, "lines": [{"id": 1}, {"id": 2}]}]"#),
        .init("Order", #"[{"id": 1, "lines": [null, {"id": 2, "text": "t"}]}]"#),
      ],
      .init("Line", "id text order", "1 - 1", "2 t 1")),
    BehaviourCase(
      "four levels of nesting, one-to-many and many-to-many", "Edges",
      [
        .init(
          "Order",
          #"[{"id": 1, "group": {"id": 9, "index": "x"}, "lines": [{"id": 1, "parts": [{"id": 1, "colours": [{"id": 1, "name": "red"}]}, {"id": 2, "colours": [{"id": 1, "name": "red"}]}]}]}]"#
        )
      ],
      .init("Order", "id group lines", "1 9 {1}"), .init("Line", "id parts", "1 {1,2}"),
      .init("Colour", "id name parts", "1 red {1,2}"), .init("Group", "id index orders", "9 x {1}")),
    BehaviourCase(
      "what goes away at the top takes its cascade along", "Edges",
      [
        .init(
          "Order",
          #"[{"id": 1, "lines": [{"id": 1, "parts": [{"id": 1, "colours": [{"id": 1}]}]}]}, {"id": 2}]"#
        ),
        .init("Order", #"[{"id": 2}]"#),
      ],
      .init("Line", "id"), .init("Part", "id"), .init("Colour", "id parts", "1 {}")),
    BehaviourCase(
      "names of SQL, and to-many relationships that the document calls required", "Edges",
      [
        .init("Group", #"[{"id": 1, "select": [{"id": 2}], "index": "i"}]"#),
        .init(
          "Order",
          #"[{"id": 1, "user_id": "u", "values": "v", "from": "f", "_row": "r", "group_id": 1, "lines": []}, {"id": 2}]"#
        ),
      ],
      .init("Order", "id userId values from _row group lines", "1 u v f r 1 {}", "2 - - - - - {}"),
      .init("Group", "id select where", "1 {2} {}", "2 {} {1}")),
    BehaviourCase(
      "names that differ in case only", "Edges",
      [.init("Cases", #"[{"id": 1, "userID": "a", "userid": "b", "UserID": "c"}]"#)],
      .init("Cases", "userID userid UserID", "a b c")),
    BehaviourCase(
      "and true are told apart, in text too", "Mapping",
      [
        .init(
          "User", #"[{"id": 1, "is_active": 1, "integer16": 1, "hobbies": [1, true, 0, false]}]"#)
      ],
      .init("User", "remoteID isActive integer16", "1 true 1")),
    BehaviourCase(
      "text that is no date, of any length", "Mapping",
      [
        .init(
          "User",
          #"[{"id": 1, "birth_date": "20140101T000000Z", "created_at": "2-2"}, {"id": 2, "birth_date": "", "created_at": "2014-01-02T12:40:08.1234Z"}]"#
        )
      ],
      .init("User", "remoteID birthDate createdAt", "1 - -", "2 - 2014-01-02T12:40:08Z")),
    BehaviourCase(
      "keys that are no names", "Notes",
      [.init("User", #"[{"id": 1, "": 1, "_": 2, "!": 3, "name": "n", "日本": 4}]"#)],
      .init("User", "remoteID name", "1 n")),
  ]

  @Test("edges", arguments: cases, SyncCall.allCases)
  func holds(_ test: BehaviourCase, _ call: SyncCall) async throws {
    AttributeBehaviourTests.register()
    try await test.check(call)
  }

  @Test("trailing commas are read, as JSONSerialization reads them")
  func trailingCommas() throws {
    let stack = try DataStack.opened("Notes")
    let text = #"[{"id": 1, "notes": [{"id": 1,}, {"id": 2},],}, ]"#
    try stack.sync(Data(text.utf8), inEntityNamed: "User")
    #expect(try stack.shown("User", "remoteID notes") == ["1 {1,2}"])
  }

  @Test("numbers that arrive boxed keep their digits")
  func numbers() throws {
    let stack = try AttributeBehaviourTests.stack()
    let text = #"""
      [{"id": 1, "decimal_value": 12.2, "double_value": 0.1, "created_at": 1441888808000000.0,
        "birth_date": 1441888808, "driver_identifier": 1441888808000000.0, "integer64": 9007199254740993}]
      """#
    for payload in [SyncPayload.data(Data(text.utf8)), try .objects(dictionaries(text))] {
      try stack.sync(payload, inEntityNamed: "User")
      try stack.inMain { context in
        let user = try #require(try context.fetch(1, inEntityNamed: "User"))
        #expect(user["decimalValue"] as? Decimal == Decimal(string: "12.2"))
        #expect(user["doubleValue"] as? Double == 0.1)
        #expect((user["createdAt"] as? Date)?.timeIntervalSince1970 == 1_441_888_808)
        #expect((user["birthDate"] as? Date)?.timeIntervalSince1970 == 1_441_888_808)
        #expect(user["driverIdentifier"] as? String == "1441888808000000")
        #expect(user["integer64"] as? Int64 == 9_007_199_254_740_993)
      }
    }
  }

  @Test("what was not resolved is listed with entity, owner, relationship and id")
  func unresolved() throws {
    let stack = try DataStack.opened("Notes")
    let report = try stack.sync(
      dictionaries(#"[{"id": 1, "company_id": 9, "notes_ids": [7, 8]}]"#), inEntityNamed: "User")
    let findings = report.findings(of: .unresolvedReference)
    #expect(
      findings.map { "\($0.entity) \($0.property ?? "") \($0.key ?? "")" }.sorted()
        == ["User company 9", "User notes 7", "User notes 8"])
    #expect(findings.allSatisfy { $0.message.contains("User 1") })
  }

  @Test("a failure below leaves everything as it was")
  func atomic() throws {
    let stack = try AttributeBehaviourTests.stack()
    try stack.sync(dictionaries(#"[{"id": 1, "name": "a"}]"#), inEntityNamed: "Named")
    let sync = try Sync(
      changes: dictionaries(#"[{"id": 2, "name": "b"}, {"id": 3, "name": null}]"#),
      inEntityNamed: "Named", dataStack: stack)
    sync.onItemError = .fail
    sync.start()
    #expect((sync.error as? SyncError)?.code == .requiredValueMissing)
    #expect(try stack.shown("Named", "id name") == ["1 a"])
  }

  @Test("objects reach the transformer, and its result is final")
  func transformers() throws {
    let stack = try AttributeBehaviourTests.stack()
    let user = try #require(
      dictionaries(#"[{"id": 1, "first_of": {"first": "x"}, "count": "3"}]"#).first)
    let report = try stack.sync(user, inEntityNamed: "User")
    #expect(try stack.shown("User", "firstOf count") == ["x 0"])
    #expect(report.count(of: .unregisteredTransformer) == 1)
  }

  @Test("a sync in a context leaves its unsaved edits alone, and sees what is stored")
  func unsavedEdits() throws {
    let stack = try DataStack.opened("Notes")
    try stack.inMain { main in
      let unsaved = try main.insert(entityNamed: "User")
      unsaved.setValue(5, forKey: "remoteID")
      try main.sync(dictionaries(#"[{"id": 1}]"#), inEntityNamed: "User")
      #expect(main.hasChanges && unsaved.isInserted)
      #expect(try main.count(Fetch(entityNamed: "User")) == 2)
      try main.save()
      try main.sync(dictionaries(#"[{"id": 1}]"#), inEntityNamed: "User")
      #expect(try main.count(Fetch(entityNamed: "User")) == 1)
    }
  }
}
