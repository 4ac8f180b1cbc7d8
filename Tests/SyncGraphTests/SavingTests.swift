import SyncGraph
import SyncStore
import TestSupport
import Testing

@Suite struct SavingTests {
  let stack: DataStack
  let context: ManagedObjectContext

  init() throws {
    stack = try .social()
    context = stack.newBackgroundContext()
  }

  @discardableResult
  private func user(_ id: Int64, _ name: String? = nil) -> User {
    let user = context.insertUser(id, name)
    return user
  }

  @Test func aSaveIsAllOrNothing() throws {
    try context.performAndWait {
      user(1)
      let broken = context.insert(User.self)
      #expect {
        try context.save()
      } throws: { error in
        guard let error = error as? GraphError else { return false }
        return error.code == .validation && error.failures.map(\.key) == ["id"]
          && error.failures.map(\.objectID) == [broken.objectID]
      }
      #expect(context.insertedObjects.count == 2)
      #expect(try stack.store.read { try $0.count(.init(entity: broken.entity)) } == 0)
      broken.id = 2
      try context.save()
      #expect(try context.count(Fetch<User>()) == 2)
    }
  }

  @Test func saveIfChangedSaysWhetherItDid() throws {
    try context.performAndWait {
      var didSave = try context.saveIfChanged()
      #expect(!didSave)
      user(1)
      didSave = try context.saveIfChanged()
      #expect(didSave)
      didSave = try context.saveIfChanged()
      #expect(!didSave)
    }
  }

  // MARK: - Conflicts

  // MARK: - Hooks

  @Test func hooksRunInOrderAndMayChangeThings() throws {
    let stack = try DataStack(model: ManagedObjectModel(Hooked.self), store: .inMemory)
    try stack.inBackground { context in
      let object = context.insert(Hooked.self)
      #expect(object.log == "insert ")
      try context.save()
      #expect(object.calls == "insert will did ")
      #expect(object.log == "insert will ")
      object.log += "x"
      context.delete(object)
      #expect(object.calls.hasSuffix("prepare "))
      context.rollback()
      #expect(object.log == "insert will " && !object.isDeleted)
    }
    try stack.inBackground { other in
      let object = try #require(try other.fetch(Fetch<Hooked>()).first)
      #expect(object.calls == "fetch ")
    }
  }

  // MARK: - Rollback

  @Test func rollbackUndoesEverything() throws {
    try context.performAndWait {
      let user = user(1, "Ann")
      let note = context.insertNote(1)
      user.notes = [note]
      try context.save()
      user.name = "Bob"
      let new = context.insert(Note.self)
      user.notes.insert(new)
      context.delete(note)
      #expect(user.notes == [new] && note.isDeleted)
      context.rollback()
      #expect(!context.hasChanges && user.name == "Ann" && user.notes == [note])
      #expect(note.user === user && !note.isDeleted && new.isDeleted)
      context.delete(user)
      #expect(note.isDeleted)
      context.rollback()
      #expect(user.notes == [note] && note.user === user)
    }
  }
}

final class Hooked: ManagedObject {
  @Attribute var log: String = ""
  var calls = ""

  override func awakeFromInsert() { note("insert ") }
  override func awakeFromFetch() { calls += "fetch " }
  override func willSave() { if isInserted { note("will ") } }
  override func didSave() { calls += "did " }
  override func prepareForDeletion() { calls += "prepare " }

  private func note(_ word: String) {
    calls += word
    log += word
  }
}
