import Foundation
import SyncStack
import TestSupport
import Testing

/// The data stack.
@Suite(.timeLimit(.minutes(5))) struct StackBehaviourTests {
  private func insert(_ key: Int, _ stack: DataStack) throws {
    try stack.inMain { main in
      try main.insert(entityNamed: "User").setValue(key, forKey: "remoteID")
      try main.save()
    }
  }

  @Test(arguments: ["PrimaryKey", "Notes"])
  func everyInitialiserTakesAPlainAndAVersionedModel(_ name: String) throws {
    let bundle = try Fixtures.models()
    let folder = try TemporaryFolder()
    let stacks = try [
      DataStack(modelName: name, bundle: bundle, storeType: .inMemory),
      DataStack(
        modelName: name, bundle: bundle, storeType: .sqLite, storeName: "store",
        containerURL: folder.url),
      DataStack(modelName: name, bundle: bundle, storeType: .sqLite, containerURL: folder.url),
      DataStack(
        model: ManagedObjectModel(
          contentsOf: Fixtures.url("Models/\(name).xcdatamodel\(name == "Notes" ? "d" : "")")),
        storeType: .inMemory),
    ]
    for stack in stacks {
      try insert(1, stack)
      #expect(try stack.count("User") == 1)
    }
    #expect([DataStack.StoreType.inMemory, .sqLite].map(\.rawValue) == [0, 1])
    #expect(
      stacks.map { $0.storeURL?.lastPathComponent } == [nil, "store.sqlite", "\(name).sqlite", nil])
    for file in ["store", name] {
      #expect(FileManager.default.fileExists(atPath: folder.file("\(file).sqlite").path))
    }
  }
}
