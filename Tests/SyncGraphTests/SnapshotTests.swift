import SyncCore
import SyncGraph
import TestSupport
import Testing

@Suite struct SnapshotTests {
  @Test func snapshotsLeaveTheirContextAndStayAsTheyWere() async throws {
    let stack = try DataStack.social()
    let work = stack.newBackgroundContext()
    let (snapshot, again, company) = try await work.perform {
      let company = work.insertCompany(3)
      let user = work.insertUser(1, "Ann")
      user.mood = "fine"
      user.company = company
      work.insertNote(2, of: user)
      try work.save()
      let snapshot = user.snapshot(including: "notes")
      let same = user.snapshot(including: "notes")
      #expect(snapshot == same)
      user.name = "Bea"
      return (snapshot, user.snapshot(), company.objectID)
    }
    #expect(snapshot.$name == "Ann" && snapshot.$id == 1 && snapshot.$email == nil)
    #expect(snapshot.$mood == "fine" && snapshot["age"] == 0 && snapshot["company"] == nil)
    #expect(snapshot.destination(ofKey: "company") == company)
    #expect(snapshot.members(ofKey: "notes")?.count == 1)
    #expect(again.$name == "Bea" && again.members(ofKey: "notes") == nil)
    #expect(snapshot != again && again.objectID == snapshot.objectID)
    #expect(snapshot.attributes["name"] == "Ann" && snapshot.attributes["email"] == nil)
  }

  @Test func plainObjectsAreFrozenByKey() throws {
    let stack = try DataStack.social()
    let context = stack.newBackgroundContext()
    let snapshot = try context.performAndWait {
      let object: ManagedObject = try context.insert(entityNamed: "Note")
      object["text"] = "milk"
      return object.snapshot()
    }
    #expect(snapshot["text"] == "milk" && snapshot.objectID.isTemporary)
    #expect(snapshot["nobody"] == nil)
  }

  @Test func whereNothingIsStoredTheDefaultOfTheClassIsReadAsThePropertyReadsIt() throws {
    let model = try ManagedObjectModel(["Meter: unit, count integer64"])
    let stack = try DataStack(model: model, store: .inMemory, classes: [Meter.self])
    let context = stack.newBackgroundContext()
    context.performAndWait {
      let meter = context.insert(Meter.self)
      meter.setValue(nil, forKey: "unit")
      #expect(meter.unit == "m" && meter.count == nil)
      #expect(meter.snapshot().$unit == meter.unit && meter.snapshot().$count == nil)
      #expect(meter.snapshot()["unit"] == .null && meter.snapshot().attributes.isEmpty)
      meter.unit = "km"
      #expect(meter.snapshot().$unit == "km")
    }
  }
}

private final class Meter: ManagedObject {
  @Attribute var unit: String = "m"
  @Attribute var count: Int64?
}
