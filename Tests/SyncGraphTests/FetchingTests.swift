import SyncGraph
import SyncStore
import TestSupport
import Testing

@Suite struct FetchingTests {
  let stack: DataStack
  let context: ManagedObjectContext

  init() throws {
    stack = try .social()
    context = stack.newBackgroundContext()
    let context = context
    try context.edit {
      let company = context.insertCompany(1, "Acme")
      for number in 1...10 as ClosedRange<Int64> {
        let user = context.insertUser(number)
        user.name = "user \(number)"
        user.age = number * 10
        if number % 2 == 0 { user.company = company }
        for index in 0..<3 as Range<Int64> {
          let note = context.insertNote(number * 10 + index)
          note.text = "note \(index)"
          note.user = user
        }
      }
    }
  }

  private func ids(_ request: Fetch<User>) throws -> [Int64] {
    try context.fetch(request).map(\.id)
  }

  @Test func unsavedChangesTakePart() throws {
    try context.performAndWait {
      let users = try context.fetch(Fetch<User>())
      #expect(users.map(\.id) == Array(1...10))
      users[0].age = 1_000
      context.delete(users[1])
      context.insertUser(11, age: 45)
      #expect(try ids(Fetch("age > 40")) == [1, 5, 6, 7, 8, 9, 10, 11])
      #expect(try ids(Fetch("age > 40").sorted(by: "-age")) == [1, 10, 9, 8, 7, 6, 5, 11])
      #expect(try ids(Fetch("age > 40").sorted(by: "age").limit(3).offset(1)) == [5, 6, 7])
      #expect(try context.count(Fetch<User>("age < 50")) == 3)
      #expect(try ids(Fetch()) == [1, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    }
  }

  @Test(arguments: [0, 4])
  func theLargestLimitIsNone(offset: Int) throws {
    try context.performAndWait {
      try context.fetch(Fetch<User>("id == 2")).first?.age = 1_000
      let request = Fetch<User>().limit(.max).offset(offset)
      #expect(try ids(request) == Array(1...10).dropFirst(offset).map { Int64($0) })
      #expect(try context.count(request) == 10 - offset)
      #expect(try ids(request.offset(.max)).isEmpty)
    }
  }

  /// A filter is made once, and its new object is saved meanwhile, by the context or its parent.
  @Test(arguments: [false, true])
  func aFilterKnowsItsNewObjectAfterTheSave(isChild: Bool) throws {
    let child = isChild ? context.newChildContext() : context
    try child.performAndWait {
      let user = child.insertUser(11)
      let note = child.insertNote(1_000, of: user)
      let texts = [
        "user == %@", "user IN %@", "SUBQUERY(user.notes, $n, $n.user == %@).@count > 0",
      ]
      var requests = texts.map { Fetch<Note>($0, $0.contains("IN") ? [user] as Any : user) }
      requests.append(Fetch<Note>(where: { $0.$user == user }))
      for isSaved in [false, true] {
        if isSaved {
          try child.save()
          if isChild { try context.save() }
        }
        for isEdited in [false, true] {
          if isEdited { note.text = "edited, saved: \(isSaved)" }
          for request in requests {
            #expect(try child.fetch(request) == [note] && child.count(request) == 1)
            #expect(try child.values(request, ["id"]) == [["id": 1_000]])
          }
        }
      }
      try child.save()
      #expect(try child.batchUpdate(requests[0], ["text": "batch"]) == 1)
      #expect(!user.objectID.isTemporary)
    }
  }

  @Test func unsavedChangesCountAcrossRelationships() throws {
    try context.performAndWait {
      let company = try #require(try context.fetch(Fetch<Company>()).first)
      company.name = "Zenith"
      #expect(try ids(Fetch("company.name == 'Zenith'")) == [2, 4, 6, 8, 10])
      #expect(try ids(Fetch("company.name == 'Acme'")).isEmpty)
      let note = try #require(try context.fetch(Fetch<Note>("id == 10")).first)
      note.text = "changed"
      #expect(try ids(Fetch("ANY notes.text == 'changed'")) == [1])
      context.delete(note)
      #expect(try ids(Fetch("notes.@count < 3")) == [1])
      #expect(try ids(Fetch("company == %@", company)) == [2, 4, 6, 8, 10])
    }
  }

  @Test func managersRefineByValueAndAskEverything() throws {
    try context.performAndWait {
      let all = context.managerFor(User.self)
      let some = all.filter("age <= %@", 40)
      #expect(try ids(some.filter("age > 20").request) == [3, 4])
      #expect(try ids(some.orderBy("-age", "name").request) == [4, 3, 2, 1])
      let counts = [try some.count, try all.count]
      #expect(counts == [4, 10])
      let ends = [try some.first?.id, try some.last?.id, try some.orderBy("-age").last?.id]
      #expect(ends == [1, 4, 1])
      let numbers = [try some.min("age"), try some.max("age"), try some.sum("age")]
      #expect(numbers == [10, 40, 100])
      #expect(try some.average("age") == 25)
      let nothing = all.filter("age > 1000")
      let sums = [try nothing.sum("age"), try nothing.min("age")].compactMap { $0 }
      #expect(sums.isEmpty)
      #expect(try nothing.average("age") == nil)
      #expect(try some.sum("age", as: Int.self) == 100)
      let name = try all.filter("company.name == 'Acme'").max("company.name")
      #expect(name == "Acme")
      #expect(throws: GraphError.self) { try all.aggregate("median", forKeyPath: "age") }
      #expect(throws: FilterError.self) { try all.filter("nobody == 1").count }
      #expect(throws: FilterError.self) { try all.orderBy("--age").array }
      // Unsaved objects count.
      let user = context.insertUser(11, age: 30)
      let withNew = (try some.count, try some.sum("age"), try some.last)
      #expect(withNew.0 == 5 && withNew.1 == 130 && withNew.2 === user)
      let deleted = try some.delete()
      let rest = try all.count
      #expect(deleted == 5 && rest == 6)
      context.rollback()
      let restored = try context.managerFor(entityNamed: "User").count
      #expect(restored == 10)
      #expect(all.entityName() == "User")
    }
  }

  @Test(arguments: [0, -1, 1, nil])
  func aManagerWithoutRoomIsEmpty(limit: Int?) throws {
    try context.performAndWait {
      let some = context.managerFor(User.self).limit(limit)
      let isEmpty = try some.array.isEmpty
      #expect(try some.isEmpty == isEmpty && (some.first == nil) == isEmpty)
      #expect(try some.offset(10).isEmpty && some.offset(10).first == nil)
    }
  }

  @Test func managersCalculateWithKeyPaths() throws {
    try context.performAndWait {
      let some = context.managerFor(User.self).filter(where: { $0.$age <= 40 })
      let ages: [Int64?] = [try some.min(\.$age), try some.max(\.$age), try some.sum(\.$age)]
      #expect(ages == [10, 40, 100])
      #expect(try some.average(\.$age) == 25)
      let name: String? = try some.max(\.$name) ?? nil
      #expect(name == "user 4")
      #expect(try some.filter("age > 1000").sum(\.$age) == nil)
    }
  }

  @Test func anEntityWithoutAClassIsAskedInThePredicateFormat() throws {
    try context.performAndWait {
      let old = Fetch<ManagedObject>(entityNamed: "User", "age > %@ AND name != %@", 80, "user 10")
      let ids = try context.fetch(old).map { $0["id"] as? Int64 }
      let count = try context.count(Fetch<ManagedObject>(entityNamed: "User", "age > 80"))
      #expect(ids == [9] && count == 2)
    }
  }

  @Test func wrongNamesAreErrors() {
    context.performAndWait {
      #expect(throws: ModelError.self) {
        try context.fetch(Fetch<ManagedObject>(entityNamed: "Nobody"))
      }
      #expect(throws: GraphError.self) { try context.fetch(Fetch<Person>()) }
    }
  }

  // MARK: - Statements

  /// Statements that the store runs for the body.
  private func statements(_ body: () throws -> Void) throws -> [String] {
    try stack.store.recorder.record(body).filter { $0.hasPrefix("SELECT") }
  }

  @Test func walkingAThousandToManysTakesThreeStatements() throws {
    try context.edit {
      for number in 0..<1_000 as Range<Int64> {
        let user = context.insertUser(100 + number)
        for index in 0..<3 as Range<Int64> {
          let note = context.insertNote(number * 3 + index)
          note.text = "\(number)"
          user.notes.insert(note)
        }
      }
    }
    try stack.inBackground { fresh in
      let run = try statements {
        for user in try fresh.fetch(Fetch<User>("id >= 100")) {
          #expect(user.notes.count == 3)
          #expect(user.notes.allSatisfy { $0.text == "\(user.id - 100)" })
        }
      }
      #expect(run.count == 3, "\(run)")
    }
  }

  @Test func walkingToOnesTakesTwoMoreStatements() throws {
    try stack.inBackground { fresh in
      let run = try statements {
        for note in try fresh.fetch(Fetch<Note>()) { #expect(note.user?.name != nil) }
      }
      #expect(run.count == 2, "\(run)")
    }
  }

  @Test func objectsMadeStaleByOneCommitAreReadTogether() throws {
    try stack.inBackground { fresh in
      let users = try fresh.fetch(Fetch<User>())
      #expect(users.map(\.age).reduce(0, +) == 550)
      try context.edit { for user in try context.fetch(Fetch<User>()) { user.age += 1 } }
      let run = try statements {
        fresh.processPendingChanges()
        _ = try fresh.count(Fetch<Company>())
        #expect(users.map(\.age).reduce(0, +) == 560)
      }
      #expect(run.count == 2, "\(run)")
    }
  }
}
