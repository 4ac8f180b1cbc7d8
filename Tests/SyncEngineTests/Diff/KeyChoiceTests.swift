import SyncCore
import SyncEngine
import TestSupport
import Testing

/// Which of several objects a key means, and which of them may become one, goes by what was there before the
/// payload.
@Suite struct KeyChoiceTests {
  /// The first object of the key moves; of the others, which have the same owner (none), the first stays.
  @Test(
    "stored objects of a key and of one owner become one, whoever is mentioned",
    arguments: [1, nil])
  func namesakesOfOneOwnerAreFolded(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 1, "children": [{"id": 4}]}]"#, "Organization")
    try bench.sync(#"[{"id": 4, "name": "a"}, {"id": 4, "name": "b"}]"#, "Organization") {
      $0.operations = [.insert, .alwaysInsert]
    }
    try bench.sync(#"[{"id": 1}, {"id": 2, "children": [{"id": 4}]}]"#, "Organization") {
      $0.partItems = size
    }
    #expect(
      try bench.objects("Organization") == [
        "id=1", "id=2 children=[4]", "id=4 name=a", "id=4 parent=2",
      ])
  }

  /// Of two objects of the key that earlier parts brought, the second one meets the predicate by now.
  @Test("what an earlier part brought into the scope does not come first", arguments: [1, 2])
  func scopeIsThatBeforeThePayload(size: Int) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(
      #"""
      [{"id": 1, "children": [{"id": 4}]}, {"id": 2, "children": [{"id": 4, "name": "a"}]},
       {"id": 4, "children_ids": [1]}]
      """#, "Organization"
    ) {
      $0.operations = [.insert, .insertRelationships]
      $0.filter = Filter(#"name == "a""#)
      $0.partItems = size
    }
    #expect(
      try bench.objects("Organization") == [
        "id=1 parent=4 children=[4]", "id=2 children=[4]", "id=4 name=a parent=2",
        "id=4 parent=1 children=[1]",
      ])
  }

  @Test(
    "a stored object comes before one that an earlier part brought and linked",
    arguments: [1, 2, nil])
  func storedObjectsComeFirst(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 3}]"#, "Organization")
    try bench.sync(
      #"""
      [{"id": 4, "children": [{"id": 3}]},
       {"id": 1, "children": [{"id": 2, "children": [{"id": 3, "name": "new", "children_ids": [4]}]}]},
       {"id": 4, "parent": {"id": 3, "name": "c"}}]
      """#, "Organization"
    ) { $0.partItems = size }
    #expect(
      try bench.objects("Organization").filter { $0.hasPrefix("id=3") }
        == ["id=3 name=c parent=4", "id=3 name=new parent=2 children=[4]"])
  }

  /// Dogs have one owner more than animals have.
  @Test("objects of a subentity with other owners stay two", arguments: [1, nil])
  func ownersOfSubentitiesCount(size: Int?) throws {
    let bench = try SyncBench(TestModels.animals())
    try bench.sync(#"[{"id": 1, "dogs": [{"id": 5}]}, {"id": 2, "dogs": [{"id": 5}]}]"#, "Person")
    try bench.sync(#"[{"id": 5, "name": "n"}]"#, "Animal") { $0.partItems = size }
    #expect(try bench.objects("Animal") == ["id=5 name=n walker=1", "id=5 walker=2"])
  }

  /// The second object of the key is mentioned first.
  @Test("of several objects that the payload mentions the oldest moves", arguments: [1, nil])
  func theOldestMoves(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(
      #"[{"id": 1, "children": [{"id": 3}, {"id": 2, "children": [{"id": 3, "name": "a"}]}]}]"#,
      "Organization")
    try bench.sync(
      #"[{"id": 3, "parent": {"id": 3}}, {"id": 4, "children": [{"id": 3}]}]"#, "Organization"
    ) {
      $0.filter = Filter(#"name == "a""#)
      $0.operations = [.insert, .update, .insertRelationships, .updateRelationships]
      $0.partItems = size
    }
    #expect(
      try bench.objects("Organization").filter { $0.hasPrefix("id=3") }
        == ["id=3 name=a parent=3", "id=3 parent=4 children=[3]"])
  }

  /// Person 2 is given twice in one list, so it is certain who lists person 3.
  @Test("a child stays with an owner that lists it further down", arguments: [1, nil])
  func presentOwnersComeFirst(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 4}, {"id": 2, "children": [{"id": 3, "name": "a"}]}]"#, "Organization")
    try bench.sync(
      #"""
      [{"id": 4, "children": [
        {"id": 1, "children": [{"id": 2, "children": [{"id": 3}]}, {"id": 2}]}, {"id": 3}]}]
      """#, "Organization"
    ) { $0.partItems = size }
    #expect(
      try bench.objects("Organization").filter { $0.hasPrefix("id=3") }
        == ["id=3 name=a parent=2", "id=3 parent=4"])
  }

  /// Person 1 is the root of the tree; the key of the second item means the older one, which is only referred to.
  @Test("an object that is only referred to does not come first", arguments: [1, 2])
  func describedObjectsComeFirst(size: Int) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 3, "children": [{"id": 1}]}]"#, "Organization")
    try bench.sync(#"[{"id": 1, "name": "root"}]"#, "Organization") {
      $0.operations = [.insert, .alwaysInsert]
    }
    try bench.sync(
      #"[{"id": 1}, {"id": 3}, {"id": 5, "parent_id": 1}, {"id": 4, "children": [{"id": 1}]}]"#,
      "Organization"
    ) { $0.partItems = size }
    #expect(
      try bench.objects("Organization").filter { $0.hasPrefix("id=1") }
        == ["id=1 name=root parent=4", "id=1 parent=3 children=[5]"])
  }
}
