import SyncGraph
import SyncStore
import TestSupport
import Testing

/// Commits of another process are noticed as those of other contexts are. A second stack on the
/// same file stands for the process: it has a store and connections of its own.
@Suite(.timeLimit(.minutes(5))) struct OtherProcessTests {
  private let folder: TemporaryFolder
  private let here: DataStack
  private let there: DataStack
  private let keepsHistory: Bool

  init() throws { try self.init(keepsHistory: false) }

  private init(keepsHistory: Bool) throws {
    self.keepsHistory = keepsHistory
    folder = try TemporaryFolder()
    let url = folder.file()
    func open() throws -> DataStack {
      try DataStack(model: .social(), store: .sqlite(url), tracksChanges: keepsHistory)
    }
    here = try open()
    there = try open()
  }

  private func change(_ body: (ManagedObjectContext) throws -> Void) throws {
    let context = there.newBackgroundContext()
    context.author = "there"
    try context.edit { try body(context) }
  }

  private func addNote(_ id: Int64, to user: User, in context: ManagedObjectContext) {
    let note = Note(context: context)
    note.id = id
    user.notes.insert(note)
  }

  private func user(_ id: Int64, in context: ManagedObjectContext) throws -> User {
    try #require(try context.fetch(Fetch<User>("id == %@", id)).first)
  }

  @Test(arguments: [false, true])
  func theNextBlockSeesWhatAnotherProcessCommitted(_ keepsHistory: Bool) throws {
    let test = try Self(keepsHistory: keepsHistory)
    try test.change { context in
      for id in 1...3 as ClosedRange<Int64> {
        let user = User(context: context)
        user.id = id
        user.name = "old"
        test.addNote(id, to: user, in: context)
      }
    }
    let context = test.here.newBackgroundContext()
    let (first, second, third) = try context.performAndWait {
      let users = try (1...3).map { try test.user($0, in: context) }
      #expect(users.map(\.name) == ["old", "old", "old"])
      #expect(users.map(\.notes.count) == [1, 1, 1])
      return (Unchecked(users[0]), Unchecked(users[1]), Unchecked(users[2]))
    }
    try test.change { context in
      let user = try test.user(1, in: context)
      user.name = "new"
      test.addNote(9, to: user, in: context)
      context.delete(try test.user(2, in: context))
    }
    context.performAndWait {
      #expect(first.value.name == "new")
      #expect(first.value.notes.count == 2)
      #expect(second.value.isDeleted)
      #expect(third.value.name == "old")
      #expect(third.value.notes.count == 1)
    }
  }

  @Test(arguments: [false, true])
  func unsavedValuesStayOnTop(_ keepsHistory: Bool) throws {
    let test = try Self(keepsHistory: keepsHistory)
    try test.change { User(context: $0).id = 1 }
    let context = test.here.newBackgroundContext()
    context.mergePolicy = .objectWinsPerProperty
    try context.performAndWait { try test.user(1, in: context).name = "here" }
    try test.change { context in
      let user = try test.user(1, in: context)
      user.name = "there"
      user.age = 7
    }
    try context.edit {
      let user = try test.user(1, in: context)
      #expect(user.name == "here")
      #expect(user.age == 7)
    }
    try test.change { context in
      let user = try test.user(1, in: context)
      #expect(user.name == "here")
    }
  }

  @Test(arguments: [false, true])
  func aChildContextSeesItToo(_ keepsHistory: Bool) throws {
    let test = try Self(keepsHistory: keepsHistory)
    try test.change { User(context: $0).id = 1 }
    let parent = test.here.newBackgroundContext()
    let child = parent.newChildContext(.privateQueue)
    let user = try child.performAndWait {
      let user = try test.user(1, in: child)
      #expect(user.name == nil && user.notes.isEmpty)
      return Unchecked(user)
    }
    try test.change { context in
      let user = try test.user(1, in: context)
      user.name = "new"
      test.addNote(9, to: user, in: context)
    }
    child.performAndWait {
      #expect(user.value.name == "new")
      #expect(user.value.notes.count == 1)
    }
  }

  @Test(arguments: [false, true])
  func liveResultsFollow(_ keepsHistory: Bool) throws {
    let test = try Self(keepsHistory: keepsHistory)
    try test.change { User(context: $0).id = 1 }
    let context = test.here.newBackgroundContext()
    let results = try context.performAndWait {
      Unchecked(try LiveResults(Fetch<User>("age < 5").sorted(by: "id"), in: context))
    }
    try test.change { context in
      User(context: context).id = 2
      try test.user(1, in: context).age = 9
    }
    context.performAndWait {
      context.processPendingChanges()
      #expect(results.value.objects.map(\.id) == [2])
    }
  }

  @Test func aHistoryTellsExactlyWhatWasCommitted() async throws {
    let test = try Self(keepsHistory: true)
    let log = Log(test.here)
    try test.change { context in
      for id in 1...2 as ClosedRange<Int64> { User(context: context).id = id }
    }
    try test.change { context in
      try test.user(1, in: context).name = "new"
      context.delete(try test.user(2, in: context))
      User(context: context).id = 3
    }
    await test.here.drainNotifications()
    let expected = ["User +[1, 2] ~[] -[]", "User +[3] ~[1: name] -[2]"]
    #expect(log.sets.map(\.summary) == expected)
    #expect(log.sets.map(\.generation) == [1, 2])
    #expect(log.sets.map(\.author) == ["there", "there"])
    #expect(log.sets.allSatisfy { !$0.isUnknown })
    let last = try #require(log.sets.last?.entities.first)
    #expect(Array(last.insertedKeys) == [.int(3)])
    #expect(Array(last.updatedKeys) == [.int(1)])
    #expect(Array(last.deletedKeys) == [.int(2)])
  }

  @Test func withoutAHistoryAnythingMayHaveChanged() async throws {
    let log = Log(here)
    try change { User(context: $0).id = 1 }
    try change { User(context: $0).id = 2 }
    await here.drainNotifications()
    #expect(log.sets.map(\.isUnknown) == [true])
    #expect(log.sets.allSatisfy { !$0.isEmpty && $0.entities.isEmpty })
    #expect(log.sets.map(\.generation) == [2])
  }

  @Test(arguments: [false, true])
  func eachCommitIsToldOnceAndInOrder(_ keepsHistory: Bool) async throws {
    let test = try Self(keepsHistory: keepsHistory)
    let log = Log(test.here)
    let own = test.here.newBackgroundContext()
    for id in 1...3 as ClosedRange<Int64> {
      try test.change { User(context: $0).id = id }
      try own.edit { User(context: own).id = 100 + id }
    }
    await test.here.drainNotifications()
    #expect(log.sets.map(\.generation) == [1, 2, 3, 4, 5, 6])
    #expect(log.sets.map(\.isUnknown) == (0..<6).map { !keepsHistory && $0 % 2 == 0 })
    await test.there.drainNotifications()
    await test.here.drainNotifications()
    #expect(log.sets.count == 6, "nothing is told twice")
  }

  @Test func commitsAreNoticedWithoutEnteringAContext() async throws {
    var changes = here.changes.makeAsyncIterator()
    try change { User(context: $0).id = 1 }
    #expect(await changes.next()?.isUnknown == true)
  }

  @Test func aStackThatOnlyReadsNoticesToo() throws {
    try change { User(context: $0).id = 1 }
    var configuration = Store.Configuration(.file(folder.file()))
    configuration.isReadOnly = true
    let reader = try DataStack(model: .social(), configuration: configuration)
    let context = reader.newBackgroundContext()
    let user = try context.performAndWait { Unchecked(try self.user(1, in: context)) }
    context.performAndWait { #expect(user.value.name == nil) }
    try change { try self.user(1, in: $0).name = "new" }
    context.performAndWait { #expect(user.value.name == "new") }
  }

  /// The members of a list, and their places, are decided when it is written.
  @Test func membersThatNoContextHasSeenGetPlacesOfTheirOwn() async throws {
    try change { User(context: $0).id = 1 }
    let context = here.newBackgroundContext()
    try context.edit {
      let user = try self.user(1, in: context)
      #expect(user.chores.isEmpty)
      // In the midst of the block, so that it is not merged before the save.
      try change { context in
        let chores = (0..<2).map { _ in Chore(context: context) }
        for (chore, title) in zip(chores, ["a", "b"]) { chore.title = title }
        try self.user(1, in: context).chores = chores
      }
      let chore = Chore(context: context)
      chore.title = "c"
      user.chores.append(chore)
    }
    let report = try await here.checkConsistency()
    #expect(report.isConsistent, "\(report)")
    for stack in [here, there] {
      try stack.inBackground { context in
        let titles = try self.user(1, in: context).chores.map(\.title)
        #expect(Set(titles) == ["a", "b", "c"])
        #expect(titles.count == 3)
      }
    }
  }

  /// A stack that another process has left behind by a new model does not write by the old one.
  @Test func aFileOfAnotherModelIsNotWritten() throws {
    try change { User(context: $0).id = 1 }
    try there.close()
    let model = try ManagedObjectModel(
      User.self, Note.self, Company.self, Tag.self, Chore.self, Person.self, Vehicle.self, Car.self)
    try Store(model: model, configuration: .init(.file(folder.file()))).close()
    let context = here.newBackgroundContext()
    context.performAndWait {
      User(context: context).id = 2
      #expect { try context.save() } throws: { ($0 as? StoreError)?.code == .migrationNeeded }
    }
  }
}

/// The change sets that a stack has told.
private final class Log: Sendable {
  private let state = Locked<[ChangeSet]>([])
  private let observation: Locked<NotificationTests.Observation?> = Locked(nil)

  var sets: [ChangeSet] { state.withLock { $0 } }

  init(_ stack: DataStack) {
    let observation = NotificationTests.Observation(.dataStackDidChange, stack) {
      [weak self] note in
      let changes = note.changeSet
      self?.state.withLock { $0.append(changes) }
    }
    self.observation.withLock { $0 = observation }
  }
}
