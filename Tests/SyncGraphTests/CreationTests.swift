import SyncGraph
import TestSupport
import Testing

/// New objects, and the effects of awakening on old ones.
@Suite struct CreationTests {
  final class Poet: ManagedObject {
    @PrimaryKey var id: Int64 = 7
    @Attribute var name: String?
    @Attribute(isTransient: true) var initial: String?
    @Attribute(isTransient: true) var calls: Int64?

    override func awakeFromInsert() { calls = (calls ?? 0) + 1 }

    override func awakeFromFetch() { initial = name.map { String($0.prefix(1)) } }
  }

  private func stack() throws -> DataStack {
    let model = try ManagedObjectModel(
      Poet.self, User.self, Note.self, Company.self, Tag.self, Chore.self)
    return try DataStack(model: model, store: .inMemory)
  }

  @Test func anInitialiserWithAContextInserts() throws {
    let context = try stack().newBackgroundContext()
    try context.performAndWait {
      let poet = Poet(context: context)
      #expect(poet.isInserted && poet.id == 7 && poet.calls == 1)
      #expect(context.insertedObjects == [poet] && poet.managedObjectContext === context)
      poet.name = "Sappho"
      let user = User(context: context)
      user.id = 1
      user.notes.insert(Note(context: context))
      user.notes.first?.id = 2
      try context.save()
      #expect(!poet.objectID.isTemporary)
      #expect(try context.fetch(Fetch<User>()).first?.notes.map(\.id) == [2])
    }
  }

  @Test func anAbstractClassCannotBeMade() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let model = try ManagedObjectModel(Vehicle.self, Car.self, Person.self)
      let context = try DataStack(model: model, store: .inMemory).newBackgroundContext()
      context.performAndWait { _ = Vehicle(context: context) }
    }
    expectStop(result, says: "Vehicle is abstract")
  }

  @Test func transientValuesSetWhileAwakingAreNoChanges() throws {
    let stack = try stack()
    try stack.edit { Poet(context: $0).name = "Sappho" }
    try stack.inBackground { reader in
      let poet = try #require(try reader.fetch(Fetch<Poet>()).first)
      #expect(poet.initial == "S")
      #expect(!poet.hasChanges && !reader.hasChanges && poet.changedValues().isEmpty)
      poet.initial = "X"
      #expect(poet.hasChanges)
      reader.rollback()
      #expect(poet.initial == "S" && !poet.hasChanges)
      poet.name = "Homer"
      reader.refreshAllObjects()
      try reader.save()
      #expect(!reader.hasChanges)
    }
  }
}
