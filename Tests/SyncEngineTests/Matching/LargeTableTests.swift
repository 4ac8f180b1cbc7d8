import SyncStack
import TestSupport
import Testing

/// Where a payload mentions little of a table, keys are looked up and members read owner by owner:
/// rows that are not read must not count.
@Suite struct LargeTableTests {
  @Test(arguments: [1, 2, nil] as [Int?], [0, 6])
  func belowAGivenParentOfATreeTooMembersLeaveAListThatDoesNotNameThem(size: Int?, scannedRows: Int)
    throws
  {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(
      #"[{"id": 9, "children": [{"id": 1, "children": [{"id": 2}, {"id": 3}]}, {"id": 4}]}]"#,
      "Organization")
    let parent = ManagedObjectID(
      entity: try bench.model.requireEntity(named: "Organization"), row: 1)
    let report = try bench.sync(
      #"[{"id": 1, "children": [{"id": 2}]}, {"id": 4}]"#, "Organization"
    ) {
      $0.setup.parent = parent
      $0.setup.parentRelationship = "children"
      $0.tuning.partItems = size
      $0.tuning.scannedRowsPerKey = scannedRows
    }
    #expect(
      try bench.objects("Organization") == [
        "id=1 parent=9 children=[2]", "id=2 parent=1", "id=4 parent=9", "id=9 children=[1,4]",
      ])
    #expect(report.deleted == 1)
  }
}
