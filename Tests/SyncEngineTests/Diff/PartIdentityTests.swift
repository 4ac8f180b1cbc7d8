import SyncCore
import SyncEngine
import TestSupport
import Testing

/// Which object a later part of a payload means follows from what the parts before said, not from what they
/// made of it.
@Suite struct PartIdentityTests {
  /// What a list said counts for who an object is, even when its owner gives the list again.
  @Test(
    "what an owner nested is its own, though it gives its list again", arguments: [1, 2, 3, nil])
  func replacedListsClaim(size: Int?) throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(
      #"""
      [{"id": 4, "notes": [{"id": 1, "text": "a"}]}, {"id": 4, "notes_ids": []},
       {"id": 1, "notes": [{"id": 1, "text": "b"}]}]
      """#, "User"
    ) { $0.partItems = size }
    #expect(try bench.objects("User") == ["id=1 notes=[1]", "id=4"])
    #expect(try bench.objects("Note") == ["id=1 text=a", "id=1 text=b user=1"])
  }

  @Test("what an owner nested is its own, though another one refers to it", arguments: [1, 2, nil])
  func referredObjectsStayWhoTheyAre(size: Int?) throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(
      #"""
      [{"id": 1, "notes": [{"id": 5, "text": "a"}]}, {"id": 2, "notes_ids": [5]},
       {"id": 1, "notes": [{"id": 5, "text": "b"}]}]
      """#, "User"
    ) { $0.partItems = size }
    #expect(try bench.objects("Note") == ["id=5 text=b user=1"])
  }

  @Test("an object that moved by its key is still another owner's", arguments: [1, 2, nil])
  func movedObjectsAreTakenByNobodyElse(size: Int?) throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(
      #"""
      [{"id": 1, "notes": [{"id": 5, "text": "a"}]}, {"id": 2, "notes_ids": [5]},
       {"id": 2, "notes": [{"id": 5, "text": "b"}]}]
      """#, "User"
    ) { $0.partItems = size }
    #expect(try bench.objects("Note") == ["id=5 text=a user=1", "id=5 text=b user=2"])
  }

  /// Of several objects of a key a list of keys means the owner's own child; whose child an object became
  /// in an earlier part does not count.
  @Test(
    "what an owner lists is its own, though the options let nothing of it be written",
    arguments: [1, 2, nil], [false, true])
  func unwritableOwnersKeepTheirs(size: Int?, inBatches: Bool) throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(#"[{"id": 4, "notes": [{"id": 5}]}]"#, "User")
    try bench.sync(
      #"[{"id": 4, "notes": [{"id": 5}]}, {"id": 1, "notes": [{"id": 5}]}]"#, "User"
    ) {
      $0.operations = [.insert, .delete, .deleteRelationships]
      if inBatches { $0.transaction = .perBatch(size ?? 3) } else { $0.partItems = size }
    }
    #expect(try bench.objects("Note") == ["id=5 user=4"])
    #expect(try bench.objects("User") == ["id=1", "id=4 notes=[5]"])
  }

  @Test("what an owner lists that is not stored is free", arguments: [1, 2, nil])
  func unmadeOwnersKeepNothing(size: Int?) throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(#"[{"id": 4}]"#, "User")
    try bench.sync(#"[{"id": 5}]"#, "Note")
    try bench.sync(
      #"[{"id": 2, "notes": [{"id": 5}]}, {"id": 4, "notes": [{"id": 5}]}]"#, "User"
    ) {
      $0.operations = [.update, .insertRelationships, .updateRelationships]
      $0.partItems = size
    }
    #expect(try bench.objects("Note") == ["id=5 user=4"])
  }

  @Test("a key means the object that was the owner's before the payload", arguments: [1, 2, nil])
  func keysMeanWhatWasThereBefore(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(
      #"""
      [{"id": 3, "children": [{"id": 2, "children": [{"id": 2}]}]},
       {"id": 2, "children_ids": [2]}]
      """#, "Organization"
    ) { $0.partItems = size }
    #expect(
      try bench.objects("Organization") == ["id=2", "id=2 parent=2 children=[2]", "id=3"])
  }

  @Test(
    "a key under a to-one relationship means the object it led to before", arguments: [1, 2, nil])
  func keysOfToOneMeanWhatWasThereBefore(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(
      #"""
      [{"id": 1, "children": [{"id": 5}]}, {"id": 2, "children": [{"id": 5, "children": [{"id": 9}]}]}]
      """#, "Organization")
    try bench.sync(#"[{"id": 9, "parent_id": 1}, {"id": 9, "parent_id": 5}]"#, "Organization") {
      $0.operations = [.insert, .update]
      $0.partItems = size
    }
    #expect(
      try bench.objects("Organization") == [
        "id=1 children=[5]", "id=2 children=[5]", "id=5 parent=1", "id=5 parent=2 children=[9]",
        "id=9 parent=5",
      ])
  }

  @Test("objects of one key that had other owners before are not folded", arguments: [1, 2, nil])
  func namesakesAreToldByTheirFormerOwners(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 1, "children": [{"id": 4}]}]"#, "Organization")
    try bench.sync(#"[{"id": 4, "name": "root"}]"#, "Organization") {
      $0.operations = [.insert, .alwaysInsert]
    }
    try bench.sync(
      #"[{"id": 1, "parent_id": null}, {"id": 1, "children_ids": []}, {"id": 4}]"#, "Organization"
    ) {
      $0.partItems = size
    }
    #expect(try bench.objects("Organization") == ["id=1", "id=4", "id=4 name=root"])
  }

  @Test(
    "a list with a key that cannot be read keeps a given parent's members", arguments: [1, 2, nil])
  func unreadableKeysKeepTheParentsMembers(size: Int?) throws {
    let bench = try SyncBench(TestModels.tree())
    try bench.sync(#"[{"id": 2, "children": [{"id": 3}]}]"#, "Organization")
    let parent = ManagedObjectID(
      entity: try bench.model.requireEntity(named: "Organization"), row: 1)
    try bench.sync(
      #"[{"id": 1, "children": [{"id": 2, "children": [{"id": null}]}]}]"#, "Organization"
    ) {
      $0.parent = parent
      $0.parentRelationship = "children"
      $0.partItems = size
    }
    #expect(
      try bench.objects("Organization") == [
        "id=1 parent=2 children=[2]", "id=2 parent=1 children=[1,3]", "id=3 parent=2",
      ])
  }

  @Test("a member that is not listed any more is still its owner's child", arguments: [1, nil])
  func unlistedMembersStayChildrenUntilTheEnd(size: Int?) throws {
    let bench = try SyncBench(TestModels.userNotes())
    try bench.sync(#"[{"id": 1, "notes": [{"id": 5, "text": "a"}]}]"#, "User")
    let report = try bench.sync(
      #"[{"id": 1, "notes": []}, {"id": 1, "notes": [{"id": 5, "text": "b"}]}]"#, "User"
    ) { $0.partItems = size }
    #expect(try bench.objects("Note") == ["id=5 text=b user=1"])
    #expect(report.inserted == 0 && report.deleted == 0)
  }

  @Test("a member that comes back stands where it stood", arguments: [1, nil])
  func membersKeepTheirPlace(size: Int?) throws {
    let bench = try SyncBench(TestModels.relationships())
    try bench.sync(#"[{"id": 3, "items": [{"id": 1}, {"id": 4}]}]"#, "A")
    try bench.sync(#"[{"id": 2, "items_ids": [1]}, {"id": 2, "items": []}]"#, "A") {
      $0.operations = [.insert, .update, .insertRelationships, .updateRelationships]
      $0.partItems = size
    }
    let whole = try bench.objects("A")
    #expect(whole == ["id=2", "id=3 items=[1,4]"])
  }

  @Test("who joins a new object and leaves it again did not change", arguments: [1, nil])
  func membersOfNewObjectsLeaveNoTrace(size: Int?) throws {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(#"[{"id": 2}]"#, "User")
    let (_, changes) = try bench.syncWithChanges(
      #"[{"id": 2, "users": [{"id": 2}]}, {"id": 2, "users": null}]"#, "Tag",
      { $0.partItems = size })
    #expect(changes.entities.map { "\($0.entity)" } == ["Tag"])
  }

  /// Items at the top that may not be made where they stand come into the list of a given parent when a
  /// later item nests them.
  @Test("a parent's list waits for objects of later parts", arguments: [1, 2, nil])
  func parentsListsWait(size: Int?) throws {
    let bench = try SyncBench(TestModels.relationships())
    try bench.sync(#"[{"id": 3}]"#, "A")
    let parent = try ManagedObjectID(entity: bench.model.requireEntity(named: "A"), row: 1)
    try bench.sync(#"[{"id": 1}, {"id": 3, "friends": [{"id": 1}]}]"#, "A") {
      $0.parent = parent
      $0.parentRelationship = "friends"
      $0.operations = [.update, .insertRelationships, .updateRelationships]
      $0.partItems = size
    }
    #expect(try bench.objects("A") == ["id=1 friends=[3]", "id=3 friends=[1,3]"])
  }

  @Test("objects that a parent's list waits for stand where it named them", arguments: [1, 2, nil])
  func waitingMembersKeepTheirPlace(size: Int?) throws {
    let bench = try SyncBench(TestModels.relationships())
    try bench.sync(#"[{"id": 3, "items": [{"id": "9"}]}]"#, "A")
    let parent = try ManagedObjectID(entity: bench.model.requireEntity(named: "A"), row: 1)
    try bench.sync(
      #"""
      [{"id": "2"}, {"id": "1"}, {"id": "9", "partner": {"id": 7, "links": [{"id": "1"}, {"id": "2"}]}}]
      """#, "B"
    ) {
      $0.parent = parent
      $0.parentRelationship = "links"
      $0.operations = [.update, .insertRelationships, .updateRelationships]
      $0.partItems = size
    }
    #expect(
      try bench.objects("A") == ["id=3 items=[9] links=[2,1,9]", "id=7 partner=9 links=[1,2]"])
  }

  @Test("who names the given parent in its own list stays its child", arguments: [1, nil])
  func ownListsKeepTheParent(size: Int?) throws {
    let bench = try SyncBench(TestModels.relationships())
    try bench.sync(#"[{"id": "4"}]"#, "B")
    let parent = try ManagedObjectID(entity: bench.model.requireEntity(named: "B"), row: 1)
    try bench.sync(#"[{"id": 3, "friends": [{"id": 2, "links_ids": ["4"]}]}]"#, "A") {
      $0.parent = parent
      $0.parentRelationship = "linked"
      $0.partItems = size
    }
    #expect(
      try bench.objects("A") == ["id=2 links=[4] friends=[3]", "id=3 links=[4] friends=[2]"])
  }

  /// What an earlier part linked by a key is not what an object without key is.
  @Test(
    "an object without key is the one that was linked before the payload", arguments: [1, 2, nil],
    [false, true])
  func keylessObjectsAreWhatWasLinkedBefore(size: Int?, inPages: Bool) throws {
    let bench = try SyncBench(TestModels.social())
    try bench.sync(#"[{"id": 1, "company": {"id": 3, "name": "three"}}, {"id": 2}]"#, "User")
    let payload = #"""
      [{"id": 1, "company": {"id": 5, "name": "five"}}, {"id": 1, "company": {"name": "new three"}},
       {"id": 2, "company": {"id": 5}}, {"id": 2, "company": {"name": "new"}}]
      """#
    if inPages {
      try bench.syncPages(payload, "User", size: size ?? 4)
    } else {
      try bench.sync(payload, "User") { $0.partItems = size }
    }
    #expect(
      try bench.objects("Company") == [
        "id=3 name=new three employees=[1]", "id=5 name=five", "name=new employees=[2]",
      ])
  }

  @Test("and else the one that stood there first", arguments: [1, 2, nil], [false, true])
  func keylessObjectsStayTheOne(size: Int?, isKept: Bool) throws {
    let bench = try SyncBench(TestModels.social())
    let payload = #"""
      [{"id": 1, "company": {"name": "a"}}, {"id": 1, "company": {"id": 5}},
       {"id": 1, "company": {"name": "b"}}]
      """#
    if isKept {
      try bench.syncPages(payload, "User", size: size ?? 3, isKept: true)
    } else {
      try bench.sync(payload, "User") { $0.partItems = size }
    }
    #expect(try bench.objects("Company") == ["id=5", "name=b employees=[1]"])
  }

  @Test(
    "of several objects of a key a list of objects means the one that it had before",
    arguments: [1, 2, nil], [false, true])
  func sharedObjectsAreWhatTheListHadBefore(size: Int?, inPages: Bool) throws {
    let bench = try SyncBench(TestModels.relationships())
    try bench.sync(#"[{"id": "7"}]"#, "B")
    try bench.sync(#"[{"id": 2, "items": [{"id": "7"}]}]"#, "A")
    try bench.sync(
      #"[{"id": 1, "items": [{"id": "7", "linked": [{"id": 1}]}]}, {"id": 2, "items": [{"id": "7"}]}]"#,
      "A")
    #expect(try bench.objects("B") == ["id=7 owner=1 linked=[1]", "id=7 owner=2"])
    let payload = #"""
      [{"id": 1, "links_ids": [], "items": [{"id": "7"}]}, {"id": 1, "links": [{"id": "7"}]},
       {"id": 2, "items": [{"id": "7"}]}]
      """#
    if inPages {
      try bench.syncPages(payload, "A", size: size ?? 3)
    } else {
      try bench.sync(payload, "A") { $0.partItems = size }
    }
    #expect(try bench.objects("B") == ["id=7 owner=1 linked=[1]", "id=7 owner=2"])
  }

  /// The animal of the first page becomes a dog at the end: what the second page says of both is of one object.
  @Test(
    "of what a page says of an object under two entities the last word counts",
    arguments: [1, 2, 3])
  func wordsUnderTwoEntitiesKeepTheirOrder(size: Int) throws {
    let payload = #"""
      [{"id": 1}, {"id": 1, "owner": {"id": 2, "dogs": [{"id": 1, "owner_id": 4}]}}]
      """#
    let bench = try SyncBench(TestModels.animals())
    try bench.syncPages(payload, "Animal", size: size)
    #expect(try bench.objects("Dog") == ["id=1 owner=2 walker=2"])
  }
}
