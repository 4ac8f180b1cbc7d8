import Foundation
import SyncCore
import SyncGraph
import SyncStore
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
    let user = context.insert(User.self)
    user.id = id
    user.name = name
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

  @Test(arguments: [
    ("a", ValidationFailure.Rule.minimum), ("abcdefghijk", .maximum), ("ABC", .pattern),
  ]) func rulesOfTheModelAreChecked(name: String, rule: ValidationFailure.Rule) {
    context.performAndWait {
      let tag = context.insert(Tag.self)
      tag.name = name
      #expect {
        try context.save()
      } throws: { ($0 as? GraphError)?.failures.map(\.rule) == [rule] }
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

  @Test func uniqueValuesMayBeSwapped() throws {
    try context.performAndWait {
      let tags = (1...2).map { (number: Int64) in
        let tag = context.insert(Tag.self)
        tag.id = number
        return tag
      }
      try context.save()
      tags[0].id = 2
      tags[1].id = 1
      try context.save()
      tags[0].id = 1
      #expect(throws: GraphError.self) { try context.save() }
      #expect(tags[0].hasChanges)
    }
  }

  // MARK: - Conflicts

  /// Two contexts read the same row, the first one saves; the second does not merge, so it finds
  /// out when it saves.
  private func conflict(
    _ policy: MergePolicy
  ) throws -> (error: GraphError?, name: String?, email: String?, age: Int64) {
    let id = try context.performAndWait {
      let user = user(1, "Ann")
      user.age = 1
      try context.save()
      return user.objectID
    }
    let late = stack.newNonMergingBackgroundContext()
    late.mergePolicy = policy
    late.performAndWait {
      let user = late.object(with: id)
      user["name"] = "Late"
      user["age"] = 99
      try? context.performAndWait {
        let user = try context.existingObject(with: id, as: User.self)
        user.name = "Early"
        user.email = "early"
        try context.save()
      }
    }
    let error: GraphError? = late.performAndWait {
      do {
        // What is kept strongly has to be there still.
        try late.save()
        #expect(!late.hasChanges)
        return nil
      } catch {
        #expect(late.hasChanges)
        return error as? GraphError
      }
    }
    return try context.performAndWait {
      let user = try context.existingObject(with: id, as: User.self)
      return (error, user.name, user.email, user.age)
    }
  }

  private struct Outcome: Equatable {
    let name: String?
    let email: String?
    let age: Int64

    init(_ name: String?, _ email: String?, _ age: Int64) {
      (self.name, self.email, self.age) = (name, email, age)
    }
  }

  private func outcome(_ policy: MergePolicy) throws -> Outcome {
    let result = try conflict(policy)
    if let error = result.error { throw error }
    return Outcome(result.name, result.email, result.age)
  }

  @Test func conflictsAreErrorsWithBothVersions() throws {
    let result = try conflict(.error)
    let conflict = try #require(result.error?.conflicts.first)
    #expect(result.error?.code == .conflict)
    #expect(conflict.committed["name"] == "Ann" && conflict.edited == ["name": "Late", "age": 99])
    #expect(conflict.stored?["name"] == "Early" && conflict.stored?["email"] == "early")
    #expect(result.name == "Early" && result.age == 1)
  }

  @Test func policiesDecidePerPropertyOrAltogether() throws {
    #expect(try outcome(.storeWinsPerProperty) == Outcome("Early", "early", 99))
  }

  @Test func objectsMayWinPerProperty() throws {
    #expect(try outcome(.objectWinsPerProperty) == Outcome("Late", "early", 99))
  }

  @Test func theStoreMayWin() throws {
    #expect(try outcome(.storeWins) == Outcome("Early", "early", 1))
  }

  @Test func objectsMayWin() throws {
    #expect(try outcome(.objectWins) == Outcome("Late", nil, 99))
  }

  @Test(arguments: [MergePolicy.error, .storeWins]) func rowsThatAreGoneAreConflicts(
    policy: MergePolicy
  ) throws {
    let id = try context.performAndWait {
      let user = user(1, "Ann")
      try context.save()
      return user.objectID
    }
    let late = stack.newNonMergingBackgroundContext()
    late.mergePolicy = policy
    try late.performAndWait {
      let user = late.object(with: id)
      user["name"] = "Late"
      try context.performAndWait {
        context.delete(context.object(with: id))
        try context.save()
      }
      if policy == .error {
        #expect { try late.save() } throws: { ($0 as? GraphError)?.conflicts.first?.stored == nil }
      } else {
        try late.save()
        #expect(user.isDeleted)
      }
    }
  }

  // MARK: - Hooks

  @Test func hooksRunInOrderAndMayChangeThings() throws {
    let stack = try DataStack(model: ManagedObjectModel(Hooked.self), store: .inMemory)
    let context = stack.newBackgroundContext()
    try context.performAndWait {
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
    let other = stack.newBackgroundContext()
    try other.performAndWait {
      let object = try #require(try other.fetch(Fetch<Hooked>()).first)
      #expect(object.calls == "fetch ")
    }
  }

  // MARK: - Rollback

  @Test func rollbackUndoesEverything() throws {
    try context.performAndWait {
      let user = user(1, "Ann")
      let note = context.insert(Note.self)
      note.id = 1
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
