import Foundation
import SyncCore
import SyncEngine
import SyncGraph
import TestSupport
import Testing

/// What a report says to a person, and what several of them say together.
@Suite struct ReportTests {
  private func stack() throws -> DataStack {
    try DataStack(model: TestModels.social(), store: .inMemory)
  }

  @Test func aDescriptionNamesWhatChangedAndWhatWasPassedOver() throws {
    let stack = try stack()
    try stack.sync(#"[{"id": 1, "name": "Ann"}, {"id": 2}]"#.utf8Payload, inEntityNamed: "User")
    let report = try stack.sync(
      #"""
      [{"id": 1, "name": "Bea", "age": 3, "nick": "B", "company_id": 9}, {"id": 2, "age": "x"},
       {"id": 3, "age": "y", "nick": "C", "zodiac": 1}, {}]
      """#.utf8Payload, inEntityNamed: "User")
    #expect(
      report.description == """
        User: 1 inserted, 1 updated (age, name), 0 deleted, 1 unchanged, 1 skipped
        User, keys that fill nothing: nick, zodiac
        2 × refused conversion: “age” of “User”: expected a whole number, found text that is no number. \
        ($[1].age)
        1 × skipped item: The item has no readable “id”. ($[3])
        1 × unresolved reference: “company” of User 1 refers to Company 9, which does not exist.
        """)
  }

  @Test func whatTheMappingCannotFollowIsNoTransformer() throws {
    let model = try ManagedObjectModel([
      EntityDraft("User", [.attribute("id", .integer64), .toMany("places", to: "Place")]),
      EntityDraft("Place", [.attribute("name", .string)]),
    ])
    let stack = try DataStack(model: model, store: .inMemory)
    let report = try stack.sync(#"[{"id": 1}]"#.utf8Payload, inEntityNamed: "User")
    #expect(report.findings.map(\.kind) == [.mappingRemark])
    #expect(report.description.contains("1 × mapping remark: "))
    #expect(report.description.contains("sync.isPrimaryKey"))
  }

  @Test func aDescriptionSaysThatADryRunStoredNothing() throws {
    let sync = Sync(#"[{"id": 1}]"#.utf8Payload, inEntityNamed: "User", dataStack: try stack())
    sync.dryRun = true
    sync.start()
    let report = try #require(try sync.result?.get())
    #expect(
      report.description == """
        User: 1 inserted, 0 updated, 0 deleted, 0 unchanged
        Dry run: nothing was stored.
        """)
  }

  @Test func findingsOfAddedReportsAreListedUpToTheLimitOfEachKind() throws {
    let stack = try stack()
    let items = (1...700).map { #"{"id": \#($0), "age": "x", "company_id": 9}"# }
    var total = SyncReport()
    for _ in 0..<2 {
      total.add(
        try stack.sync(
          "[\(items.joined(separator: ","))]".utf8Payload, inEntityNamed: "User"))
    }
    #expect(total.count(of: .refusedConversion) == 1_400)
    #expect(total.findings(of: .refusedConversion).count == SyncReport.findingLimit)
    #expect(total.findings(of: .unresolvedReference).count == SyncReport.findingLimit)
    #expect(total.itemCount == 1_400 && total.inserted == 700 && total.unchanged == 700)
  }
}

extension String {
  fileprivate var utf8Payload: SyncPayload { .data(Data(utf8)) }
}
