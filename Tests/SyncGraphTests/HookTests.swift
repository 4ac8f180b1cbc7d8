import Dispatch
import Foundation
import SyncGraph
import TestSupport
import Testing

/// Hooks and observers may do nearly everything in the middle of things.
@Suite(.timeLimit(.minutes(5))) struct HookTests {
  private let stack: DataStack
  private let context: ManagedObjectContext

  init() throws {
    stack = try DataStack(model: ManagedObjectModel(Meddler.self), store: .inMemory)
    context = stack.newBackgroundContext()
  }

  private func named(_ name: String) throws -> Int {
    let reader = stack.newBackgroundContext()
    return try reader.performAndWait { try reader.count(Fetch<Meddler>("name == %@", name)) }
  }

  @Test func aHookMaySaveAgainOnceItsObjectIsSaved() throws {
    try context.performAndWait {
      let object = context.insert(Meddler.self)
      object.name = "first"
      object.atDidSave = {
        $0.atDidSave = nil
        $0.name = "second"
        try context.save()
      }
      try context.save()
      #expect(!context.hasChanges && object.name == "second")
    }
    #expect(try named("second") == 1 && named("first") == 0)
  }

  @Test(arguments: [false, true]) func anObserverOfASaveMaySaveAgain(isChild: Bool) throws {
    let context = isChild ? context.newChildContext(.privateQueue) : context
    nonisolated(unsafe) var told: [Int] = []
    let token = NotificationCenter.default.addObserver(
      forName: .managedObjectContextDidSave, object: context, queue: nil
    ) { note in
      told.append(note.updatedObjects.count)
      guard told.count == 1 else { return }
      #expect(throws: Never.self) {
        try context.fetch(Fetch<Meddler>()).first?.name = "observed"
        try context.save()
      }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.performAndWait {
      context.insert(Meddler.self).name = "first"
      try context.save()
      #expect(!context.hasChanges)
    }
    #expect(told == [0, 1])
    if isChild { try self.context.performAndWait { try self.context.save() } }
    #expect(try named("observed") == 1)
  }

  @Test func whatAnObserverOfChangesDoesInASaveIsValidatedAndSaved() throws {
    try context.performAndWait {
      let object = context.insert(Meddler.self)
      nonisolated(unsafe) let watched = object
      let token = NotificationCenter.default.addObserver(
        forName: .managedObjectContextObjectsDidChange, object: context, queue: nil
      ) { _ in watched.name = "observed" }
      defer { NotificationCenter.default.removeObserver(token) }
      object.atValidation = { #expect($0.name == "observed") }
      try context.save()
    }
    #expect(try named("observed") == 1)
  }

  @Test func willSaveMayInsertChangeAndDelete() throws {
    try context.performAndWait {
      let victim = context.insert(Meddler.self)
      try context.save()
      let object = context.insert(Meddler.self)
      object.atWillSave = {
        $0.name = "changed"
        $0.followers.insert(context.insert(Meddler.self))
        context.delete(victim)
        let count = try context.count(Fetch<Meddler>())
        #expect(count == 2)
      }
      try context.save()
      #expect(!context.hasChanges && object.followers.count == 1 && victim.isDeleted)
      object.atWillSave = { _ in context.rollback() }
      object.name = "lost"
      try context.save()
      #expect(object.name == "changed")
    }
    #expect(try named("changed") == 1 && named("lost") == 0)
  }

  @Test func aDeletionsHookMayDeleteItsOwnObjectAndOthersThatDeleteIt() throws {
    try context.performAndWait {
      let (first, second) = (context.insert(Meddler.self), context.insert(Meddler.self))
      var calls = 0
      for (one, other) in [(first, second), (second, first)] {
        one.atDeletion = {
          calls += 1
          context.delete($0)
          context.delete(other)
        }
      }
      try context.save()
      context.delete(first)
      #expect(first.isDeleted && second.isDeleted && calls == 2)
      try context.save()
      #expect(try context.count(Fetch<Meddler>()) == 0)
    }
  }

  @Test func listsMayBeEmptiedWhileTheyAreWalked() throws {
    try context.performAndWait {
      let leader = context.insert(Meddler.self)
      for _ in 0..<50 { leader.followers.insert(context.insert(Meddler.self)) }
      try context.save()
      context.refreshAllObjects()
      for follower in leader.followers {
        context.delete(follower)
        #expect(!leader.followers.contains(follower))
      }
      #expect(leader.followers.isEmpty)
      try context.save()
      for object in try context.fetch(Fetch<Meddler>()) {
        context.delete(object)
        try context.save()
      }
      #expect(try context.count(Fetch<Meddler>()) == 0)
    }
  }

  @Test func aValueThatIsSetWhenARowComesInIsAnUnsavedOne() throws {
    try context.edit { context.insert(Meddler.self).name = "asleep" }
    try stack.edit { reader in
      let object = try #require(try reader.fetch(Fetch<Meddler>()).first)
      #expect(object.name == "awake" && object.isUpdated)
      #expect(object.committedValues(forKeys: ["name"])["name"] as? String == "asleep")
    }
    #expect(try named("awake") == 1)
  }

  @Test func contextsMaySaveAndFetchInEachOthersBlocksInBothOrdersAllAtOnce() throws {
    let contexts = [stack.mainContext] + (0..<2).map { _ in stack.newBackgroundContext() }
    let isOver = DispatchSemaphore(value: 0)
    let rounds = 60
    for round in 0..<rounds {
      let (first, second) = (contexts[round % 3], contexts[(round + 1 + round / 3 % 2) % 3])
      first.perform {
        #expect(throws: Never.self) {
          try second.performAndWait {
            second.insert(Meddler.self).name = "inner"
            try first.edit { first.insert(Meddler.self).name = "innermost" }
            try second.save()
            _ = try second.fetch(Fetch<Meddler>())
          }
        }
        isOver.signal()
      }
    }
    for _ in 0..<rounds { isOver.wait() }
    #expect(try named("inner") == rounds && named("innermost") == rounds)
  }
}
