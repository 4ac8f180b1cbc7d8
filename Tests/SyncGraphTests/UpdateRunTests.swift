import Foundation
import SyncGraph
import TestSupport
import Testing

/// Objects of which the same properties were edited are written together.
@Suite struct UpdateRunTests {
  let stack: DataStack
  let context: ManagedObjectContext

  init() throws {
    stack = try .social()
    context = stack.newBackgroundContext()
  }

  private func makeUsers(_ count: Int64) throws {
    try context.edit {
      for id in 0..<count {
        let user = context.insert(User.self)
        (user.id, user.name) = (id, "user \(id)")
      }
    }
  }

  private func change(_ ids: [Int64], by edit: (User) -> Void) throws {
    try stack.edit { for user in try $0.fetch(Fetch<User>("id IN %@", ids)) { edit(user) } }
  }

  private func stored() throws -> [(id: Int64, name: String?, age: Int64)] {
    return try stack.inBackground { fresh in
      try fresh.fetch(Fetch<User>().sorted(by: "id")).map { ($0.id, $0.name, $0.age) }
    }
  }

  /// Every third object has other edited properties than the one before it.
  @Test(arguments: [1, 2, 511, 512, 513, 1300]) func eachObjectGetsItsOwnValues(count: Int64) throws
  {
    try makeUsers(count)
    let changes = try context.performAndWait {
      for user in try context.fetch(Fetch<User>()) {
        if user.id % 3 != 1 || user.id > 600 { user.name = "edited \(user.id)" }
        if user.id % 3 != 2 && user.id < 900 { user.age = 100 + user.id }
      }
      let updated = context.updatedObjects.count
      try context.save()
      return updated
    }
    #expect(changes > 0)
    for user in try stored() {
      let isNamed = user.id % 3 != 1 || user.id > 600
      let isAged = user.id % 3 != 2 && user.id < 900
      #expect(user.name == (isNamed ? "edited \(user.id)" : "user \(user.id)"))
      #expect(user.age == (isAged ? 100 + user.id : 0))
    }
  }

  @Test func conflictsAreFoundInTheMiddleOfARun() throws {
    try makeUsers(1300)
    let moved: [Int64] = [0, 511, 512, 700, 1299]
    let silent = stack.newNonMergingBackgroundContext()
    try silent.performAndWait {
      let users = try silent.fetch(Fetch<User>().sorted(by: "id"))
      for user in users { user.name = "mine" }
      try change(moved) { $0.age = 7 }
      #expect {
        try silent.save()
      } throws: { error in
        guard let error = error as? GraphError, error.code == .conflict else { return false }
        return error.conflicts.map { $0.committed["id"] } == moved.map { .int($0) }
          && error.conflicts.allSatisfy { $0.stored?["age"] == .int(7) }
      }
    }
    #expect(try stored().allSatisfy { $0.name != "mine" })
    try silent.edit {
      silent.mergePolicy = .objectWinsPerProperty
      try silent.save()
      let users = try silent.fetch(Fetch<User>().sorted(by: "id"))
      #expect(users.allSatisfy { $0.age == (moved.contains($0.id) ? 7 : 0) })
      for user in users { user.age += 1 }
    }
    for user in try stored() {
      #expect(user.name == "mine")
      #expect(user.age == (moved.contains(user.id) ? 8 : 1))
    }
  }

  @Test func theChangeSetNamesEveryRowWithItsKey() throws {
    try makeUsers(1000)
    let seen = Locked<[ChangeSet]>([])
    let token = NotificationCenter.default.addObserver(
      forName: .dataStackDidChange, object: stack, queue: nil
    ) { note in
      let changes = note.changeSet
      seen.withLock { $0.append(changes) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.edit {
      for user in try context.fetch(Fetch<User>()) where user.id % 10 != 3 {
        user.name = "new"
        if user.id % 100 == 4 { user.id += 10_000 }
      }
    }
    stack.drainNotifications()
    let changes = try #require(seen.withLock { $0.last?.entities.first })
    let expected = (0..<1000).filter { $0 % 10 != 3 }.map { (id: Int64) -> Value in
      .int(id % 100 == 4 ? id + 10_000 : id)
    }
    #expect(Array(changes.updatedKeys) == expected)
    #expect(changes.updated.map(\.row) == changes.updated.map(\.row).sorted())
  }
}
