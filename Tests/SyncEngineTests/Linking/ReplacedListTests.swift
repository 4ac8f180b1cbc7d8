import SyncStack
import TestSupport
import Testing

/// Lists that a later list of the same owner replaces: their mentions count all the same.
@Suite struct ReplacedListTests {

  /// An owner that lists an object is stronger than the object itself, until the list is given
  /// again without it.
  @Test(arguments: [1, 2, nil])
  func anObjectGoesWhereItSaysOnceTheListThatHadItIsReplaced(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    let report = try bench.sync(
      #"""
      [{"id": 4, "children_ids": [4]}, {"id": 4, "parent_id": 3, "children_ids": []}, {"id": 3},
       {"id": 6, "children_ids": [6]}, {"id": 6, "parent_id": 9, "children_ids": []}]
      """#, "Organization", parts: size)
    #expect(try bench.objects("Organization") == ["id=3 children=[4]", "id=4 parent=3", "id=6"])
    #expect(report.findings.filter { $0.kind == .unresolvedReference }.count == 1)
  }

  /// The given parent is listed by a child of its own, whose list is given again without it.
  @Test(arguments: [1, 2, nil])
  func aGivenParentLeavesItsOwnListWithItsChildsReplacedList(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 3, "parent_id": 3}]"#, "Organization")
    let entity = try bench.model.requireEntity(named: "Organization")
    try bench.sync(
      #"[{"id": 1, "children": [{"id": 3}]}, {"id": 1, "children": []}]"#, "Organization",
      under: ManagedObjectID(entity: entity, row: 1), by: "children", parts: size)
    #expect(try bench.objects("Organization") == ["id=1 parent=3", "id=3 children=[1]"])
  }
}
