import SyncGraph
import SyncStore
import TestSupport
import Testing

@Suite struct FetchFormTests {
  let stack: DataStack
  let context: ManagedObjectContext

  init() throws {
    stack = try .social()
    try stack.edit { other in
      let companies = ["Acme", "Bolt"].map { name in
        other.insertCompany(name == "Acme" ? 1 : 2, name)
      }
      let tag = other.insert(Tag.self)
      tag.id = 1
      tag.name = "red"
      for number in 1...6 as ClosedRange<Int64> {
        let user = other.insertUser(number, age: number * 10)
        user.company = companies[number > 4 ? 1 : 0]
        user.tags = [tag]
        for index in 0..<2 as Range<Int64> {
          other.insertNote(number * 10 + index, of: user)
          let chore = other.insert(Chore.self)
          chore.title = "chore \(index)"
          user.chores.append(chore)
        }
      }
    }
    context = stack.newBackgroundContext()
  }

  private func statements(_ body: () throws -> Void) throws -> Int {
    try stack.store.recorder.record(body).filter { $0.hasPrefix("SELECT") }.count
  }

  @Test(arguments: [false, true])
  func valuesSeeUnsavedChanges(isEdited: Bool) throws {
    try context.performAndWait { () throws -> Void in
      if isEdited {
        try context.fetch(Fetch<User>("id == 6")).first?.age = 100
        try context.fetch(Fetch<User>("id == 5")).first?.company = nil
        context.delete(try #require(try context.fetch(Fetch<User>("id == 1")).first))
        context.insert(User.self).id = 7
      }
      let ids = try context.identifiers(Fetch<User>())
      #expect(ids.count == 6)
      #expect(ids.filter(\.isTemporary).count == (isEdited ? 1 : 0))

      let names = try context.distinctValues(of: "company.name", Fetch<User>())
      #expect(names == (isEdited ? ["Acme", .null, "Bolt"] : ["Acme", "Bolt"]))
      let ages = try context.distinctValues(of: \.$age, Fetch<User>("age > 40").sorted(by: "-age"))
      #expect(ages == (isEdited ? [100, 50] : [60, 50]))

      let rows = try context.values(
        Fetch<User>("id > 4").sorted(by: "id"), ["id", .key("company.name", as: "company")])
      let wanted: [[String: Value]] =
        isEdited
        ? [
          ["id": 5, "company": .null], ["id": 6, "company": "Bolt"], ["id": 7, "company": .null],
        ] : [["id": 5, "company": "Bolt"], ["id": 6, "company": "Bolt"]]
      #expect(rows == wanted)

      let groups = try context.values(
        Fetch<User>().sorted(by: "-count"), ["company.name", .count, .sum("age", as: "sum")],
        groupedBy: ["company.name"], having: Filter("count > 1"))
      #expect(
        groups.map { $0["sum"] } == (isEdited ? [.int(90), .int(50)] : [.int(100), .int(110)]))
      let all = try context.values(Fetch<User>(), [.average("age"), .min("id"), .max("id")])
      #expect(all.first?["max(id)"] == (isEdited ? 7 : 6))
      #expect(throws: FilterError.self) {
        try context.values(Fetch<User>(), ["name", .count])
      }
    }
  }

  @Test(arguments: Unsaved.allCases)
  func transientAttributesAreRefusedWhateverIsUnsaved(unsaved: Unsaved) throws {
    try context.performAndWait { () throws -> Void in
      if unsaved == .insertions || unsaved == .everything { context.insertUser(7).mood = "good" }
      if unsaved == .edits || unsaved == .everything {
        try context.fetch(Fetch<Note>("id == 10")).first?.text = "new"
      }
      if unsaved == .deletions || unsaved == .everything {
        context.delete(try #require(try context.fetch(Fetch<Note>("id == 11")).first))
      }
      let users = Fetch<User>()
      let questions: [() throws -> Any?] = [
        { try context.fetch(Fetch<User>("mood == 'good'")) },
        { try context.count(Fetch<User>("mood == 'good' AND notes.@count > 0")) },
        { try context.fetch(Fetch<Note>("user.mood == 'good'")) },
        { try context.fetch(users.sorted(by: "mood")) },
        { try context.values(users, ["mood"]) },
        { try context.distinctValues(of: "mood", users) },
        { try context.managerFor(User.self).min("mood") },
        { try LiveResults(users, in: context, sectionedBy: "mood") },
      ]
      for question in questions {
        #expect {
          try question()
        } throws: { $0.says("FilterError", "unsupported", "mood", "transient") }
      }
      #expect {
        try context.values(users, [])
      } throws: { $0.says("FilterError", "unsupported", "column") }
    }
  }

  /// Ways to have something unsaved.
  enum Unsaved: CaseIterable, Sendable {
    case nothing, insertions, edits, deletions, everything
  }

  @Test(arguments: Unsaved.allCases)
  func countsAreThoseOfTheFetchWhateverIsUnsaved(unsaved: Unsaved) throws {
    try context.performAndWait {
      let users = try context.fetch(Fetch<User>())
      if unsaved == .insertions || unsaved == .everything {
        for number in 7...9 as ClosedRange<Int64> {
          let user = User(context: context)
          (user.id, user.age) = (number, number * 5)
        }
      }
      if unsaved == .edits || unsaved == .everything {
        users[0].age = 99
        users[5].age = 1
      }
      if unsaved == .deletions || unsaved == .everything { context.delete(users[2]) }
      for filter in ["TRUEPREDICATE", "age > 35", "age < 20 OR company.id == 2"] {
        for limit in [nil, 0, 2, 100] as [Int?] {
          for offset in [0, 1, 50] {
            let request = Fetch<User>(filter).limit(limit).offset(offset)
            #expect(try context.count(request) == context.fetch(request).count)
          }
        }
      }
    }
  }

  @Test func aCountBesideUnsavedObjectsReadsNoRows() throws {
    try context.performAndWait {
      let users = try context.fetch(Fetch<User>())
      users[0].age = 99
      try stack.inBackground { other in
        let user = try #require(try other.fetch(Fetch<User>("id == 1")).first)
        user.age = 98
        #expect(try other.count(Fetch<User>("age > 35")) == 4)
        #expect(other.registeredObjects == [user])
      }
    }
  }

  @Test(arguments: [false, true])
  func valuesComeWithTheIdentifiersOfTheirObjects(isEdited: Bool) throws {
    try context.performAndWait {
      let users = try context.fetch(Fetch<User>("id > 2").sorted(by: "-id"))
      if isEdited { users[0].age = 7 }
      let request = Fetch<User>("id > 2").sorted(by: "-id").limit(3).offset(1)
      let found = try context.identifiedValues(request, ["id", "company.name"])
      #expect(found.map(\.objectID) == users[1...3].map(\.objectID))
      #expect(found.map { $0.values["id"] } == [.int(5), .int(4), .int(3)])
      #expect(
        found.map { $0.values["company.name"] } == ["Bolt", "Acme", "Acme"].map { .string($0) })
      #expect {
        try context.identifiedValues(request, [.average("age")])
      } throws: { ($0 as? FilterError)?.code == .unsupported }
    }
  }

  @Test func subentitiesCanBeLeftOutInAChain() throws {
    let model = try ManagedObjectModel(Vehicle.self, Car.self, Person.self)
    let context = try DataStack(model: model, store: .inMemory).newBackgroundContext()
    try context.performAndWait {
      _ = Car(context: context)
      try context.save()
      #expect(try context.fetch(Fetch<Vehicle>().includingSubentities(false)).isEmpty)
      #expect(try context.managerFor(Vehicle.self).includingSubentities(false).count == 0)
      #expect(try context.managerFor(Vehicle.self).count == 1)
    }
  }

  @Test func aSaveRefusesEqualValuesAsItRefusesEverythingElse() {
    context.performAndWait {
      Tag(context: context).id = 1
      let error = #expect(throws: GraphError.self) { try context.save() }
      #expect(error?.code == .notUnique && error?.entity == "Tag" && context.hasChanges)
      context.rollback()
      #expect {
        try context.batchInsert(Tag.self, [["id": 1]])
      } throws: { ($0 as? GraphError)?.code == .notUnique }
    }
  }

  @Test func aBackgroundBlockMayThrow() async throws {
    struct Failure: Error {}
    let stack = stack
    let count: Result<Int, any Error> = await withCheckedContinuation { continuation in
      stack.performInNewBackgroundContext {
        try $0.count(Fetch<User>())
      } completion: {
        continuation.resume(returning: $0)
      }
    }
    #expect(try count.get() == 6)
    let failure: Result<Int, any Error> = await withCheckedContinuation { continuation in
      stack.performInNewBackgroundContext { _ in
        throw Failure()
      } completion: {
        continuation.resume(returning: $0)
      }
    }
    #expect(throws: Failure.self) { try failure.get() }
  }

  @Test func batchesReadRowsWhenTheyAreLookedAt() throws {
    try context.performAndWait { () throws -> Void in
      var users: [User] = []
      let first = try statements { users = try context.fetch(Fetch<User>().batchSize(2)) }
      #expect(first == 1 && users.count == 6 && users.allSatisfy(\.isFault))
      let second = try statements { #expect(users[0].id == 1 && users[1].id == 2) }
      #expect(second == 1 && users[2].isFault)
      let rest = try statements { #expect(users.map(\.id) == [1, 2, 3, 4, 5, 6]) }
      #expect(rest == 1)
    }
  }

  @Test func prefetchedRelationshipsAskNothingFurther() throws {
    try context.performAndWait { () throws -> Void in
      var users: [User] = []
      let reading = try statements {
        users = try context.fetch(Fetch<User>().prefetching("notes", "company"))
      }
      #expect(reading == 3)
      let walking = try statements {
        for user in users {
          #expect(Set(user.notes.map(\.id)) == [user.id * 10, user.id * 10 + 1])
          #expect(user.company?.name == (user.id > 4 ? "Bolt" : "Acme"))
        }
      }
      #expect(walking == 0)
      let more = try statements {
        _ = try context.fetch(Fetch<Company>().prefetching("employees.tags", "employees.chores"))
      }
      let none = try statements {
        for user in users {
          #expect(user.tags.map(\.name) == ["red"])
          #expect(user.chores.map(\.title) == ["chore 0", "chore 1"])
        }
      }
      #expect(more == 6 && none == 0)
      #expect(throws: FilterError.self) {
        try context.fetch(Fetch<User>().prefetching("nobody"))
      }
    }
  }

  @Test func prefetchingKeepsUnsavedMembers() throws {
    try context.performAndWait { () throws -> Void in
      let note = try #require(try context.fetch(Fetch<Note>("id == 10")).first)
      note.user = try context.fetch(Fetch<User>("id == 2")).first
      let users = try context.fetch(Fetch<User>().sorted(by: "id").prefetching("notes"))
      #expect(users.map(\.notes.count) == [1, 3, 2, 2, 2, 2])
    }
  }
}
