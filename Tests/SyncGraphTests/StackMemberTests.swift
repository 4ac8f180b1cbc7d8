import Foundation
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// Members of a stack that have no suite of their own.
@Suite struct StackMemberTests {
  @Test func aStoreThatCannotBeOpenedIsDestroyedOnRequestOnly() throws {
    let folder = try TemporaryFolder()
    let url = folder.file()
    try Data("no database, and not empty either".utf8).write(to: url)
    let model = try TestModels.users()
    #expect(throws: StoreError.self) { try DataStack(model: model, store: .sqlite(url)) }
    #expect(FileManager.default.fileExists(atPath: url.path))
    try DataStack.destroyStore(at: url)
    #expect(!FileManager.default.fileExists(atPath: url.path))
    try DataStack.destroyStore(at: url)
    try DataStack(model: model, store: .sqlite(url)).close()
  }

  @Test func aRequestIsCarriedOutInTheContextThatIsGiven() throws {
    let stack = try DataStack(model: TestModels.users(), store: .inMemory)
    try stack.inBackground { context in
      try context.insert(entityNamed: "User")["id"] = 1
      let users = try stack.execute(Fetch<ManagedObject>(entityNamed: "User"), with: context)
      #expect(users.map(\.managedObjectContext?.name) == [context.name])
      #expect(users.first?.managedObjectContext === context)
    }
  }

  @Test(arguments: [DataStack.StoreType.inMemory, .sqLite])
  func storeTypesHaveTheirNumbers(_ type: DataStack.StoreType) {
    #expect(type.rawValue == (type == .inMemory ? 0 : 1))
  }

  /// All of them look for a model that is not there.
  @Test func initialisersHaveTheNamesOfTheSpecification() throws {
    let initialisers: [() throws -> DataStack] = [
      { try DataStack() }, { try DataStack(modelName: "None") },
      { try DataStack(modelName: "None", storeType: .inMemory) },
      { try DataStack(modelName: "None", bundle: .main, storeType: .sqLite) },
      { try DataStack(modelName: "None", bundle: .main, storeType: .sqLite, storeName: "a") },
      {
        try DataStack(
          modelName: "None", bundle: .main, storeType: .sqLite, storeName: "a",
          containerURL: FileManager.sqliteDirectoryURL)
      },
    ]
    for initialiser in initialisers {
      #expect { try initialiser() } throws: { ($0 as? GraphError)?.code == .modelNotFound }
    }
    let stack = try DataStack(model: TestModels.users(), storeType: .inMemory)
    #expect(stack.storeURL == nil)
  }
}
