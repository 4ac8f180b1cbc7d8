import SyncStack
import TestSupport
import Testing

/// The statements of several parts of a payload about one object, in their order.
@Suite struct PartConflictTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var stored = "[]"
    let items: [String]
    var operations: SyncOperations = .all
  }

  static let cases = [
    Case(
      testDescription: "of two lists of an owner the last one counts",
      stored: #"[{"id": 1, "notes": [{"id": 9}]}]"#,
      items: [
        #"{"id": 1, "notes": [{"id": 1}, {"id": 2}]}"#, #"{"id": 2}"#,
        #"{"id": 1, "notes": [{"id": 2}, {"id": 3}]}"#,
      ]),
    Case(
      testDescription: "the last order of an ordered list counts",
      items: [
        #"{"id": 1, "tasks": [{"id": 3}, {"id": 1}, {"id": 2}]}"#, #"{"id": 2}"#,
        #"{"id": 1, "tasks": [{"id": 2}, {"id": 3}]}"#,
      ]),
    Case(
      testDescription: "a key that comes late has its place in the order",
      items: [#"{"id": 1, "tasks_ids": [5, 6]}"#, #"{"id": 2, "tasks": [{"id": 6}, {"id": 5}]}"#]),
  ]

  @Test(arguments: [nil, 1])
  func aListIsStrongerThanAnOwnWordOfTheSamePartThoughTheObjectsOfBothComeLater(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(
      #"[{"id": 4, "children_ids": [2]}, {"id": 2, "parent_id": 3}, {"id": 3}]"#, "Organization",
      parts: size)
    #expect(
      try bench.objects("Organization")
        == (size == nil
          ? ["id=2 parent=4", "id=3", "id=4 children=[2]"]
          : ["id=2 parent=3", "id=3 children=[2]", "id=4"]))
  }

  /// The owner may not be changed, but it lists its child.
  @Test(arguments: [nil, 2])
  func aChildThatWasRefusedToAnotherOwnerDoesNotComeToItAtTheEnd(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 2, "children": [{"id": 2}]}]"#, "Organization")
    try bench.sync(
      #"[{"id": 1, "children": [{"id": 2}]}, {"id": 2, "children": [{"id": 2}]}]"#, "Organization",
      operations: [.insert, .delete, .deleteRelationships], parts: size)
    #expect(try bench.objects("Organization") == ["id=1", "id=2 parent=2 children=[2]"])
  }

  @Test(arguments: cases, [1, 2]) func partsAgreeWithTheWhole(_ testCase: Case, _ size: Int) throws
  {
    let payload = "[\(testCase.items.joined(separator: ","))]"
    var results: [[String]] = []
    for size in [nil, size] {
      let bench = try SyncBench(TestModels.social())
      try bench.sync(testCase.stored, "User")
      let report = try bench.sync(payload, "User", operations: testCase.operations, parts: size)
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
    try whole.sync(
      "[\(testCase.items.joined(separator: ","))]", "User", operations: testCase.operations)
    // The state that one page needs of the others outlives the process.
    try paged.syncPages(
      "[\(testCase.items.joined(separator: ","))]", "User", size: 1, isKept: true,
      operations: testCase.operations)
    #expect(try content(paged) == content(whole))
  }

  private func content(_ bench: SyncBench) throws -> [String] {
    try ["User", "Note", "Company", "Tag", "Task"].flatMap { entity in
      try bench.objects(entity).map { "\(entity) \($0)" }
    }
  }
}
