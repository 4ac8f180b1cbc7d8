import SyncGraph
import Testing

@Suite struct RelationshipTests {
  let context: ManagedObjectContext
  let stack: DataStack

  init() throws {
    stack = try .social()
    context = stack.newBackgroundContext()
  }

  private func users(_ count: Int) -> [User] {
    (0..<count).map { context.insertUser(Int64($0)) }
  }

  private func notes(_ count: Int) -> [Note] {
    (0..<count).map { context.insertNote(Int64($0)) }
  }

  @Test(arguments: [false, true]) func toOneSideMovesTheMember(saved: Bool) throws {
    try context.performAndWait {
      let users = users(2)
      let note = notes(1)[0]
      if saved { try context.save() }
      note.user = users[0]
      #expect(users[0].notes == [note])
      if saved { try context.save() }
      note.user = users[1]
      #expect(users[0].notes.isEmpty && users[1].notes == [note])
      note.user = nil
      #expect(users[1].notes.isEmpty)
    }
  }

  @Test(arguments: [false, true]) func toManySideMovesTheMember(saved: Bool) throws {
    try context.performAndWait {
      let users = users(2)
      let notes = notes(3)
      users[0].notes = Set(notes)
      if saved { try context.save() }
      #expect(notes.allSatisfy { $0.user === users[0] })
      users[1].notes.insert(notes[0])
      #expect(notes[0].user === users[1] && users[0].notes == Set(notes[1...]))
      users[0].notes.remove(notes[1])
      #expect(notes[1].user == nil && users[0].notes == [notes[2]])
      users[0].notes.formUnion(notes)
      #expect(users[0].notes == Set(notes) && users[1].notes.isEmpty)
      users[0].notes.removeAll()
      #expect(notes.allSatisfy { $0.user == nil })
      if saved { try context.save() }
      #expect(users[0].notes.isEmpty)
    }
  }

  @Test func wholesaleChangesInPlaceAreNoticed() {
    context.performAndWait {
      let user = users(1)[0]
      let notes = notes(40)
      user.notes = Set(notes[..<20])
      // Another set of the same size, without hashing one element of the property's own.
      var other = Set(notes[20...])
      swap(&user.notes, &other)
      #expect(user.notes == Set(notes[20...]) && other == Set(notes[..<20]))
      #expect(notes[..<20].allSatisfy { $0.user == nil })
      #expect(notes[20...].allSatisfy { $0.user === user })
      _ = user.notes.popFirst()
      #expect(notes.count { $0.user === user } == 19 && user.notes.count == 19)
      user.notes.removeAll(keepingCapacity: true)
      #expect(notes.allSatisfy { $0.user == nil })
      for note in notes { user.notes.insert(note) }
      #expect(user.notes == Set(notes) && notes.allSatisfy { $0.user === user })
      for note in notes where note.id % 2 == 0 { user.notes.remove(note) }
      #expect(user.notes.count == 20 && notes.count { $0.user == nil } == 20)
      // A set that the program keeps is a copy.
      let before = user.notes
      user.notes.insert(notes[0])
      #expect(before.count == 20 && user.notes.count == 21)
    }
  }

  @Test func manyToManyKeepsBothSides() throws {
    try context.performAndWait {
      let users = users(3)
      let tags = (1...3).map { (number: Int64) in
        let tag = context.insert(Tag.self)
        tag.id = number
        return tag
      }
      users[0].tags = Set(tags)
      #expect(tags.allSatisfy { $0.users == [users[0]] })
      tags[0].users.formUnion(users)
      #expect(users[1].tags == [tags[0]] && users[0].tags == Set(tags))
      try context.save()
      users[0].tags.remove(tags[0])
      #expect(tags[0].users == [users[1], users[2]])
      try context.save()
      context.refreshAllObjects()
      #expect(tags[0].users == [users[1], users[2]] && users[0].tags == [tags[1], tags[2]])
    }
  }

  @Test func orderIsKept() throws {
    try context.performAndWait {
      let user = users(1)[0]
      let chores = (0..<5).map {
        let chore = context.insert(Chore.self)
        chore.title = "\($0)"
        return chore
      }
      user.chores = chores
      user.chores.swapAt(0, 4)
      user.chores.insert(chores[2], at: 0)
      #expect(user.chores.map(\.title) == ["2", "4", "1", "3", "0"])
      user.chores.append(chores[2])
      #expect(user.chores.map(\.title) == ["2", "4", "1", "3", "0"])
      try context.save()
      context.refreshAllObjects()
      #expect(user.chores.map(\.title) == ["2", "4", "1", "3", "0"])
      user.chores.move(fromOffsets: 0, to: 5)
      #expect(user.hasChanges)
      try context.save()
      chores[3].user = nil
      chores[3].user = user
      #expect(user.chores.map(\.title) == ["4", "1", "0", "2", "3"])
      user.chores.move(fromOffsets: 4, to: 2)
      #expect(user.chores.map(\.title) == ["4", "1", "3", "0", "2"])
      user.chores.removeFirst()
      #expect(chores[4].user == nil)
      try context.save()
      let other = stack.newBackgroundContext()
      let id = user.objectID
      let titles = try other.performAndWait {
        try other.existingObject(with: id, as: User.self).chores.map(\.title)
      }
      #expect(titles == ["1", "3", "0", "2"])
      // There and back again is no change.
      user.chores.swapAt(0, 1)
      user.chores.swapAt(0, 1)
      #expect(!context.hasChanges)
    }
  }

  @Test func objectsOfOtherContextsAreRefused() async {
    await #expect(processExitsWith: .failure) {
      let stack = try DataStack.social()
      let first = stack.newBackgroundContext()
      let second = stack.newBackgroundContext()
      first.performAndWait {
        let note = first.insert(Note.self)
        second.performAndWait {
          let user = second.insert(User.self)
          user.notes.insert(note)
        }
      }
    }
  }

  /// The sizes tell a linear cost from a quadratic one: a hundredfold would be sixteenfold at
  /// least.
  @Test func insertionInPlaceDoesNotCopyTheSet() {
    context.performAndWait {
      let user = users(1)[0]
      let notes = notes(20_000)
      for note in notes { user.notes.insert(note) }
      #expect(user.notes.count == 20_000 && notes[19_999].user === user)
    }
  }
}

extension Array {
  /// Moves one element.
  fileprivate mutating func move(fromOffsets source: Int, to target: Int) {
    let element = remove(at: source)
    insert(element, at: target > source ? target - 1 : target)
  }
}
