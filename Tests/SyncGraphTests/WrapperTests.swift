import Foundation
import SyncGraph
import TestSupport
import Testing

@Suite struct WrapperTests {
  @Test func wrappersDeclareTheModel() throws {
    let model = try ManagedObjectModel.social()
    let user = try model.requireEntity(named: "User")
    #expect(
      user.properties.map(\.name) == [
        "id", "name", "email", "age", "createdAt", "mood", "notes", "company", "tags", "chores",
      ])
    #expect(user.primaryKey?.name == "id")
    #expect(user.attribute(named: "id")?.isOptional == false)
    #expect(user.attribute(named: "name")?.isOptional == true)
    #expect(user.attribute(named: "age")?.defaultValue == 0)
    #expect(user.attribute(named: "age")?.type == .integer64)
    #expect(user.attribute(named: "email")?.userInfo["sync.remoteKey"] == "contact.email")
    #expect(user.attribute(named: "mood")?.isTransient == true)
    #expect(user.relationship(named: "notes")?.deleteRule == .cascade)
    #expect(user.relationship(named: "chores")?.isOrdered == true)
    #expect(user.relationship(named: "chores")?.destinationName == "Task")
    let note = try model.requireEntity(named: "Note")
    #expect(note.relationship(named: "user")?.inverseName == "notes")
    #expect(try model.requireEntity(named: "Tag").uniquenessConstraints == [["id"]])
  }

  @Test func listedSuperclassesBecomeSuperentities() throws {
    let model = try ManagedObjectModel(Car.self, Vehicle.self, Person.self)
    let car = try model.requireEntity(named: "Car")
    #expect(car.superentity?.name == "Vehicle")
    #expect(car.superentity?.isAbstract == true)
    #expect(car.properties.map(\.name) == ["id", "owner", "fuel"])
    let context = try DataStack(model: model, store: .inMemory).mainContext
    onMain {
      let car = context.insert(Car.self)
      #expect(car.fuel == .power)
      car.fuel = .petrol
      car.id = 7
      #expect(car["fuel"] as? String == "petrol")
      let person = context.insert(Person.self)
      car.owner = person
      #expect(person.vehicles == [car])
      #expect(person.name == "nobody")
    }
  }

  @Test func classesSayWhatTheyWereCalled() throws {
    let folder = try TemporaryFolder()
    let old = try ManagedObjectModel(["Old: title"])
    let before = try DataStack(model: old, store: .sqlite(folder.file()))
    try before.edit { try $0.insert(entityNamed: "Old")["title"] = "kept" }
    try before.close()
    let model = try ManagedObjectModel(Renamed.self, Heir.self)
    #expect(try model.requireEntity(named: "Heir").userInfo.isEmpty)
    #expect(try model.requireEntity(named: "Renamed").userInfo == ["note": "x"])
    let stack = try DataStack(model: model, store: .sqlite(folder.file()))
    try stack.edit { context in
      let found = try context.fetch(Fetch<Renamed>())
      let heirs = try context.count(Fetch<Heir>())
      #expect(found.map(\.name) == ["kept"] && heirs == 0)
    }
    try stack.close()
  }

  @Test func valuesGoInAndComeOut() throws {
    let stack = try DataStack.social()
    let context = stack.newBackgroundContext()
    let date = Date(timeIntervalSinceReferenceDate: 0.1)
    let id = try context.performAndWait {
      let user = context.insertUser(1, "Ann")
      user.createdAt = date
      user["email"] = "ann@example.org"
      #expect(user.age == 0)
      user.age += 1
      #expect(user.hasChanges && user.isInserted)
      try context.save()
      #expect(!user.hasChanges && !context.hasChanges)
      #expect(!user.objectID.isTemporary)
      return user.objectID
    }
    onMain {
      let user = stack.mainContext.object(with: id)
      #expect(user.isFault)
      #expect(user.value(forKey: "id") as? Int64 == 1)
      #expect((user as? User)?.name == "Ann")
      #expect((user as? User)?.createdAt == date)
      #expect(user["email"] as? String == "ann@example.org")
      #expect((user as? User)?.age == 1)
    }
  }

  @Test func numbersByKeyCastToEveryTypeThatHoldsThem() throws {
    let stack = try DataStack.social()
    try stack.inBackground { context in
      let user = context.insertUser(1, age: 1_000)
      #expect(user["age"] as? Int == 1_000 && user["age"] as? Int64 == 1_000)
      #expect(user["age"] as? Int32 == 1_000 && user["age"] as? UInt16 == 1_000)
      #expect(user["age"] as? Double == 1_000 && user["age"] as? NSNumber == 1_000)
      #expect(user["age"] as? Int8 == nil && user["age"] as? String == nil)
      #expect(user["age"].map { "\($0)" } == "1000")
      #expect(user.changedValues()["age"] as? Int == 1_000)
      try context.save()
      #expect(user.committedValues(forKeys: ["age"])["age"] as? Int == 1_000)
      user["age"] = user["age"]
      #expect(!context.hasChanges)
      let back = try JSONSerialization.data(withJSONObject: ["age": user["age"] ?? 0])
      #expect(String(decoding: back, as: UTF8.self) == #"{"age":1000}"#)
    }
  }

  @Test func equalValuesAreNoChange() throws {
    let stack = try DataStack.social()
    try stack.inBackground { context in
      let user = context.insertUser(1, "Ann")
      try context.save()
      user.name = "Ann"
      #expect(!context.hasChanges)
      user.name = "Bob"
      #expect(user.isUpdated && context.updatedObjects == [user])
      #expect(user.changedValues()["name"] as? String == "Bob")
      #expect(user.committedValues(forKeys: ["name"])["name"] as? String == "Ann")
      user.name = "Ann"
      #expect(!user.hasChanges && !context.hasChanges)
    }
  }

  @Test func documentsGetClassesByMention() throws {
    let model = try ManagedObjectModel([
      "Note: id integer32 required, text, user -> User.notes",
      "User: notes ->> Note.user",
    ])
    let stack = try DataStack(model: model, store: .inMemory)
    let context = stack.newBackgroundContext()
    context.performAndWait {
      let note = context.insert(Note.self)
      note.text = "x"
      #expect(note.value(forKey: "text") as? String == "x")
    }
    // The class User has properties that this entity does not have.
    #expect(throws: GraphError.self) {
      try DataStack(model: model, store: .inMemory, classes: [User.self])
    }
  }

  @Test func readingWhatWasNeverSetStops() async {
    await #expect(processExitsWith: .failure) {
      let context = try DataStack.social().newBackgroundContext()
      context.performAndWait { _ = context.insert(User.self).id }
    }
  }
}

/// Runs the body on the main queue.
func onMain<Result: Sendable>(_ body: () throws -> Result) rethrows -> Result {
  try DataStack.main.performAndWait(body)
}

extension DataStack {
  /// Any context of the main queue.
  fileprivate static let main: ManagedObjectContext = {
    guard let stack = try? DataStack.social() else { preconditionFailure("no stack") }
    return stack.mainContext
  }()
}

class Renamed: ManagedObject {
  override class var renamedFrom: String? { "Old" }
  override class var entityUserInfo: [String: String] { ["note": "x"] }

  @Attribute(renamedFrom: "title") var name: String?
}

final class Heir: Renamed {
  @Attribute var extra: String?
}
