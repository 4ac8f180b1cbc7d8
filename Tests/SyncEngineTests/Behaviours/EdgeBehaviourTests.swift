import Foundation
import SyncStack
import TestSupport
import Testing

/// Payloads that services rarely send, and models for them.
@Suite(.timeLimit(.minutes(5))) struct EdgeBehaviourTests {
  static let cases = [
    SyncCase(
      "an item without key is skipped although the key's default is 0", in: "Edges",
      .sync(
        "Zero", #"[{"name": "?"}, {"remoteID": null, "name": "!"}, {"id": 4, "name": "four"}]"#),
      leaves: ["Zero": ["name=four remoteID=4"]]),
    SyncCase(
      "keyless to-one objects start with the default key and stay apart", in: "Edges",
      .sync(
        "Zero",
        #"[{"id": 1, "one": {"name": "a"}}, {"id": 2, "one": {"name": "b"}}, {"id": 3, "one": null}]"#
      ),
      leaves: [
        "ZeroChild": ["name=a remoteID=0 owner=1", "name=b remoteID=0 owner=2"],
        "Zero": ["remoteID=1 one=0", "remoteID=2 one=0", "remoteID=3"],
      ]),
    SyncCase(
      "keyless children of a list are skipped although the key's default is 0", in: "Edges",
      .sync("Zero", #"[{"id": 1, "many": [{"name": "a"}, {"id": 7, "name": "b"}, {"id": null}]}]"#),
      leaves: ["ZeroChild": ["name=b remoteID=7 lister=1"]]),
    SyncCase(
      "null among the objects of a list", in: "Edges",
      .sync("Order", #"[{"id": 1, "lines": [{"id": 1}, {"id": 2}]}]"#),
      .sync("Order", #"[{"id": 1, "lines": [null, {"id": 2, "text": "t"}]}]"#),
      leaves: ["Line": ["id=1 order=1", "id=2 text=t order=1"]]),
    SyncCase(
      "names of SQL, and to-many relationships that the document calls required", in: "Edges",
      .sync("Group", #"[{"id": 1, "select": [{"id": 2}], "index": "i"}]"#),
      .sync(
        "Order",
        #"[{"id": 1, "user_id": "u", "values": "v", "from": "f", "_row": "r", "group_id": 1, "lines": []}, {"id": 2}]"#
      ),
      leaves: [
        "Order": ["_row=r from=f id=1 userId=u values=v group=1", "id=2"],
        "Group": ["id=1 index=i orders=[1] select=[2]", "id=2 where=[1]"],
      ]),
  ]

  @Test(arguments: cases) func payloadsAtTheEdgeAreTaken(_ test: SyncCase) async throws {
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
