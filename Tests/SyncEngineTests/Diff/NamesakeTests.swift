import SyncCore
import SyncEngine
import TestSupport
import Testing

/// Several objects of one key, children of different owners or of each other: which of them is meant.
@Suite struct NamesakeTests {
  /// Who is a child already is not taken away by a list further up that names the same key.
  @Test(
    "an owner's child is its own, though an object of that key is nested below itself",
    arguments: [1, nil])
  func ownChildrenComeFirst(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 1, "children": [{"id": 3}]}]"#, "Organization")
    try bench.sync(
      #"[{"id": 3, "children": [{"id": 1, "children": [{"id": 3}]}, {"id": 3}]}]"#, "Organization"
    ) { $0.partItems = size }
    #expect(
      try bench.objects("Organization") == [
        "id=1 parent=3 children=[3]", "id=3 parent=1 children=[1,3]", "id=3 parent=3",
      ])
  }

  /// An item at the top is the first stored object of its key, whatever its namesakes are linked to.
  @Test(
    "a to-one relationship keeps its object, an item at the top the first of its key",
    arguments: [1, nil])
  func mentionsOfOneKeyMeanDifferentObjects(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(
      #"[{"id": 3, "children": [{"id": 2, "children": [{"id": 2, "children": [{"id": 4}]}]}]}]"#,
      "Organization")
    try bench.sync(#"[{"id": 4, "parent": {"id": 2}}, {"id": 2, "name": "a"}]"#, "Organization") {
      $0.partItems = size
    }
    #expect(
      try bench.objects("Organization") == [
        "id=2 name=a children=[2]", "id=2 parent=2 children=[4]", "id=4 parent=2",
      ])
  }

  @Test("to-one relationships to several objects of a key keep theirs", arguments: [1, nil])
  func referrersKeepTheirObjects(size: Int?) throws {
    let tree = try SyncBench(TestModels.tree())
    try tree.sync(
      #"""
      [{"id": 1, "children": [{"id": 5, "children": [{"id": 8}]}]},
       {"id": 2, "children": [{"id": 5, "children": [{"id": 9}]}]}]
      """#, "Organization")
    try tree.sync(
      #"""
      [{"id": 8, "parent": {"id": 5, "name": "a"}}, {"id": 9, "parent": {"id": 5, "name": "b"}}]
      """#, "Organization"
    ) {
      $0.operations = [.insert, .update, .insertRelationships, .updateRelationships]
      $0.partItems = size
    }
    #expect(
      try tree.objects("Organization") == [
        "id=1 children=[5]", "id=2 children=[5]", "id=5 name=a parent=1 children=[8]",
        "id=5 name=b parent=2 children=[9]", "id=8 parent=5", "id=9 parent=5",
      ])
  }

  /// A child that may not be made where it is nested does not become another owner's.
  @Test("keys of owners never move a child, in parts too", arguments: [1, nil])
  func keysOfOwnersMoveNobody(size: Int?) throws {
    let bench = try SyncBench(
      ManagedObjectModel([
        EntityDraft(
          "Owner",
          [
            .attribute("id", .integer64),
            .toMany(
              "children", to: "Child", inverse: "owner", userInfo: ["sync.keyScope": "owner"]),
          ]),
        EntityDraft(
          "Child",
          [.attribute("id", .integer64), .toOne("owner", to: "Owner", inverse: "children")]),
      ]))
    try bench.sync(#"[{"id": 1, "children": [{"id": 7}]}]"#, "Owner")
    try bench.sync(#"[{"id": 2, "children": [{"id": 7}]}, {"id": 3}]"#, "Owner") {
      $0.operations = [.insert, .update, .updateRelationships]
      $0.partItems = size
    }
    #expect(try bench.objects("Owner") == ["id=1 children=[7]", "id=2", "id=3"])
  }

  /// The object of a key may be one of a subentity, and come in the same payload.
  @Test("a key means an object of a subentity that the same payload brings", arguments: [1, nil])
  func keysMeanObjectsOfSubentities(size: Int?) throws {
    let bench = try SyncBench(TestModels.vehicles())
    try bench.sync(
      #"[{"id": 5, "owner": {"id": 1}}, {"id": 6, "owner": {"id": 2, "vehicles_ids": [5]}}]"#, "Car"
    ) { $0.partItems = size }
    #expect(
      try bench.objects("Person") == ["id=1", "id=2 vehicles=[5,6]"])
  }
}
