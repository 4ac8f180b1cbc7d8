import SyncGraph
import TestSupport
import Testing

@Suite struct BatchTests {
  let stack: DataStack
  let context: ManagedObjectContext
  let other: ManagedObjectContext

  init() throws {
    stack = try .social()
    context = stack.newBackgroundContext()
    other = stack.newBackgroundContext()
    let context = context
    try context.edit {
      let company = context.insertCompany(1)
      for number in 1...6 as ClosedRange<Int64> {
        let user = context.insertUser(number, age: number * 10)
        user.name = "user \(number)"
        if number == 1 { user.company = company }
        context.insertNote(number, of: user)
      }
    }
  }

  @Test func updatesChangeRowsAndReachEveryContext() throws {
    let seen = try other.performAndWait {
      let users = try other.fetch(Fetch<User>())
      #expect(users.map(\.age).reduce(0, +) == 210)
      return users.map(\.objectID)
    }
    try context.edit {
      let users = try context.fetch(Fetch<User>())
      users[5].name = "unsaved"
      let count = try context.batchUpdate(Fetch<User>("age >= 40"), ["age": 50, "email": nil])
      // The one that is 50 already is left alone.
      #expect(count == 2)
      #expect(users.map(\.age) == [10, 20, 30, 50, 50, 50])
      #expect(users[5].name == "unsaved" && context.hasChanges)
    }
    other.performAndWait {
      let users = seen.compactMap { other.object(with: $0) as? User }
      #expect(users.map(\.age) == [10, 20, 30, 50, 50, 50] && users[5].name == "unsaved")
    }
  }

  @Test func deletionsFollowTheRules() throws {
    try context.performAndWait { () throws -> Void in
      let users = try context.fetch(Fetch<User>())
      let count = try context.batchDelete(Fetch<User>("age > 20"))
      let notes = try context.count(Fetch<Note>())
      #expect(count == 8 && notes == 2)
      #expect(users.map(\.isDeleted) == [false, false, true, true, true, true])
      #expect {
        try context.batchDelete(Fetch<Company>())
      } throws: { $0.says("StoreError deletionDenied", "Company") }
      let companies = try context.count(Fetch<Company>())
      #expect(companies == 1)
      let nothing = try context.batchDelete(Fetch<User>("age > 20"))
      #expect(nothing == 0)
    }
  }

  /// A delete rule empties relationships of objects that stay; a required one refuses that.
  @Test(arguments: [false, true])
  func aDeletionEmptiesNoRequiredRelationship(isInverse: Bool) throws {
    let model = try ManagedObjectModel(
      isInverse
        ? ["Owner: id, parts ->> Part.owner nullify", "Part: id, owner -> Owner.parts required"]
        : ["Owner: id", "Part: id, owner -> Owner required"])
    let stack = try DataStack(model: model, store: .inMemory)
    try stack.inBackground { context in
      let owner = try context.make("Owner", ["id": 1])
      let part = try context.make("Part", ["id": 5, "owner": owner])
      try context.save()
      let owners = Fetch<ManagedObject>(entityNamed: "Owner")
      let error = #expect(throws: GraphError.self) { try context.batchDelete(owners) }
      #expect(error?.failures.map(\.rule) == [.required] && error?.objects == [part.objectID])
      #expect(error?.says("Part.owner") == true)
      #expect(part["owner"] as? ManagedObject === owner)
      try context.batchDelete(Fetch<ManagedObject>(entityNamed: "Part"))
      #expect(try context.batchDelete(owners) == 1)
    }
  }

  @Test func whatIsUnsavedLeadsToNothingThatABatchDeleted() throws {
    try context.edit {
      let user = context.insertUser(7)
      user.notes = Set(try context.fetch(Fetch<Note>("id < 3")))
      user.company = try context.fetch(Fetch<Company>()).first
      try context.batchDelete(Fetch<Note>("id == 1"))
      #expect(user.notes.map(\.id) == [2])
      try context.batchDelete(Fetch<User>("id == 1"))
      try context.batchDelete(Fetch<Company>())
      #expect(user.company == nil && user.notes.map(\.user) == [user])
    }
  }

  @Test func insertionsHaveDefaultsAndIdentifiers() throws {
    try context.performAndWait { () throws -> Void in
      let ids = try context.batchInsert(
        User.self, [["id": 7, "name": "Ann"], ["id": 8, "age": 3], [:].merging(["id": 9]) { $1 }])
      let users = ids.compactMap { context.object(with: $0) as? User }
      #expect(users.map(\.id) == [7, 8, 9] && users.map(\.age) == [0, 3, 0])
      #expect(users[0].name == "Ann")
      let count = try context.count(Fetch<User>())
      #expect(count == 9)
      let none = try context.batchInsert(User.self, [])
      #expect(none.isEmpty)
    }
  }

  @Test func wrongValuesAreErrorsAndChangeNothing() {
    context.performAndWait {
      #expect(throws: GraphError.self) { try context.batchUpdate(Fetch<User>(), ["nobody": 1]) }
      #expect(throws: GraphError.self) { try context.batchUpdate(Fetch<User>(), ["age": "old"]) }
      #expect(throws: GraphError.self) { try context.batchUpdate(Fetch<User>(), ["age": nil]) }
      #expect(throws: GraphError.self) { try context.batchUpdate(Fetch<User>(), ["mood": "up"]) }
      #expect(throws: GraphError.self) { try context.batchInsert(User.self, [["name": "no id"]]) }
      #expect {
        try context.batchInsert(Tag.self, [["id": 1], ["id": 1]])
      } throws: { $0.says("GraphError", "notUnique", "Tag") }
      #expect(throws: ModelError.self) { try context.batchInsert(entityNamed: "X", [["id": 1]]) }
    }
  }

  @Test func liveResultsTellOfBatches() throws {
    try context.performAndWait { () throws -> Void in
      let results = try LiveResults(Fetch<User>("age > 30"), in: context)
      try context.batchUpdate(Fetch<User>("age == 10"), ["age": 90])
      #expect(results.objects.map(\.id) == [1, 4, 5, 6])
    }
  }
}
