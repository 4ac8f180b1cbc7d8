import SyncStack
import TestSupport
import Testing

/// Several objects of one key, children of different owners or of each other: which of them is
/// meant.
@Suite struct NamesakeTests {
  private static let ownersKeys = SyncCase.Model.of(
    "Owner: id, children ->> Child.owner sync.keyScope=owner", "Child: id, owner -> Owner.children")

  static let cases = [
    // A child is not taken away by a list further up that names the same key.
    SyncCase(
      "an owner's child is its own though an object of that key is nested below itself", in: .tree,
      .sync("Organization", #"[{"id": 1, "children": [{"id": 3}]}]"#),
      .sync(
        "Organization", #"[{"id": 3, "children": [{"id": 1, "children": [{"id": 3}]}, {"id": 3}]}]"#
      ),
      leaves: [
        "Organization": [
          "id=1 parent=3 children=[3]", "id=3 parent=1 children=[1,3]", "id=3 parent=3",
        ]
      ]),
    // An item at the top is the first stored object of its key, whatever its namesakes are linked
    // to.
    SyncCase(
      "a to-one relationship keeps its object, an item at the top the first of its key", in: .tree,
      .sync(
        "Organization",
        #"[{"id": 3, "children": [{"id": 2, "children": [{"id": 2, "children": [{"id": 4}]}]}]}]"#),
      .sync("Organization", #"[{"id": 4, "parent": {"id": 2}}, {"id": 2, "name": "a"}]"#),
      leaves: [
        "Organization": ["id=2 name=a children=[2]", "id=2 parent=2 children=[4]", "id=4 parent=2"]
      ]),
    SyncCase(
      "in parts it is one object when the subentity's part comes first", in: .animals,
      .sync(
        "Person",
        #"""
        [{"id": 1, "dogs": [{"id": 5, "breed": "b", "name": "a"}]},
         {"id": 2, "animals": [{"id": 5, "name": "n"}]}]
        """#),
      leaves: ["Animal": ["id=5 name=n owner=2 breed=b walker=1"]]),
    // A child that may not be made where it is nested does not become another owner's.
    SyncCase(
      "keys of owners never move a child", in: ownersKeys,
      .sync("Owner", #"[{"id": 1, "children": [{"id": 7}]}]"#),
      .sync(
        "Owner", #"[{"id": 2, "children": [{"id": 7}]}, {"id": 3}]"#,
        [.insert, .update, .updateRelationships]),
      leaves: ["Owner": ["id=1 children=[7]", "id=2", "id=3"]]),
    // The object of a key may be one of a subentity, and come in the same payload.
    SyncCase(
      "a key means an object of a subentity that the same payload brings", in: .vehicles,
      .sync(
        "Car",
        #"[{"id": 5, "owner": {"id": 1}}, {"id": 6, "owner": {"id": 2, "vehicles_ids": [5]}}]"#),
      leaves: ["Person": ["id=1", "id=2 vehicles=[5,6]"]]),
  ]

  @Test(arguments: cases, [nil, 1, 2])
  func theObjectOfAKeyIsTheSameInAnyParts(_ rule: SyncCase, parts: Int?) throws {
    try rule.check(parts: parts)
  }

  @Test(arguments: [1, nil])
  func toOneRelationshipsToSeveralObjectsOfAKeyKeepTheirs(size: Int?) throws {
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
      $0.settings.operations = [.insert, .update, .insertRelationships, .updateRelationships]
      $0.tuning.partItems = size
    }
    #expect(
      try tree.objects("Organization") == [
        "id=1 children=[5]", "id=2 children=[5]", "id=5 name=a parent=1 children=[8]",
        "id=5 name=b parent=2 children=[9]", "id=8 parent=5", "id=9 parent=5",
      ])
  }

  /// The first owner may not make a child of its own, as the second one keeps the stored one.
  @Test func aMentionWithoutAnObjectLeavesAListTheOneThatIsStored() throws {
    let bench = try SyncBench(TestModels.twoLists())
    try bench.sync(#"[{"id": 1}]"#, "Child")
    try bench.sync(#"[{"id": 2, "own_ids": [1]}]"#, "Owner")
    try bench.sync(
      #"""
      [{"id": 1, "own": [{"id": 1}]}, {"id": 2, "own": [{"id": 1}]}, {"id": 1, "list": [{"id": 1}]}]
      """#, "Owner", operations: [.insert, .updateRelationships, .deleteRelationships])
    #expect(try bench.objects("Owner") == ["id=1 list=[1]", "id=2 own=[1]"])
  }

  /// Two tags have one key: the list goes on with the one it has.
  @Test(arguments: [1, nil], [#""tags": [{"id": 5, "name": "new"}]"#, #""tags_ids": [5]"#])
  func aManyToManyListKeepsItsObjectOfAKeyGivenAsAnObjectOrByTheKey(size: Int?, list: String) throws
  {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(
      #"[{"id": 5, "name": "old"}, {"id": 5, "name": "mine"}]"#, "Tag",
      operations: [.insert, .alwaysInsert])
    let user = try bench.model.requireEntity(named: "User")
    let tags = try #require(user.relationship(named: "tags"))
    try bench.sync(#"[{"id": 1}, {"id": 2}]"#, "User")
    try bench.store.write { try $0.addLinks(tags, of: user, pairs: [(owner: 1, member: 2)]) }
    let before = try bench.objects("Tag")
    #expect(before == ["id=5 name=mine users=[1]", "id=5 name=old"])
    try bench.sync(#"[{"id": 2, "name": "x"}, {"id": 1, \#(list)}]"#, "User", parts: size)
    let name = list.contains("new") ? "new" : "mine"
    #expect(try bench.objects("Tag") == ["id=5 name=\(name) users=[1]", "id=5 name=old"].sorted())
  }

  /// Owners lose and gain the tag of the key before their list names it again.
  @Test func aManyToManyListKeepsItsObjectOfAKeyHoweverOftenItIsGiven() throws {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(
      #"[{"id": 5, "name": "old"}, {"id": 5, "name": "mine"}]"#, "Tag",
      operations: [.insert, .alwaysInsert])
    let user = try bench.model.requireEntity(named: "User")
    let tags = try #require(user.relationship(named: "tags"))
    try bench.sync(#"[{"id": 1}, {"id": 2}, {"id": 3}]"#, "User")
    try bench.store.write {
      try $0.addLinks(tags, of: user, pairs: [(owner: 1, member: 2), (owner: 3, member: 2)])
    }
    try bench.sync(
      #"""
      [{"id": 1, "tags_ids": []}, {"id": 2, "tags_ids": [5]}, {"id": 1, "tags_ids": [5]},
       {"id": 3, "tags": []}, {"id": 2, "tags_ids": []}, {"id": 1, "tags_ids": []},
       {"id": 3, "tags_ids": [5]}, {"id": 2, "tags_ids": [5]}, {"id": 1, "tags_ids": [5]}]
      """#, "User")
    #expect(try bench.objects("Tag") == ["id=5 name=mine users=[1,3]", "id=5 name=old users=[2]"])
  }

  /// No list can name an object without key, so that it does not says nothing (hazard H5).
  @Test(arguments: [1, nil])
  func anObjectWithoutKeyStaysInAListThatDoesNotNameIt(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 2, "parent": {"name": "keyless"}}, {"id": 1}]"#, "Organization")
    let entity = try bench.model.requireEntity(named: "Organization")
    var rows: [String: Int64] = [:]
    try bench.store.read { reader in
      try reader.scan(entity, .all) { rows[$0.value(0).description] = $0.row }
    }
    try bench.store.write { transaction in
      let block = RowBlock(width: entity.properties.count, capacity: 1)
      let slot = try #require(entity.relationship(named: "parent")?.slot)
      block[block.append()][slot] = .integer(try #require(rows["1"]))
      let keyless = try #require(rows.first { $0.key != "1" && $0.key != "2" }?.value)
      try transaction.update(block, index: 0, row: keyless, of: entity, slots: [slot])
    }
    let stored = try bench.objects("Organization")
    #expect(stored.contains("name=keyless parent=1 children=[2]"))
    try bench.sync(
      #"[{"id": 1, "children": []}, {"id": 2, "parent": {"name": "keyless"}}]"#, "Organization",
      parts: size)
    #expect(try bench.objects("Organization") == stored)
  }

  /// The lists stand under an entity and under its subentity.
  @Test(arguments: [
    #"[{"id": 1, "dogs": [{"id": 5, "breed": "b"}]}, {"id": 2, "animals": [{"id": 5, "name": "n"}]}]"#,
    #"[{"id": 2, "animals": [{"id": 5, "name": "n"}]}, {"id": 1, "dogs": [{"id": 5, "breed": "b"}]}]"#,
    #"[{"id": 2, "favourite": {"id": 5, "name": "n"}, "animals_ids": [5]}, {"id": 1, "dogs": [{"id": 5, "breed": "b"}]}]"#,
  ])
  func oneKeyUnderAnEntityAndUnderItsSubentityIsOneObjectWithTheValuesOfBoth(payload: String) throws
  {
    let bench = try SyncBench(TestModels.animals())
    let report = try bench.sync(payload, "Person")
    let dog = ["id=5 name=n owner=2 breed=b walker=1"]
    #expect(try bench.objects("Animal") == dog)
    #expect(report.entities["Dog"]?.inserted == 1 && report.entities["Animal"]?.inserted ?? 0 == 0)
    for size in [nil, 1] {
      let again = try bench.sync(payload, "Person", parts: size)
      #expect(try bench.objects("Animal") == dog)
      #expect(again.isUnchanged)
    }
  }

  /// One key in one payload is one object, of the subentity; an animal that is stored is another
  /// one.
  @Test(arguments: [1, nil]) func anAnimalThatIsStoredIsNotTheDogOfItsKey(size: Int?) throws {
    let bench = try SyncBench(TestModels.animals())
    try bench.sync(#"[{"id": 2, "name": "cat"}]"#, "Animal")
    try bench.sync(
      #"[{"id": 1, "dogs": [{"id": 2}]}, {"id": 4, "animals": [{"id": 2}]}]"#, "Person", parts: size
    )
    #expect(
      try bench.objects("Animal")
        == (size == nil
          ? ["id=2 name=cat", "id=2 owner=4 walker=1"]
          : ["id=2 name=cat owner=4", "id=2 walker=1"]))
  }

  /// The key under `animals` means a dog of the same payload, and a list is stronger than the dog's
  /// own reference.
  @Test(arguments: [2, nil]) func aListOfKeysTakesANewObjectOfASubentity(size: Int?) throws {
    let bench = try SyncBench(TestModels.animals())
    try bench.sync(#"[{"id": 4}]"#, "Person")
    let (report, changes) = try bench.syncWithChanges(
      #"[{"id": 3, "walker": {"id": 2, "animals_ids": [1]}}, {"id": 1, "owner_id": 4}]"#, "Dog",
      parts: size)
    #expect(try bench.objects("Dog") == ["id=1 owner=2", "id=3 walker=2"])
    #expect(report.updated == 0 && changes.entities.allSatisfy { $0.updated.isEmpty })
  }

  @Test(arguments: [
    (#""dogs": [{"id": 5, "name": "b"}]"#, #""animals": [{"id": 5, "name": "c"}]"#, "c"),
    (#""animals": [{"id": 5, "name": "c"}]"#, #""dogs": [{"id": 5, "name": "b"}]"#, "b"),
    (#""animals": [{"id": 5, "name": "c"}]"#, #""dogs": [{"id": 5, "name": "a"}]"#, "a"),
  ])
  func theLaterOfTwoMentionsUnderAnEntityAndItsSubentityCounts(
    first: String, second: String, name: String
  ) throws {
    let bench = try SyncBench(TestModels.animals())
    try bench.sync(#"[{"id": 5, "name": "a"}]"#, "Dog")
    try bench.sync("[{\"id\": 1, \(first)}, {\"id\": 2, \(second)}]", "Person")
    #expect(try bench.objects("Dog").first?.hasPrefix("id=5 name=\(name)") == true)
  }

  /// The keys of the list belong to the owner: the child that it nested is the one it means,
  /// wherever it went since.
  @Test func keysOfOwnersMeanTheChildThatTheOwnerNestedBefore() throws {
    let bench = try SyncBench(Self.ownersKeys.make())
    try bench.sync(
      #"""
      [{"id": 1, "children": [{"id": 7}]}, {"id": 2, "children_ids": [7]}, {"id": 1, "children": [{"id": 7}]}]
      """#, "Owner")
    #expect(try bench.objects("Owner") == ["id=1 children=[7]", "id=2"])
    #expect(try bench.objects("Child").count == 1)
  }
}
