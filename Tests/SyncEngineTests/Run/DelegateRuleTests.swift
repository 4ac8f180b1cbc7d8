import SyncStack
import TestSupport
import Testing

/// The questions to the delegate, and the effects of its answers.
@Suite struct DelegateRuleTests {
  /// Runs a sync and returns the questions: entity, key of the item, key of the parent.
  private func asked(
    _ bench: SyncBench, _ json: String, _ entity: String = "User",
    answer: @escaping (JSONValue, String) -> JSONValue = { item, _ in item }
  ) throws -> [String] {
    var questions: [(String, JSONValue, ManagedObjectID?)] = []
    try bench.sync(json, entity) {
      $0.hooks.willInsert = { item, entity, parent in
        questions.append((entity.name, item, parent))
        return answer(item, entity.name)
      }
    }
    return try questions.map { entity, item, parent in
      let owner = try parent.map { "\($0.entity.name) \(try key(of: $0, in: bench))" } ?? "nobody"
      return "\(entity) \(item["id"] ?? .null) of \(owner)"
    }
  }

  private func key(of id: ManagedObjectID, in bench: SyncBench) throws -> String {
    var key = "?"
    try bench.store.read {
      try $0.scan(id.entity, .rows([id.row])) { key = try $0.storedRow().values[0].description }
    }
    return key
  }

  @Test func everyInsertIsOfferedWithItsOwnEntityAndItsRealParentNestedToOneIncluded() throws {
    let bench = try SyncBench(TestModels.social())
    let questions = try asked(
      bench,
      #"[{"id": 1, "company": {"id": 7}, "notes": [{"id": 2}], "tags": [{"id": 3}]}, {"id": 4}]"#)
    #expect(
      questions == [
        "User 1 of nobody", "Company 7 of User 1", "Note 2 of User 1", "Tag 3 of User 1",
        "User 4 of nobody",
      ])
  }

  @Test func storedObjectsAreNotOffered() throws {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(#"[{"id": 1, "company": {"id": 7}, "notes": [{"id": 2}]}]"#, "User")
    let questions = try asked(
      bench, #"[{"id": 1, "name": "x", "company": {"id": 7}, "notes": [{"id": 2}, {"id": 3}]}]"#)
    #expect(questions == ["Note 3 of User 1"])
  }

  @Test func membersThatTheAnswerAddsEndUpInTheObjectRelationshipsIncluded() throws {
    let bench = try SyncBench(TestModels.social())
    _ = try asked(bench, #"[{"id": 1}]"#) { item, entity in
      entity == "User"
        ? ["id": 1, "name": "local", "tags": [["id": 5, "name": "t"]], "company": ["id": 8]] : item
    }
    #expect(try bench.objects("User") == ["id=1 name=local company=8 tags=[5]"])
  }

  @Test func anAnswerWithTheKeyOfAStoredObjectUpdatesThatOneWithARepeatedKeyItIsOne() throws {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(#"[{"id": 1, "name": "old", "email": "e"}]"#, "User")
    _ = try asked(bench, #"[{"id": 50, "name": "new"}, {"id": 60}, {"id": 70}]"#) { item, _ in
      switch item["id"] {
      case 50: ["id": 1, "name": "new"]
      case 60: ["id": 70, "email": "sixty"]
      default: item
      }
    }
    #expect(try bench.objects("User") == ["id=1 name=new email=e", "id=70 email=sixty"])
  }

  @Test func anAnswerWithoutAKeyIsLeftOutAndReportedOrFailsTheSync() throws {
    let bench = try SyncBench(TestModels.social())
    func sync(_ policy: ItemErrorPolicy) throws -> SyncReport {
      try bench.sync(#"[{"id": 1}, {"id": 2}]"#, "User") {
        $0.settings.onItemError = policy
        $0.hooks.willInsert = { item, _, _ in item["id"] == 1 ? ["name": "?"] : item }
      }
    }
    expectError("SyncError missingKey") { try sync(.fail) }
    #expect(try bench.objects("User").isEmpty)
    #expect(try sync(.skip).count(of: .skippedItem) == 1)
    #expect(try bench.objects("User") == ["id=2"])
  }
}
