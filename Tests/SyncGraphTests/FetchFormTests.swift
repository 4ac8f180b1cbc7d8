import SyncCore
import SyncGraph
import SyncStore
import Testing

@Suite struct FetchFormTests {
  let stack: DataStack
  let context: ManagedObjectContext

  init() throws {
    stack = try .social()
    let other = stack.newBackgroundContext()
    try other.performAndWait {
      let companies = ["Acme", "Bolt"].map { name in
        let company = other.insert(Company.self)
        company.id = name == "Acme" ? 1 : 2
        company.name = name
        return company
      }
      let tag = other.insert(Tag.self)
      tag.id = 1
      tag.name = "red"
      for number in 1...6 as ClosedRange<Int64> {
        let user = other.insert(User.self)
        user.id = number
        user.age = number * 10
        user.company = companies[number > 4 ? 1 : 0]
        user.tags = [tag]
        for index in 0..<2 as Range<Int64> {
          let note = other.insert(Note.self)
          note.id = number * 10 + index
          note.user = user
          let chore = other.insert(Chore.self)
          chore.title = "chore \(index)"
          user.chores.append(chore)
        }
      }
      try other.save()
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
