import Observation
import SyncGraph
import SyncStore
import Synchronization
import TestSupport
import Testing

/// Objects and live results, followed by the module Observation.
@MainActor @Suite struct ObservationTests {
  private let stack: DataStack
  private let main: ManagedObjectContext
  private let user: User

  init() throws {
    stack = try .social()
    main = stack.mainContext
    user = User(context: main)
    user.id = 1
    user.name = "Ann"
    let note = Note(context: main)
    note.id = 1
    note.user = user
    let chore = Chore(context: main)
    chore.user = user
    try main.save()
  }

  /// How often a change was told.
  private final class Count: Sendable {
    let value = Atomic<Int>(0)
    var current: Int { value.load(ordering: .relaxed) }
  }

  /// Reads once, and counts the changes that are told.
  private func count(_ read: () -> Void) -> Count {
    let count = Count()
    withObservationTracking(read) { count.value.add(1, ordering: .relaxed) }
    return count
  }

  /// Ways to read the same properties.
  enum Reading: CaseIterable, Sendable {
    case wrapper, key
  }

  @Test(arguments: Reading.allCases)
  func whatWasReadIsToldOnceWhenItChanges(reading: Reading) throws {
    func counts() -> [Count] {
      reading == .wrapper
        ? [
          count { _ = user.name }, count { _ = user.company }, count { _ = user.notes },
          count { _ = user.chores }, count { _ = user.id },
        ]
        : ["name", "company", "notes", "chores", "id"].map { key in
          count { _ = user.value(forKey: key) }
        }
    }
    var found = counts()
    user.age = 5
    #expect(found.map(\.current) == [0, 0, 0, 0, 0])
    user.name = "Ann"
    #expect(found[0].current == 0)
    user.name = "Anna"
    user.name = "Anne"
    #expect(found.map(\.current) == [1, 0, 0, 0, 0])
    found = counts()
    let company = Company(context: main)
    user.company = company
    #expect(found.map(\.current) == [0, 1, 0, 0, 0])
    user.notes.insert(Note(context: main))
    user.chores.removeAll()
    #expect(found.map(\.current) == [0, 1, 1, 1, 0])
    found = counts()
    main.rollback()
    #expect(found.map(\.current).allSatisfy { $0 == 1 })
    found = counts()
    main.delete(user)
    try main.save()
    #expect(found[2].current == 1)
  }

  @Test func theOtherSideIsTold() {
    let note = Note(context: main)
    let notes = count { _ = user.notes }
    let owner = count { _ = note.user }
    note.user = user
    #expect(notes.current == 1 && owner.current == 1)
  }

  @Test func otherObjectsAreNotTold() {
    let other = User(context: main)
    let name = count { _ = user.name }
    other.name = "Eve"
    #expect(name.current == 0)
  }

  @Test func whatOthersCommitIsTold() throws {
    let name = count { _ = user.name }
    let notes = count { _ = user.notes }
    let age = count { _ = user.age }
    let background = stack.newBackgroundContext()
    let id = user.objectID
    try background.edit {
      let user = try background.existingObject(with: id, as: User.self)
      user.name = "Eve"
      let note = Note(context: background)
      note.id = 2
      note.user = user
    }
    #expect(name.current == 0)
    main.processPendingChanges()
    #expect(name.current == 1 && notes.current == 1 && age.current == 0)
    #expect(user.name == "Eve" && user.notes.count == 2)
  }

  @Test func liveResultsAreObservable() throws {
    let results = try LiveResults(Fetch<User>("age < 18").sorted(by: "name"), in: main)
    let objects = count { _ = results.objects }
    let sections = count { _ = results.sections }
    let first = count { _ = results.objects.first?.name }
    user.email = "a@b.c"
    main.processPendingChanges()
    #expect(objects.current == 0 && sections.current == 0 && first.current == 0)
    user.name = "Eve"
    main.processPendingChanges()
    #expect(objects.current == 0 && first.current == 1)
    user.age = 40
    main.processPendingChanges()
    #expect(objects.current == 1 && sections.current == 1 && results.objects.isEmpty)
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test(.timeLimit(.minutes(5))) func observationsFollowObjectsAndLiveResults() async throws {
    let results = try LiveResults(Fetch<User>().sorted(by: "name"), in: main)
    let (user, main) = (user, main)
    var names = Observations { results.objects.map(\.name) }.makeAsyncIterator()
    var emails = Observations { user.email }.makeAsyncIterator()
    #expect(await names.next() == ["Ann"])
    #expect(await emails.next() == .some(nil))
    user.name = "Eve"
    user.email = "a@b.c"
    main.processPendingChanges()
    #expect(await names.next() == ["Eve"])
    #expect(await emails.next() == "a@b.c")
    User(context: main).name = "Abe"
    main.processPendingChanges()
    #expect(await names.next() == ["Abe", "Eve"])
  }

  @Test func observingAsksNoFurtherSQL() throws {
    let results = try LiveResults(Fetch<User>("age < 18"), in: main)
    let objects = count { _ = results.objects.map(\.name) }
    let before = try stack.store.recorder.executed
    user.email = "a@b.c"
    main.processPendingChanges()
    _ = results.objects.map(\.name)
    #expect(try stack.store.recorder.executed == before && objects.current == 0)
  }
}
