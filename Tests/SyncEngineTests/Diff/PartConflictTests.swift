import SyncCore
import SyncEngine
import SyncStore
import TestSupport
import Testing

/// What several parts of a payload say of the same things comes to what the whole payload says: the store, and
/// what is told of it.
@Suite struct PartConflictTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var stored = "[]"
    let items: [String]
    var operations: SyncOperations = .all
  }

  static let cases = [
    Case(
      testDescription: "a repeated item under insert only is the same new object",
      items: [#"{"id": 1, "name": "a"}"#, #"{"id": 1, "email": "b"}"#], operations: [.insert]),
    Case(
      testDescription: "of two lists of an owner the last one counts",
      stored: #"[{"id": 1, "notes": [{"id": 9}]}]"#,
      items: [
        #"{"id": 1, "notes": [{"id": 1}, {"id": 2}]}"#, #"{"id": 2}"#,
        #"{"id": 1, "notes": [{"id": 2}, {"id": 3}]}"#,
      ]),
    Case(
      testDescription: "a list of keys takes back what a list of objects would have deleted",
      stored: #"[{"id": 1, "notes": [{"id": 9}]}]"#,
      items: [#"{"id": 1, "notes": []}"#, #"{"id": 1, "notes_ids": []}"#]),
    Case(
      testDescription: "a list of objects deletes what a list of keys only unlinked",
      stored: #"[{"id": 1, "notes": [{"id": 9}]}]"#,
      items: [#"{"id": 1, "notes_ids": []}"#, #"{"id": 1, "notes": []}"#]),
    Case(
      testDescription: "the last order of an ordered list counts",
      items: [
        #"{"id": 1, "tasks": [{"id": 3}, {"id": 1}, {"id": 2}]}"#, #"{"id": 2}"#,
        #"{"id": 1, "tasks": [{"id": 2}, {"id": 3}]}"#,
      ]),
    Case(
      testDescription: "a key that comes late has its place in the order",
      items: [#"{"id": 1, "tasks_ids": [5, 6]}"#, #"{"id": 2, "tasks": [{"id": 6}, {"id": 5}]}"#]),
    Case(
      testDescription: "a last word that nobody can follow leaves all as it was",
      stored: #"[{"id": 1, "company": {"id": 1}}]"#,
      items: [#"{"id": 1, "company": {"id": 2}}"#, #"{"id": 1, "company_id": 77}"#]),
    Case(
      testDescription: "what is changed back did not change",
      stored: #"[{"id": 1, "name": "a", "company": {"id": 1}, "tags": [{"id": 1}]}]"#,
      items: [
        #"{"id": 1, "name": "b", "company": null, "tags": []}"#, #"{"id": 2}"#,
        #"{"id": 1, "name": "a", "company_id": 1, "tags_ids": [1]}"#,
      ]),
    Case(
      testDescription: "whom an unreadable key keeps in a list stands where it stood",
      stored: #"[{"id": 1, "tasks": [{"id": 2}, {"id": 4}]}, {"id": 1, "tasks_ids": [4, 2]}]"#,
      items: [#"{"id": 1, "tasks": [{"id": []}]}"#, #"{"id": 1, "tasks_ids": null}"#]),
    Case(
      testDescription: "…behind those that the last list names",
      stored: #"""
        [{"id": 1, "tasks": [{"id": 2}, {"id": 3}, {"id": 4}]}, {"id": 1, "tasks_ids": [4, 2, 3]}]
        """#,
      items: [#"{"id": 1, "tasks": [{"id": []}]}"#, #"{"id": 1, "tasks_ids": [3]}"#]),
  ]

  @Test(
    "a list is stronger than an own word, though the objects of both came later",
    arguments: [nil, 1])
  func lateListsAreStronger(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(
      #"[{"id": 4, "children_ids": [2]}, {"id": 2, "parent_id": 3}, {"id": 3}]"#, "Organization"
    ) { $0.partItems = size }
    #expect(
      try bench.objects("Organization") == ["id=2 parent=4", "id=3", "id=4 children=[2]"])
  }

  /// The owner may not be changed, but it lists its child.
  @Test(
    "a child that was refused to another owner does not come to it at the end",
    arguments: [nil, 2])
  func refusedChildrenStay(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 2, "children": [{"id": 2}]}]"#, "Organization")
    try bench.sync(
      #"[{"id": 1, "children": [{"id": 2}]}, {"id": 2, "children": [{"id": 2}]}]"#, "Organization"
    ) {
      $0.operations = [.insert, .delete, .deleteRelationships]
      $0.partItems = size
    }
    #expect(try bench.objects("Organization") == ["id=1", "id=2 parent=2 children=[2]"])
  }

  @Test("whom an unreadable key keeps in a shared list stands where it stood, at both ends")
  func sharedListsKeepTheirOrder() throws {
    var results: [[String]] = []
    for size in [nil, 1] {
      let bench = try SyncBench(TestModels.relationships())
      try bench.sync(
        #"""
        [{"id": 1, "links": [{"id": 1}, {"id": 2}]}, {"id": 3, "links": [{"id": 2}, {"id": 1}]}]
        """#, "A")
      try bench.sync(#"[{"id": 1, "links_ids": [2, 1]}, {"id": 3}]"#, "A")
      try bench.sync(#"[{"id": 1, "linked_ids": [1, 3]}, {"id": 2, "linked_ids": [1, 3]}]"#, "B")
      let before = try bench.objects("A") + bench.objects("B")
      try bench.sync(
        #"[{"id": 1, "links": [{"id": []}]}, {"id": 3}, {"id": 1, "links_ids": null}]"#, "A"
      ) { $0.partItems = size }
      let after = try bench.objects("A") + bench.objects("B")
      #expect(after == before)
      results.append(after)
    }
    #expect(results[0] == results[1])
  }

  @Test(arguments: cases, [1, 2]) func partsAgreeWithTheWhole(_ testCase: Case, _ size: Int) throws
  {
    let payload = "[\(testCase.items.joined(separator: ","))]"
    var results: [[String]] = []
    for size in [nil, size] {
      let bench = try SyncBench(TestModels.social())
      try bench.sync(testCase.stored, "User")
      let report = try bench.sync(payload, "User") {
        $0.operations = testCase.operations
        $0.partItems = size
      }
      let counts = report.entities.mapValues { [$0.inserted, $0.updated, $0.deleted] }
        .filter { $0.value != [0, 0, 0] }.map { "\($0.key) \($0.value)" }.sorted()
      results.append(try content(bench) + counts)
    }
    #expect(results[0] == results[1])
  }

  @Test(arguments: cases) func pagesAgreeWithTheWhole(_ testCase: Case) throws {
    let whole = try SyncBench(TestModels.social())
    let paged = try SyncBench(TestModels.social())
    for bench in [whole, paged] { try bench.sync(testCase.stored, "User") }
    try whole.sync("[\(testCase.items.joined(separator: ","))]", "User") {
      $0.operations = testCase.operations
    }
    let user = try paged.model.requireEntity(named: "User")
    let state = SessionState(entity: user, name: "pages")
    var request = SyncRequest(
      plan: MappingPlanCompiler.compile(user, transformers: TransformerRegistry()),
      payload: .json([]))
    request.operations = testCase.operations
    for item in testCase.items {
      // What one page has to know of the others outlives the process.
      let next = SessionState(entity: user, name: "pages")
      try paged.store.read { try next.restore(from: $0, SyncControl()) }
      try paged.sync("[\(item)]", "User") {
        $0.operations = testCase.operations
        $0.session = next
      }
    }
    try paged.store.read { try state.restore(from: $0, SyncControl()) }
    _ = try SessionEnd(request, state: state, store: paged.store, control: SyncControl()).run()
    #expect(try content(paged) == content(whole))
  }

  private func content(_ bench: SyncBench) throws -> [String] {
    try ["User", "Note", "Company", "Tag", "Task"].flatMap { entity in
      try bench.objects(entity).map { "\(entity) \($0)" }
    }
  }
}
