import Foundation
import SyncStack
import TestSupport
import Testing

/// With change tracking on a sync leaves unsent edits alone, and says so.
@Suite(.timeLimit(.minutes(5))) struct UnsentEditTests {
  private let stack: DataStack
  private let context: ManagedObjectContext

  init() throws {
    stack = try DataStack(model: TestModels.social(), store: .inMemory, tracksChanges: true)
    context = stack.newBackgroundContext()
    try stack.sync(
      [
        [
          "id": 1, "name": "a", "email": "a@x", "company_id": 7,
          "notes": [["id": 11, "text": "eleven"], ["id": 12, "text": "twelve"]],
          "tags": [["id": 31], ["id": 32]],
          "tasks": [["id": 41], ["id": 42], ["id": 43]],
        ],
        ["id": 2, "name": "b", "email": "b@x"],
      ] as JSONValue, inEntityNamed: "User")
    try stack.sync([["id": 7], ["id": 8]] as JSONValue, inEntityNamed: "Company")
  }

  /// Edits objects by entity and key, and saves.
  private func edit(_ body: (_ object: (String, Int64) throws -> ManagedObject) throws -> Void)
    throws
  {
    try context.performAndWait {
      try body { entity, key in
        try #require(
          context.fetch(Fetch<ManagedObject>(entityNamed: entity, Filter("id == %@", key))).first)
      }
      try context.save()
    }
  }

  private func objects(_ entity: String) throws -> [String] {
    try SyncBench(stack).objects(entity)
  }

  private func user(_ key: Int64) throws -> String {
    try #require(try objects("User").first { $0.hasPrefix("id=\(key) ") })
  }

  private func acknowledge() throws {
    try stack.acknowledge(through: stack.pendingChanges(for: "server").token, for: "server")
  }

  private func sync(_ json: JSONValue, _ entity: String = "User") throws -> SyncReport {
    try stack.sync(json, inEntityNamed: entity)
  }

  // MARK: - Attributes

  @Test func anEditedAttributeStaysAndTheOthersAreTaken() throws {
    try edit { try $0("User", 1)["name"] = "mine" }
    let report = try sync([["id": 1, "name": "theirs", "email": "new@x"], ["id": 2, "name": "c"]])
    #expect(try user(1).hasPrefix("id=1 name=mine email=new@x "))
    #expect(try user(2).hasPrefix("id=2 name=c "))
    let entity = try #require(report.entities["User"])
    #expect(entity.protected == 1)
    #expect(entity.protectedProperties == ["name": 1])
    #expect(entity.updatedProperties == ["email": 1, "name": 1])
    let finding = try #require(report.findings(of: .protectedEdit).first)
    #expect(report.count(of: .protectedEdit) == 1)
    #expect((finding.entity, finding.key, finding.property) == ("User", "1", "name"))
    #expect(report.description.contains("1 protected"))
  }

  @Test func whatCameOutTheSameWasNotLeftAlone() throws {
    try edit { try $0("User", 1)["name"] = "mine" }
    let report = try sync([["id": 1, "name": "mine"], ["id": 2]])
    #expect(report.protected == 0)
    #expect(report.count(of: .protectedEdit) == 0)
  }

  @Test func whatWasAcknowledgedMayBeOverwritten() throws {
    try edit { try $0("User", 1)["name"] = "mine" }
    try acknowledge()
    let report = try sync([["id": 1, "name": "theirs"], ["id": 2]])
    #expect(try user(1).hasPrefix("id=1 name=theirs "))
    #expect(report.protected == 0)
  }

  @Test func everyConsumerHasToAcknowledge() throws {
    try edit { try $0("User", 1)["name"] = "mine" }
    let token = try stack.latestHistoryToken()
    try stack.acknowledge(through: .start, for: "archive")
    try stack.acknowledge(through: token, for: "server")
    #expect(try sync([["id": 1, "name": "theirs"], ["id": 2]]).protected == 1)
    try stack.acknowledge(through: token, for: "archive")
    #expect(try sync([["id": 1, "name": "theirs"], ["id": 2]]).updated == 1)
  }

  @Test func aDryRunSaysWhatItWouldLeaveAlone() throws {
    try edit { try $0("User", 1)["name"] = "mine" }
    let sync = Sync(
      .json([["id": 1, "name": "theirs"], ["id": 2]]), inEntityNamed: "User", dataStack: stack)
    sync.isDryRun = true
    #expect(try sync.run().entities["User"]?.protectedProperties == ["name": 1])
  }

  @Test func batchesOfAContextAreEditsToo() throws {
    try context.performAndWait {
      _ = try context.batchUpdate(
        Fetch<ManagedObject>(entityNamed: "User", Filter("id == 2")), ["email": "mine"])
    }
    let report = try sync([["id": 1, "name": "a"], ["id": 2, "email": "theirs"]])
    #expect(report.entities["User"]?.protectedProperties == ["email": 1])
  }

  // MARK: - Existence

  @Test func whatWasDeletedHereIsNotBroughtBack() throws {
    try edit { try context.delete($0("User", 2)) }
    let report = try sync([["id": 1], ["id": 2, "name": "b", "notes": [["id": 99]]], ["id": 3]])
    #expect(try stack.keys("User") == [1, 3])
    #expect(try !stack.keys("Note").contains(99))
    #expect(report.entities["User"]?.protected == 1)
    #expect(report.findings(of: .protectedEdit).map(\.key) == ["2"])
    #expect(report.count(of: .unresolvedReference) == 0)
    try acknowledge()
    _ = try sync([["id": 1], ["id": 2, "name": "b"], ["id": 3]])
    #expect(try stack.keys("User") == [1, 3, 2])
  }

  @Test func aNestedObjectThatWasDeletedHereIsNotBroughtBack() throws {
    try edit { try context.delete($0("Note", 12)) }
    let report = try sync([["id": 1, "notes": [["id": 11], ["id": 12], ["id": 13]]], ["id": 2]])
    #expect(try stack.keys("Note") == [11, 13])
    #expect(report.entities["Note"]?.protected == 1)
    #expect(report.count(of: .unresolvedReference) == 0)
  }

  @Test func whatWasDeletedAndMadeAgainHereStays() throws {
    try edit { try context.delete($0("User", 2)) }
    try edit { _ in
      let user = try context.insert(entityNamed: "User")
      user["id"] = 2
      user["name"] = "mine"
    }
    _ = try sync([["id": 1], ["id": 2, "name": "theirs", "email": "theirs"]])
    #expect(try objects("User").contains("id=2 name=mine"))
  }

  @Test func whatWasInsertedHereIsNotDeleted() throws {
    try edit { _ in try context.insert(entityNamed: "User")["id"] = 5 }
    let report = try sync([["id": 1], ["id": 2]])
    #expect(try stack.keys("User") == [1, 2, 5])
    #expect(report.entities["User"]?.protected == 1)
    try acknowledge()
    #expect(try sync([["id": 1], ["id": 2]]).deleted == 1)
  }

  @Test func whatWasEditedHereIsNotDeleted() throws {
    try edit {
      try $0("User", 2)["name"] = "mine"
      try $0("Note", 12)["text"] = "mine"
    }
    let report = try sync([["id": 1, "notes": [["id": 11]]]])
    #expect(try stack.keys("User") == [1, 2])
    #expect(try stack.keys("Note") == [11, 12])
    #expect(report.deleted == 0)
    #expect(
      report.findings(of: .protectedEdit).map { "\($0.entity) \($0.key ?? "")" }
        == ["User 2", "Note 12"])
  }

  @Test func aCascadeLeavesEditedObjects() throws {
    try edit { try $0("Note", 12)["text"] = "mine" }
    let report = try sync([["id": 2]])
    #expect(try stack.keys("User") == [2])
    #expect(try stack.keys("Note") == [12])
    #expect(report.entities["Note"]?.protected == 1)
  }

  @Test func whatAnEditLeadsToIsNotDeleted() throws {
    try edit { try $0("User", 2)["company"] = try $0("Company", 8) }
    let report = try sync([["id": 7]], "Company")
    #expect(try stack.keys("Company") == [7, 8])
    #expect(report.entities["Company"]?.protected == 1)
    #expect(try user(2).hasSuffix("company=8"))
  }

  // MARK: - Relationships

  @Test func anEditedToOneStays() throws {
    try edit { try $0("User", 1)["company"] = try $0("Company", 8) }
    let report = try sync([["id": 1, "company_id": 7], ["id": 2, "company_id": 8]])
    #expect(try user(1).contains("company=8"))
    #expect(try user(2).contains("company=8"))
    #expect(report.entities["User"]?.protectedProperties == ["company": 1])
  }

  @Test func aChildThatMovedHereStaysWhereItIs() throws {
    try edit { try $0("Note", 12)["user"] = try $0("User", 2) }
    let report = try sync([
      ["id": 1, "notes": [["id": 11], ["id": 12, "text": "theirs"], ["id": 13]]],
      ["id": 2, "notes": []],
    ])
    #expect(
      try objects("Note") == [
        "id=11 text=eleven user=1", "id=12 text=theirs user=2", "id=13 user=1",
      ])
    #expect(report.entities["Note"]?.protectedProperties == ["user": 1])
    #expect(report.count(of: .movedObject) == 0)
  }

  @Test func membersThatCameOrWentHereStayAndOthersAreTaken() throws {
    try edit {
      let tags = try #require(try $0("User", 1)["tags"] as? Set<ManagedObject>)
      let made = try context.insert(entityNamed: "Tag")
      made["id"] = 33
      try $0("User", 1)["tags"] = tags.filter { $0["id"] as? Int64 != 32 }.union([made])
    }
    let report = try sync([
      ["id": 1, "tags": [["id": 31], ["id": 32], ["id": 34]]],
      ["id": 2, "tags": [["id": 32], ["id": 33]]],
    ])
    #expect(try user(1).contains("tags=[31,33,34]"))
    #expect(try user(2).contains("tags=[32,33]"))
    #expect(report.entities["User"]?.protectedProperties == ["tags": 1])
    try acknowledge()
    _ = try sync([["id": 1, "tags": [["id": 31], ["id": 32], ["id": 34]]], ["id": 2]])
    #expect(try user(1).contains("tags=[31,32,34]"))
  }

  @Test func anOrderThatWasMadeHereStays() throws {
    try edit {
      let tasks = try #require(try $0("User", 1)["tasks"] as? [ManagedObject])
      try $0("User", 1)["tasks"] = Array(tasks.reversed())
    }
    let report = try sync([
      ["id": 1, "tasks": [["id": 41], ["id": 42], ["id": 44], ["id": 43]]], ["id": 2],
    ])
    #expect(try user(1).contains("tasks=[43,42,41,44]"))
    #expect(report.entities["User"]?.protectedProperties == ["tasks": 1])
  }

  // MARK: - Ways in

  @Test(arguments: [SyncTransaction.whole, .perBatch(1)])
  func severalPartsAndPagesLeaveEditsAlone(_ transaction: SyncTransaction) throws {
    try edit {
      try $0("User", 1)["name"] = "mine"
      try context.delete($0("User", 2))
    }
    let report = try Sync(
      .json([["id": 3], ["id": 1, "name": "theirs"], ["id": 2]]), inEntityNamed: "User",
      dataStack: stack
    ).run { $0.transaction = transaction }
    #expect(report.entities["User"]?.protected == 2)
    #expect(try stack.keys("User") == [1, 3])
    #expect(try user(1).contains("name=mine"))
  }

  @Test func theEndOfASessionDeletesNothingThatWasEdited() async throws {
    try edit { try $0("User", 2)["name"] = "mine" }
    let session = try SyncSession(entity: "User", dataStack: stack)
    try await stack.sync(session.page(.json([["id": 1]])))
    let report = try await session.finish()
    #expect(try stack.keys("User") == [1, 2])
    #expect(report.entities["User"]?.protected == 1)
  }

  @Test func aReferenceThatComesLateDoesNotUndoAnEdit() throws {
    try Sync(
      .json([["id": 1], ["id": 2, "company_id": 9]]), inEntityNamed: "User", dataStack: stack
    ).run { $0.deferReferences = true }
    try edit { try $0("User", 2)["company"] = try $0("Company", 8) }
    try edit { try $0("User", 2)["company"] = nil }
    try Sync(
      .json([["id": 7], ["id": 8], ["id": 9]]), inEntityNamed: "Company", dataStack: stack
    ).run { $0.deferReferences = true }
    #expect(try !user(2).contains("company"))
  }

  @Test func aReferenceThatWaitsDoesNotUndoAnEdit() throws {
    func sync(_ payload: SyncPayload, _ entity: String) throws {
      try Sync(payload, inEntityNamed: entity, dataStack: stack).run { $0.deferReferences = true }
    }
    try sync(.json([["id": 7], ["id": 8]]), "Company")
    try sync(.json([["id": 1, "company_id": 8], ["id": 2, "company_id": 8]]), "User")
    try edit { try $0("User", 2)["company"] = try $0("Company", 7) }
    try sync(.json([["id": 1, "company_id": 9], ["id": 2, "company_id": 9]]), "User")
    #expect(try !user(1).contains("company") && user(2).contains("company=7"))
    try sync(.json([["id": 7], ["id": 8], ["id": 9]]), "Company")
    #expect(try user(1).contains("company=9") && user(2).contains("company=7"))
  }

  // MARK: - Cost

  @Test func withoutTrackingNothingIsAsked() throws {
    let plain = try DataStack.social()
    try plain.sync(items(1...50), inEntityNamed: "User")
    let asked = try plain.store.recorder.record {
      try plain.sync(items(1...50), inEntityNamed: "User")
    }
    #expect(!asked.contains { $0.contains("history_") })
  }

  @Test func withTrackingItIsOneQuestionWhateverWasEdited() throws {
    try edit {
      try $0("User", 1)["name"] = "mine"
      try $0("Company", 7)["name"] = "mine"
      try context.delete($0("Note", 12))
    }
    let asked = try stack.store.recorder.record { _ = try sync([["id": 1], ["id": 2]]) }
    #expect(asked.count { $0.contains("_syncstack_history_changes c") } == 1)
  }

  /// A child without a key is known by its owner alone, whose empty place is an edit.
  @Test func aDeletedChildWithoutAKeyIsNotMadeAnew() throws {
    let stack = try DataStack(
      model: ManagedObjectModel([
        "Person: id, name, address -> Address.person cascade",
        "Address: street, person -> Person.address",
      ]), store: .inMemory, tracksChanges: true)
    let json: JSONValue = [["id": 1, "name": "a", "address": ["street": "x"]]]
    try stack.sync(json, inEntityNamed: "Person")
    let context = stack.newBackgroundContext()
    try context.performAndWait {
      for one in try context.fetch(Fetch<ManagedObject>(entityNamed: "Address")) {
        context.delete(one)
      }
      try context.save()
    }
    for _ in 0..<2 {
      let report = try stack.sync(json, inEntityNamed: "Person")
      #expect(report.protected == 1 && report.count(of: .unresolvedReference) == 0)
    }
    #expect(try SyncBench(stack).objects("Address").isEmpty)
    try stack.acknowledge(through: stack.pendingChanges(for: "server").token, for: "server")
    try stack.sync(json, inEntityNamed: "Person")
    #expect(try SyncBench(stack).objects("Address").count == 1)
  }
}
