import SyncCore
import SyncGraph
import SyncStore
import Testing

@Suite struct ChildContextTests {
  // MARK: - Reading

  @Test(arguments: Kinship.allCases)
  func everyAnswerHasWhatIsUnsavedInTheParent(kinship: Kinship) throws {
    let scene = try ChildScene(kinship)
    try scene.inChild { child in
      #expect(child.parent === scene.parent && child.concurrency == scene.child.concurrency)
      let all = try child.fetch(Fetch<User>())
      #expect(all.map(\.id) == [1, 2, 4] && all.map(\.age) == [10, 20, 40])
      #expect(all[2].objectID.isTemporary && !all[2].isInserted && !child.hasChanges)
      #expect(try child.fetch(Fetch<User>("age >= 10").sorted(by: "-age")).map(\.id) == [4, 2, 1])
      #expect(
        try child.fetch(Fetch<User>("age >= 10").sorted(by: "age").offset(1).limit(1)).map(\.id)
          == [2])
      #expect(try child.fetch(Fetch<User>("notes.@count > 0")).map(\.id) == [2, 4])
      #expect(try child.fetch(Fetch<User>().batchSize(1)).map(\.name) == ["Ann", "Bob", "Dan"])
      #expect(try child.count(Fetch<User>()) == 3)
      #expect(try child.managerFor(User.self).sum("age", as: Int64.self) == 70)
      #expect(try child.managerFor(User.self).last?.id == 4)
      #expect(try child.identifiers(Fetch<User>()) == all.map(\.objectID))
      #expect(try child.distinctValues(of: \.$age, Fetch<User>()) == [10, 20, 40])
      let grouped = try child.values(
        Fetch<Note>().sorted(by: "count"), [.key("user.name"), .count], groupedBy: ["user.name"])
      #expect(grouped.map { $0["user.name"] } == ["Dan", "Bob"])
    }
  }

  @Test(arguments: Kinship.allCases)
  func relationshipsAreThoseOfTheParent(kinship: Kinship) throws {
    let scene = try ChildScene(kinship)
    try scene.inChild { child in
      let dan = try child.user(4)
      let note = try #require(dan.notes.first)
      #expect(dan.notes.map(\.id) == [40] && note.user === dan)
      #expect(try child.user(2).notes.map(\.id).sorted() == [20, 21])
      let users = try child.fetch(Fetch<User>().prefetching("notes.user"))
      #expect(users.flatMap { $0.notes }.allSatisfy { $0.user != nil })
    }
    // Moved in the parent, while the child has both lists.
    try scene.inParent { parent in
      let bob = try parent.user(2)
      for note in try parent.user(4).notes { note.user = bob }
    }
    try scene.inChild { child throws in
      #expect(try child.user(2).notes.map(\.id).sorted() == [20, 21, 40])
      #expect(try child.user(4).notes.isEmpty)
    }
  }

  @Test func walkingAListInAChildTakesThreeStatements() throws {
    let stack = try DataStack.social()
    let parent = stack.newBackgroundContext()
    try parent.performAndWait {
      for number in 0..<300 as Range<Int64> {
        let user = parent.insertUser(number)
        parent.insertNote(number, of: user)
      }
      try parent.save()
      parent.reset()
    }
    let child = parent.newChildContext(.privateQueue)
    try child.performAndWait {
      let before = try stack.store.recorder.executed
      var found = 0
      for user in try child.fetch(Fetch<User>()) {
        for note in user.notes where note.id == user.id { found += 1 }
      }
      #expect(found == 300)
      #expect(try stack.store.recorder.executed - before <= 3)
    }
    // The parent did not have to make objects of the rows that went through it.
    #expect(parent.performAndWait { parent.registeredObjects.isEmpty })
  }

  // MARK: - Saving

  @Test(arguments: Kinship.allCases)
  func aSaveMakesUnsavedChangesOfTheParent(kinship: Kinship) throws {
    let scene = try ChildScene(kinship)
    let before = try scene.stored()
    try scene.inChild { child in
      let users = try child.fetch(Fetch<User>())
      users[0].name = "Anna"
      child.delete(users[1])
      users[2].name = "Daniel"
      let eve = child.insertUser(5, "Eve")
      users[2].notes.first?.user = eve
      try child.save()
      #expect(!child.hasChanges && !eve.isInserted && eve.objectID.isTemporary)
      #expect(users[1].isDeleted && eve.notes.map(\.id) == [40])
      #expect(child.object(with: eve.objectID) === eve)
    }
    try scene.inParent { parent in
      #expect(parent.hasChanges)
      #expect(try parent.names() == [1: "Anna", 4: "Daniel", 5: "Eve"])
      let eve = try parent.user(5)
      #expect(eve.isInserted && eve.notes.map(\.id) == [40])
      #expect(try parent.user(4).notes.isEmpty)
      #expect(parent.deletedObjects.compactMap { ($0 as? User)?.id }.sorted() == [2, 3])
      #expect(try parent.count(Fetch<Note>()) == 1)
    }
    #expect(try scene.stored() == before)
    try scene.saveParents()
    #expect(try scene.stored() == [1: "Anna", 4: "Daniel", 5: "Eve"])
  }

  @Test(arguments: Kinship.allCases)
  func identitiesOutliveTheSavesOfParents(kinship: Kinship) throws {
    let scene = try ChildScene(kinship)
    let (old, held) = try scene.inChild { child in
      let dan = try child.user(4)
      let eve = child.insertUser(5, "Eve")
      let note = child.insertNote(50, of: eve)
      try child.save()
      // Unsaved, and about objects that get other identifiers meanwhile.
      eve.email = "eve"
      let mine = child.insertNote(51, of: dan)
      return ([dan.objectID, eve.objectID, note.objectID], Held(objects: [dan, eve, note, mine]))
    }
    try scene.saveParents()
    try scene.inChild { child in
      let objects = held.objects
      let new = objects.map(\.objectID)
      #expect(!new[0].isTemporary && !new[1].isTemporary && !new[2].isTemporary)
      for index in 0..<3 {
        #expect(child.object(with: old[index]) === objects[index])
        #expect(child.object(with: new[index]) === objects[index])
        #expect(try child.existingObject(with: old[index]) === objects[index])
      }
      #expect(try child.user(5) === objects[1] && (objects[1] as? User)?.email == "eve")
      #expect((objects[2] as? Note)?.user === objects[1])
      #expect((objects[3] as? Note)?.user === objects[0])
      #expect(child.updatedObjects.contains(objects[1]))
      try child.save()
    }
    try scene.saveParents()
    let reader = scene.stack.newBackgroundContext()
    try reader.performAndWait { () throws in
      #expect(try reader.user(5).email == "eve" && reader.user(5).notes.map(\.id) == [50])
      #expect(try reader.user(4).notes.map(\.id).sorted() == [40, 51])
    }
  }

  @Test func newObjectsStayInTheOrderOfInsertion() throws {
    let scene = try ChildScene(.sameQueue)
    try scene.inParent { parent in
      let child = scene.child
      for number in 5...8 as ClosedRange<Int64> {
        let user = (number.isMultiple(of: 2) ? parent : child).insert(User.self)
        user.id = number
      }
      try child.save()
      #expect(try parent.fetch(Fetch<User>("id > 3")).map(\.id) == [4, 5, 6, 7, 8])
      try parent.save()
      #expect(try parent.fetch(Fetch<User>("id > 3")).map(\.id) == [4, 5, 6, 7, 8])
      #expect(try child.fetch(Fetch<User>("id > 3")).map(\.id) == [4, 5, 6, 7, 8])
    }
  }

  @Test(arguments: Kinship.allCases) func brokenRulesAreErrorsInTheChild(kinship: Kinship) throws {
    let scene = try ChildScene(kinship)
    let before = try scene.inParent { try $0.names() }
    try scene.inChild { child in
      let tag = child.insert(Tag.self)
      tag.name = "x"
      try child.user(1).name = "Anna"
      #expect { try child.save() } throws: { ($0 as? GraphError)?.code == .validation }
      #expect(child.hasChanges)
    }
    #expect(try scene.inParent { try $0.names() } == before)
  }

  @Test func deniedDeletionsAreErrorsInTheChild() throws {
    let scene = try ChildScene(.ownQueues)
    try scene.inChild { child in
      let company = child.insertCompany(1)
      try child.user(1).company = company
      try child.save()
      child.delete(company)
      #expect { try child.save() } throws: { ($0 as? GraphError)?.code == .deletionDenied }
      try child.user(1).company = nil
      try child.save()
      #expect(try child.count(Fetch<Company>()) == 0)
    }
  }

  @Test func hooksRunWhereTheProgramWorks() throws {
    let stack = try DataStack(model: ManagedObjectModel(Traced.self), store: .inMemory)
    let parent = stack.newBackgroundContext()
    let child = parent.newChildContext()
    try child.performAndWait {
      let object = child.insert(Traced.self)
      try child.save()
      #expect(object.calls == ["insert", "willSave", "didSave"])
      let other = try #require(try parent.fetch(Fetch<Traced>()).first)
      #expect(other !== object && other.calls.isEmpty && other.number == 1)
      try parent.save()
      #expect(other.calls == ["willSave", "didSave"])
      #expect(object.calls.count == 3)
      child.delete(object)
      try child.save()
      #expect(object.calls.suffix(3) == ["delete", "willSave", "didSave"])
      #expect(other.isDeleted && other.calls.count == 2)
    }
  }

  @Test func aChildOfADisposableContextKeepsNothing() throws {
    try onMain {
      let stack = try DataStack.social()
      let disposable = stack.newDisposableMainContext()
      let child = disposable.newChildContext()
      let user = child.insertUser(1)
      try child.save()
      #expect(try disposable.user(1).isInserted)
      try disposable.save()
      #expect(try child.count(Fetch<User>()) == 0 && user.isDeleted)
    }
  }

  @Test func subentitiesAreFoundThroughTheParent() throws {
    let stack = try DataStack(
      model: ManagedObjectModel(Vehicle.self, Car.self, Person.self), store: .inMemory)
    let parent = stack.newBackgroundContext()
    let child = parent.newChildContext(.privateQueue)
    let id = parent.performAndWait {
      let car = parent.insert(Car.self)
      let person = parent.insert(Person.self)
      car.owner = person
      return (car.objectID, person.objectID)
    }
    try child.performAndWait {
      let person = try child.existingObject(with: id.1, as: Person.self)
      #expect(person.vehicles.first is Car && person.vehicles.first?.owner === person)
      let second = child.insert(Car.self)
      second.owner = person
      try child.save()
      #expect(try child.fetch(Fetch<Vehicle>()).count == 2)
    }
    #expect(try parent.performAndWait { try parent.fetch(Fetch<Car>("owner != nil")).count } == 2)
  }

  @Test func aChildKeepsItsParent() throws {
    let stack = try DataStack.social()
    var parent: ManagedObjectContext? = stack.newBackgroundContext()
    weak let weakParent = parent
    var child = parent?.newChildContext(.privateQueue)
    weak let weakChild = child
    parent = nil
    #expect(weakParent != nil && child?.parent === weakParent)
    child?.performAndWait { _ = child?.insert(User.self) }
    child = nil
    #expect(weakChild == nil && weakParent == nil)
  }
}

/// Takes objects out of their context only to hold them.
struct Held: @unchecked Sendable {
  // Unchecked: they are used on the context's queue only.
  let objects: [ManagedObject]
}

/// Writes down which hooks ran.
final class Traced: ManagedObject {
  @Attribute var number: Int64 = 0
  var calls: [String] = []

  override func awakeFromInsert() {
    calls.append("insert")
    number += 1
  }

  override func prepareForDeletion() { calls.append("delete") }
  override func willSave() { calls.append("willSave") }
  override func didSave() { calls.append("didSave") }
}
