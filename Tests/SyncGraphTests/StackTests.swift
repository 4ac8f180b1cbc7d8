import Foundation
import SyncGraph
import SyncStore
import TestSupport
import Testing

@Suite struct StackTests {
  private func insert(_ id: Int64, in context: ManagedObjectContext) throws {
    try context.edit { context.insertUser(id) }
  }

  private func count(_ context: ManagedObjectContext) throws -> Int {
    try context.performAndWait { try context.count(Fetch<User>()) }
  }

  @Test func filesKeepWhatWasSaved() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("app.sqlite")
    do {
      let stack = try DataStack(model: .social(), store: .sqlite(url))
      #expect(stack.storeURL == url && stack.viewContext === stack.mainContext)
      try insert(1, in: stack.newBackgroundContext())
      try stack.close()
      #expect(throws: StoreError.self) { try count(stack.newBackgroundContext()) }
    }
    let stack = try DataStack(model: .social(), store: .sqlite(url))
    #expect(try count(stack.newBackgroundContext()) == 1)
  }

  @Test(arguments: [true, false]) func droppedStacksGoOnEmpty(inMemory: Bool) async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("app.sqlite")
    let stack = try DataStack(model: .social(), store: inMemory ? .inMemory : .sqlite(url))
    let context = stack.newBackgroundContext()
    try insert(1, in: context)
    let ids = try context.performAndWait { try context.fetch(Fetch<User>()).map(\.objectID) }
    context.performAndWait { context.insert(Note.self).id = 1 }
    try await stack.drop()
    #expect(try count(context) == 0)
    #expect(context.performAndWait { !context.hasChanges })
    context.performAndWait {
      _ = #expect(throws: GraphError.self) { try context.existingObject(with: ids[0]) }
    }
    try insert(2, in: context)
    #expect(try count(stack.mainContext) == 1)
    try { try stack.drop() }()
    #expect(try count(stack.mainContext) == 0)
    await withCheckedContinuation { continuation in
      stack.drop { error in
        dispatchPrecondition(condition: .onQueue(.main))
        #expect(error == nil)
        continuation.resume()
      }
    }
    stack.drop(completion: nil)
  }

  @Test func disposableContextsKeepNothing() throws {
    let stack = try DataStack.social()
    let disposable = stack.newDisposableMainContext()
    try disposable.performAndWait {
      disposable.insertUser(1)
      #expect(try disposable.count(Fetch<User>()) == 1)
      try disposable.save()
      #expect(try disposable.count(Fetch<User>()) == 0)
    }
    #expect(try count(stack.mainContext) == 0)
  }

  @Test func missingModelsAreErrorsThatListThePlaces() {
    #expect {
      try DataStack(modelName: "Nowhere")
    } throws: { error in
      guard let error = error as? GraphError, error.code == .modelNotFound else { return false }
      return error.message.contains("Nowhere.xcdatamodeld")
        && error.message.contains(FileManager.default.currentDirectoryPath)
    }
  }

  @Test func classesThatDoNotFitAreErrors() throws {
    let model = try ManagedObjectModel(["Note: id, text date"])
    #expect {
      try DataStack(model: model, store: .inMemory, classes: [Note.self])
    } throws: { error in
      (error as? GraphError)?.code == .classMismatch && (error as? GraphError)?.key == "text"
    }
    #expect {
      try DataStack(model: model, store: .inMemory, classes: [Company.self])
    } throws: { ($0 as? GraphError)?.entity == "Company" }
  }

  @Test func nothingIsSavedByItselfAtTheEndOfABlockOrOfAContext() throws {
    let stack = try DataStack.social()
    do {
      let context = stack.newBackgroundContext()
      context.performAndWait {
        context.insert(User.self).id = 1
        context.processPendingChanges()
      }
      context.performAndWait { #expect(context.hasChanges) }
    }
    stack.drainNotifications()
    let reader = stack.newBackgroundContext()
    #expect(try reader.performAndWait { try reader.count(Fetch<User>()) } == 0)
  }

  @Test func stacksAreFreed() throws {
    weak var stack: DataStack?
    weak var context: ManagedObjectContext?
    do {
      let made = try DataStack.social()
      stack = made
      context = made.mainContext
      try insert(1, in: made.mainContext)
      made.drainNotifications()
    }
    #expect(stack == nil)
    onMain {}
    #expect(context == nil)
  }
}
