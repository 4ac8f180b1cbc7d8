import SyncGraph
import SyncStore
import TestSupport
import Testing

@Suite struct ChildContextMergingTests {
  // MARK: - Changes of the parent

  @Test(arguments: Kinship.allCases)
  func changesOfTheParentReachLoadedObjects(kinship: Kinship) throws {
    let scene = try ChildScene(kinship)
    let held = try scene.inChild { Held(objects: try $0.fetch(Fetch<User>())) }
    try scene.inParent { parent in
      try parent.user(1).name = "Anna"
      try parent.user(4).name = "Daniel"
      parent.delete(try parent.user(2))
    }
    try scene.inChild { child throws in
      #expect(try child.names() == [1: "Anna", 4: "Daniel"])
      #expect(held.objects.map(\.isDeleted) == [false, true, false])
      #expect(!child.hasChanges)
    }
  }

  @Test(arguments: Kinship.allCases)
  func unsavedValuesOfTheChildStayOnTop(kinship: Kinship) throws {
    let scene = try ChildScene(kinship)
    try scene.inChild { try $0.user(1).name = "Child" }
    try scene.inParent { parent in
      try parent.user(1).name = "Parent"
      try parent.user(1).email = "parent"
    }
    try scene.inChild { child in
      let user = try child.user(1)
      #expect(user.name == "Child" && user.email == "parent")
      #expect(user.committedValues(forKeys: ["name"])["name"] as? String == "Parent")
      try child.save()
    }
    try scene.inParent { parent in
      let user = try parent.user(1)
      #expect(user.name == "Child" && user.email == "parent" && user.age == 10)
    }
  }

  @Test(arguments: Kinship.allCases)
  func aRollbackOfTheParentTakesBackWhatTheChildHandedOver(kinship: Kinship) throws {
    let scene = try ChildScene(kinship)
    let held = try scene.inChild { child in
      child.insertUser(5)
      let users = try child.fetch(Fetch<User>())
      users[0].name = "Anna"
      child.delete(users[1])
      try child.save()
      return Held(objects: users)
    }
    scene.inParent { $0.rollback() }
    try scene.inChild { child throws in
      #expect(try child.names() == [1: "Ann", 2: "Bob", 3: "Cid"])
      #expect(held.objects.map(\.isDeleted) == [false, true, true, true])
      #expect(try child.user(2).notes.count == 2 && child.user(1).age == 1)
    }
    try scene.saveParents()
    #expect(try scene.stored() == [1: "Ann", 2: "Bob", 3: "Cid"])
  }

  @Test(arguments: Kinship.allCases) func toChildrenAResetIsARollback(kinship: Kinship) throws {
    let scene = try ChildScene(kinship)
    try scene.inChild { child in
      try child.user(1).name = "Anna"
      _ = try child.user(4).notes.count
    }
    scene.inParent { $0.reset() }
    try scene.inChild { child in
      #expect(try child.names() == [1: "Anna", 2: "Bob", 3: "Cid"])
      #expect(try child.user(1).age == 1)
      try child.save()
    }
    try scene.saveParents()
    #expect(try scene.stored() == [1: "Anna", 2: "Bob", 3: "Cid"])
  }

  @Test func refreshingInTheParentDropsItsValues() throws {
    let scene = try ChildScene(.ownQueues)
    let held = try scene.inChild { Held(objects: [try $0.user(1)]) }
    try scene.inParent { $0.refresh(try $0.user(1), mergeChanges: false) }
    scene.inChild { _ in #expect((held.objects[0] as? User)?.age == 1) }
  }

  // MARK: - Changes of others

  @Test(arguments: Kinship.allCases)
  func commitsOfOthersComeThroughTheParent(kinship: Kinship) throws {
    let scene = try ChildScene(kinship)
    let held = try scene.inChild { child in
      let ann = try child.user(1)
      ann.email = "child"
      return Held(objects: [ann, try child.user(2)])
    }
    try scene.stack.edit { other in
      try other.user(1).name = "Anna"
      try other.user(1).email = "other"
      other.delete(try other.user(2))
      other.insertUser(9)
    }
    try scene.inChild { child in
      let ann = try child.user(1)
      #expect(ann === held.objects[0] && ann.name == "Anna" && ann.email == "child")
      #expect(ann.age == 10 && held.objects[1].isDeleted)
      #expect(try child.fetch(Fetch<User>()).map(\.id) == [1, 9, 4])
    }
  }

  @Test func siblingsSeeWhatAChildHandsOver() throws {
    let scene = try ChildScene(.ownQueues)
    let sibling = scene.parent.newChildContext(.privateQueue)
    let held = try sibling.performAndWait { Held(objects: [try sibling.user(1)]) }
    try scene.inChild { child in
      try child.user(1).name = "Anna"
      child.insertUser(5)
      #expect(try sibling.performAndWait { try sibling.count(Fetch<User>()) } == 3)
      try child.save()
    }
    try sibling.performAndWait { () throws in
      #expect(try sibling.user(1).name == "Anna" && sibling.user(1) === held.objects[0])
      #expect(try sibling.fetch(Fetch<User>()).map(\.id) == [1, 2, 4, 5])
    }
  }

  @Test func anEmptiedStoreEmptiesChildren() throws {
    let scene = try ChildScene(.ownQueues)
    let held = try scene.inChild { child in
      try child.user(1).name = "Anna"
      return Held(objects: try child.fetch(Fetch<User>()))
    }
    try scene.stack.drop()
    try scene.inChild { child throws in
      #expect(try child.count(Fetch<User>()) == 0 && !child.hasChanges)
      #expect(held.objects.allSatisfy { $0.isDeleted })
    }
  }

  @Test func batchesOfAChildGoToTheStore() throws {
    let scene = try ChildScene(.grandchild)
    try scene.inChild { child in
      try child.user(2).email = "child"
      #expect(try child.batchUpdate(Fetch<User>("id < 3"), ["name": "Batch"]) == 2)
      #expect(try child.names() == [1: "Batch", 2: "Batch", 4: "Dan"])
      #expect(try child.user(2).email == "child" && child.user(1).age == 10)
      try child.batchInsert(User.self, [["id": 6, "name": "New"]])
      #expect(try child.names()[6] == "New")
    }
    #expect(try scene.stored() == [1: "Batch", 2: "Batch", 3: "Cid", 6: "New"])
  }

  // MARK: - Conflicts

  /// The context that deletes the object that the child edits.
  enum Deleter: CaseIterable, Sendable { case parent, parentWithSave, other }

  private func scene(
    whereAnnGoes deleter: Deleter, _ kinship: Kinship
  ) throws -> (scene: ChildScene, held: Held) {
    let scene = try ChildScene(kinship)
    let held = try scene.inChild { child in
      let ann = try child.user(1)
      ann.name = "Anna"
      return Held(objects: [ann])
    }
    switch deleter {
    case .parent, .parentWithSave:
      try scene.inParent { $0.delete(try $0.user(1)) }
      if deleter == .parentWithSave { try scene.saveParents() }
    case .other:
      try scene.stack.edit { $0.delete(try $0.user(1)) }
    }
    return (scene, held)
  }

  @Test(arguments: Deleter.allCases, [Kinship.sameQueue, .ownQueues, .mainQueue])
  func editsOfWhatWasDeletedAreAnError(deleter: Deleter, kinship: Kinship) throws {
    let (scene, held) = try scene(whereAnnGoes: deleter, kinship)
    try scene.inChild { child in
      let ann = held.objects[0]
      #expect {
        try child.save()
      } throws: { error in
        guard let error = error as? GraphError else { return false }
        return error.code == .conflict && error.objects == [ann.objectID]
          && error.conflicts[0].stored == nil && error.conflicts[0].edited == ["name": "Anna"]
          && error.conflicts[0].committed["name"] == "Ann"
      }
      #expect(child.updatedObjects == [ann] && !ann.isDeleted)
      child.rollback()
      #expect(ann.isDeleted && !child.hasChanges)
      try child.save()
      #expect(try child.names()[1] == nil)
    }
  }

  @Test func whatTheParentKeepsIsThereForTheChild() throws {
    // The parent edited it too, so the parent has to answer for it.
    let (scene, _) = try scene(whereAnnGoes: .other, .grandchild)
    try scene.inChild { child in
      try child.save()
      #expect(try child.names()[1] == "Anna")
    }
    try scene.inParent { parent throws in
      #expect { try parent.save() } throws: { ($0 as? GraphError)?.code == .conflict }
      #expect(try parent.user(1).name == "Anna" && parent.user(1).age == 10)
      parent.rollback()
    }
    #expect(try scene.inChild { try $0.names() } == [2: "Bob", 3: "Cid"])
  }

  @Test(arguments: MergePolicy.allCases)
  func theMergePolicyMayLetThemGo(policy: MergePolicy) throws {
    let (scene, held) = try scene(whereAnnGoes: .parent, .ownQueues)
    scene.child.mergePolicy = policy
    try scene.inChild { child in
      try child.user(2).name = "Bobby"
      let isGivenUp = policy == .storeWins || policy == .storeWinsPerProperty
      if isGivenUp {
        try child.save()
      } else {
        #expect(throws: GraphError.self) { try child.save() }
      }
      #expect(held.objects[0].isDeleted == isGivenUp && child.hasChanges != isGivenUp)
      #expect(try scene.inParent { try $0.user(2).name } == (isGivenUp ? "Bobby" : "Bob"))
    }
  }

  @Test func deletingOnBothSidesIsNoConflict() throws {
    let scene = try ChildScene(.ownQueues)
    try scene.inChild { child in child.delete(try child.user(1)) }
    try scene.inParent { $0.delete(try $0.user(1)) }
    try scene.inChild { child in
      try child.save()
      #expect(try child.names() == [2: "Bob", 4: "Dan"])
    }
  }

  @Test func aRollbackOfTheParentBringsTheEditedObjectBack() throws {
    let (scene, held) = try scene(whereAnnGoes: .parent, .ownQueues)
    try scene.inChild { _ = try $0.names() }
    scene.inParent { $0.rollback() }
    try scene.inChild { child in
      #expect(try child.names()[1] == "Anna")
      try child.save()
      #expect(try child.user(1) === held.objects[0])
    }
    #expect(try scene.inParent { try $0.user(1).name } == "Anna")
  }

  @Test func theStoreFindsConflictsOfRowsThatTheChildRead() throws {
    let stack = try DataStack.social()
    let other = stack.newBackgroundContext()
    try other.edit { other.insertUser(1) }
    // It does not merge, and has no object of its own: the row is the one that the child read.
    let parent = stack.newNonMergingBackgroundContext()
    let child = parent.newChildContext()
    try child.performAndWait {
      let user = try child.user(1)
      user.name = "Child"
      try other.edit { try other.user(1).name = "Other" }
      try child.save()
      #expect { try parent.save() } throws: { error in
        (error as? GraphError)?.conflicts.first?.stored?["name"] == "Other"
      }
      parent.mergePolicy = .objectWinsPerProperty
      try parent.save()
      #expect(!child.hasChanges && user.name == "Child")
    }
    #expect(try other.performAndWait { try other.user(1).name } == "Child")
  }

  /// In the midst of a block a child does not know the changes that its parent has merged
  /// meanwhile.
  @Test func whatAChildHandsOverIsInLineWithWhatTheParentMerged() throws {
    let stack = try DataStack.social()
    let (other, parent) = (stack.newBackgroundContext(), stack.newBackgroundContext())
    let child = parent.newChildContext(.privateQueue)
    try other.edit {
      let users = (1...3 as ClosedRange<Int64>).map { number in other.insertUser(number) }
      let tag = other.insert(Tag.self)
      (tag.name, users[2].tags) = ("tag", [tag])
      other.insert(Company.self).id = 1
    }
    try child.edit {
      let users = try child.fetch(Fetch<User>().sorted(by: "id"))
      users[0].name = "child"
      users[0].tags = Set(try child.fetch(Fetch<Tag>()))
      users[1].name = "child"
      users[1].company = try child.fetch(Fetch<Company>()).first
      users[2].tags = []
      try other.edit {
        other.delete(try other.user(1))
        other.delete(try #require(try other.fetch(Fetch<Company>()).first))
        try other.user(2).email = "other"
      }
      parent.performAndWait {}
    }
    try parent.edit {
      let users = try parent.fetch(Fetch<User>().sorted(by: "id"))
      let tag = try #require(try parent.fetch(Fetch<Tag>()).first)
      #expect(users.map(\.id) == [2, 3] && tag.users.isEmpty)
      #expect(users[0].name == "child" && users[0].email == "other" && users[0].company == nil)
      // The edit was made without knowing of the other.
      #expect { try parent.save() } throws: { ($0 as? GraphError)?.objects == [users[0].objectID] }
      parent.mergePolicy = .objectWinsPerProperty
    }
    try child.performAndWait { () throws -> Void in
      let users = try child.fetch(Fetch<User>().sorted(by: "id"))
      #expect(users.map(\.id) == [2, 3] && users[0].company == nil && users[1].tags.isEmpty)
      #expect(try child.count(Fetch<User>("company != nil")) == 0)
    }
    #expect(try stack.store.read { try $0.checkConsistency() }.isEmpty)
  }

  @Test func whatTheStoreWonIsSeenInTheChild() throws {
    let stack = try DataStack.social()
    let other = stack.newBackgroundContext()
    try other.edit { other.insertUser(1) }
    let parent = stack.newNonMergingBackgroundContext()
    parent.mergePolicy = .storeWins
    let child = parent.newChildContext()
    try child.performAndWait {
      let user = try child.user(1)
      user.name = "Child"
      try child.save()
      try other.edit { try other.user(1).name = "Other" }
      try parent.save()
      child.performAndWait {}
      #expect(try child.user(1) === user && user.name == "Other")
    }
  }
}
