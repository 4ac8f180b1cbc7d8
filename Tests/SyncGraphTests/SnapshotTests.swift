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

/// The output of `print(object)`.
@Suite struct ObjectDescriptionTests {
  @Test func anObjectIsPrintedWithItsKeyAndValues() throws {
    let model = try ManagedObjectModel(["Order: note, id, total double"])
    let stack = try DataStack(model: model, store: .inMemory)
    try stack.inBackground { context in
      let order = try context.insert(entityNamed: "Order")
      #expect(order.description.hasSuffix(" inserted>"))
      order["id"] = 7
      order["total"] = 12.5
      #expect(order.description.hasSuffix(" inserted id: 7, total: 12.5>"), "\(order)")
      try context.save()
      #expect(order.description.hasSuffix(" id: 7, total: 12.5>"), "\(order)")
      // Printing reads nothing.
      context.refresh(order, mergeChanges: false)
      #expect(order.isFault && order.description.hasSuffix(" fault>"), "\(order)")
      #expect(order.isFault)
    }
  }
}
