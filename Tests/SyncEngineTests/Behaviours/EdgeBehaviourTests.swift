import Foundation
import SyncStack
import TestSupport
import Testing

/// Payloads that services rarely send, and models for them.
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
      "null among the objects of a list", "Edges",
      [
        .init("Order", #"[{"id": 1, "lines": [{"id": 1}, {"id": 2}]}]"#),
        .init("Order", #"[{"id": 1, "lines": [null, {"id": 2, "text": "t"}]}]"#),
      ],
      .init("Line", "id text order", "1 - 1", "2 t 1")),
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
  ]

  @Test(arguments: cases)
  func payloadsAtTheEdgeAreTaken(_ test: BehaviourCase) async throws {
    try await test.check(.asynchronousWithData)
  }

  @Test func trailingCommasAreReadAsJSONSerializationReadsThem() throws {
    let stack = try DataStack.opened("Notes")
    let text = #"[{"id": 1, "notes": [{"id": 1,}, {"id": 2},],}, ]"#
    try stack.sync(Data(text.utf8), inEntityNamed: "User")
    #expect(try stack.shown("User", "remoteID notes") == ["1 {1,2}"])
  }

  @Test func numbersThatArriveBoxedKeepTheirDigits() throws {
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

  @Test func unresolvedReferencesAreListedWithEntityOwnerRelationshipAndId() throws {
    let stack = try DataStack.opened("Notes")
    let report = try stack.sync(
      dictionaries(#"[{"id": 1, "company_id": 9, "notes_ids": [7, 8]}]"#), inEntityNamed: "User")
    let findings = report.findings(of: .unresolvedReference)
    #expect(
      findings.map { "\($0.entity) \($0.property ?? "") \($0.key ?? "")" }.sorted()
        == ["User company 9", "User notes 7", "User notes 8"])
    #expect(findings.allSatisfy { $0.message.contains("User 1") })
  }
}
