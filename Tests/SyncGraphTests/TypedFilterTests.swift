import SyncGraph
import TestSupport
import Testing

@Suite struct TypedFilterTests {
  let stack: DataStack
  let context: ManagedObjectContext

  init() throws {
    stack = try .social()
    context = stack.newBackgroundContext()
    let context = context
    try context.edit {
      let company = context.insertCompany(1, "Acme")
      for number in 1...6 as ClosedRange<Int64> {
        let user = context.insert(User.self)
        user.id = number
        user.name = number == 6 ? nil : "User \(number)"
        user.age = number * 10
        if number.isMultiple(of: 2) { user.company = company }
        for index in 0..<number {
          let note = context.insertNote(number * 10 + index)
          note.text = "note \(index)"
          note.user = user
        }
      }
    }
  }

  private func expect(
    _ request: Fetch<User>, _ ids: [Int64], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try context.fetch(request).map(\.id)
    #expect(found == ids, sourceLocation: sourceLocation)
  }

  private func expectOne<Object: ManagedObject>(
    _ request: Fetch<Object>, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let count = try context.count(request)
    #expect(count == 1, sourceLocation: sourceLocation)
  }

  @Test func attributesAreComparedAndFiltersCombined() throws {
    try context.performAndWait { () throws -> Void in
      try expect(Fetch(where: { $0.$age >= 40 }), [4, 5, 6])
      try expect(Fetch(where: { $0.$age > 10 && $0.$age < 40 || $0.$id == 6 }), [2, 3, 6])
      try expect(Fetch(where: { $0.$name == nil }), [6])
      try expect(Fetch(where: { !($0.$name != nil) }), [6])
      try expect(Fetch(where: { $0.$name == "User 3" }), [3])
      try expect(Fetch(where: { $0.$age <= 20 }).filter(where: { $0.$id != 1 }), [2])
      let old = try context.managerFor(User.self).filter(where: { $0.$age > 50 }).count
      #expect(old == 1)
    }
  }

  @Test func closuresReachEverything() throws {
    try context.performAndWait { () throws -> Void in
      try expect(Fetch(where: { $0.$age >= 40 && $0.$name != nil }), [4, 5])
      try expect(Fetch(where: { $0.$company.$name == "Acme" }), [2, 4, 6])
      try expect(Fetch(where: { $0.$company == nil }), [1, 3, 5])
      try expect(Fetch(where: { $0.$name.contains("USER 2", options: .caseInsensitive) }), [2])
      try expect(Fetch(where: { $0.$name.hasSuffix("3") || $0.$name.hasPrefix("X") }), [3])
      try expect(
        Fetch(where: { $0.$name.isLike("*4") || $0.$name.matches("User [12]") }),
        [
          1, 2, 4,
        ])
      try expect(Fetch(where: { $0.$name.equals("user 1", options: .caseInsensitive) }), [1])
      try expect(
        Fetch(where: { $0.$age.isIn([10, 30]) || $0.$age.between(50, 60) }),
        [
          1, 3, 5, 6,
        ])
      try expect(Fetch(where: { $0.$age == $0.$id }), [])
      try expect(Fetch(where: { $0.$age > $0.$id && $0.$id < 2 }), [1])
    }
  }

  @Test func membersAreAskedAbout() throws {
    try context.performAndWait { () throws -> Void in
      try expect(Fetch(where: { $0.$notes.count > 4 }), [5, 6])
      try expect(Fetch(where: { $0.$notes.any { $0.$text == "note 3" } }), [4, 5, 6])
      try expect(
        Fetch(where: { $0.$notes.any { $0.$text == "note 1" && $0.$id > 40 } }),
        [
          4, 5, 6,
        ])
      try expect(Fetch(where: { $0.$notes.none { $0.$text == "note 1" } }), [1])
      try expect(Fetch(where: { $0.$notes.all { $0.$id < 22 } }), [1, 2])
      try expect(Fetch(where: { $0.$notes.max(\.$id) >= 54 }), [5, 6])
      try expect(
        Fetch(where: { $0.$notes.sum(\.$id) == 10 || $0.$notes.average(\.$id) == 20.5 }), [1, 2])
      try expect(Fetch(where: { !$0.$tags.isEmpty }), [])
      let user = try #require(try context.fetch(Fetch<User>("id == 3")).first)
      let note = try #require(user.notes.first)
      try expect(Fetch(where: { $0.$notes.contains(note) }), [3])
      try expect(Fetch(where: { $0 == user || $0.isIn([user.objectID]) }), [3])
      let notes = try context.count(Fetch<Note>(where: { $0.$user == user }))
      #expect(notes == 3)
      try expectOne(Fetch<Company>(where: { $0.$employees.any { $0.$notes.count == 4 } }))
      try expectOne(
        Fetch<Company>(where: {
          $0.$employees.any { $0.$notes.any { $0.$text == "note 5" && $0.$id == 65 } }
        }))
    }
  }

  @Test func ordersAreChecked() throws {
    try context.performAndWait { () throws -> Void in
      try expect(Fetch().sorted(by: \.$age, ascending: false).limit(2), [6, 5])
      try expect(
        Fetch().sorted { $0.$company.$name }.sorted(by: \.$id, ascending: false),
        [
          5, 3, 1, 6, 4, 2,
        ])
      let oldest = try context.managerFor(User.self).orderBy(\.$age, ascending: false).first
      #expect(oldest?.id == 6)
    }
  }

  @Test func typedAndWrittenFiltersAreTheSameTree() {
    let keys = Fetch<User>(where: {
      $0.$age >= 18 && $0.$company.$name.contains("x", options: [.caseInsensitive])
    })
    let text = Fetch<User>("age >= 18 AND company.name CONTAINS[c] 'x'")
    #expect(keys.filter.map { "\($0)" } == text.filter.map { "\($0)" })
    let any = Fetch<User>(where: { $0.$notes.any { $0.$text == "x" } })
    #expect(
      any.filter.map { "\($0)" } == Fetch<User>("ANY notes.text == 'x'").filter.map { "\($0)" })
  }

  @Test func inheritedPropertiesHaveTheirNames() {
    let fetch = Fetch<Car>(where: { $0.$id == 3 && $0.$fuel == .power && $0.$owner.$name == "Ann" })
    #expect(
      fetch.filter.map { "\($0)" }
        == Fetch<Car>("id == 3 AND fuel == 'power' AND owner.name == 'Ann'").filter.map { "\($0)" })
  }
}
