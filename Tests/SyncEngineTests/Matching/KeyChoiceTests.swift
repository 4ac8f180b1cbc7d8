import SyncStack
import TestSupport
import Testing

/// Which of several objects a key means, and which of them may become one, goes by the objects from
/// before the payload.
@Suite struct KeyChoiceTests {
  /// None of several moves; of those with the same owner, which is none, the first stays.
  @Test(arguments: [1, nil])
  func storedObjectsOfAKeyAndOfOneOwnerBecomeOneWhicheverIsMentioned(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 1, "children": [{"id": 4}]}]"#, "Organization")
    try bench.sync(
      #"[{"id": 4, "name": "a"}, {"id": 4, "name": "b"}]"#, "Organization",
      operations: [.insert, .alwaysInsert])
    try bench.sync(#"[{"id": 1}, {"id": 2, "children": [{"id": 4}]}]"#, "Organization", parts: size)
    #expect(
      try bench.objects("Organization") == [
        "id=1 children=[4]", "id=2 children=[4]", "id=4 name=a", "id=4 parent=1", "id=4 parent=2",
      ])
  }

  /// Dogs have one owner more than animals have.
  @Test(arguments: [1, nil]) func objectsOfASubentityWithOtherOwnersStayTwo(size: Int?) throws {
    let bench = try SyncBench(TestModels.animals())
    try bench.sync(#"[{"id": 1, "dogs": [{"id": 5}]}, {"id": 2, "dogs": [{"id": 5}]}]"#, "Person")
    try bench.sync(#"[{"id": 5, "name": "n"}]"#, "Animal", parts: size)
    #expect(try bench.objects("Animal") == ["id=5 name=n walker=1", "id=5 walker=2"])
  }

  /// Person 2 is given twice in one list, so it is certain which owner lists person 3.
  @Test(arguments: [1, nil]) func aChildStaysWithAnOwnerThatListsItFurtherDown(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 4}, {"id": 2, "children": [{"id": 3, "name": "a"}]}]"#, "Organization")
    try bench.sync(
      #"""
      [{"id": 4, "children": [
        {"id": 1, "children": [{"id": 2, "children": [{"id": 3}]}, {"id": 2}]}, {"id": 3}]}]
      """#, "Organization", parts: size)
    #expect(
      try bench.objects("Organization").filter { $0.hasPrefix("id=3") }
        == ["id=3 name=a parent=2", "id=3 parent=4"])
  }

}
