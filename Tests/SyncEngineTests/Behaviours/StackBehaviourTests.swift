import Foundation
import SyncStack
import TestSupport
import Testing

/// The data stack.
@Suite(.timeLimit(.minutes(30))) struct StackBehaviourTests {
  private func insert(_ key: Int, _ stack: DataStack) throws {
    try stack.inMain { main in
      try main.insert(entityNamed: "User").setValue(key, forKey: "remoteID")
      try main.save()
    }
  }

  @Test(
    "every initialiser, over a plain and a versioned model", arguments: ["PrimaryKey", "Notes"])
  func initialisers(_ name: String) throws {
    let bundle = try Fixtures.models()
    let folder = try TemporaryFolder()
    let stacks = try [
      DataStack(modelName: name, bundle: bundle, storeType: .inMemory),
      DataStack(
        modelName: name, bundle: bundle, storeType: .sqLite, storeName: "store",
        containerURL: folder.url),
      DataStack(
        modelName: name, bundle: bundle, storeType: .sqLite, containerURL: folder.url),
      DataStack(
        model: ManagedObjectModel(
          contentsOf: Fixtures.url("Models/\(name).xcdatamodel\(name == "Notes" ? "d" : "")")),
        storeType: .inMemory),
    ]
    for stack in stacks {
      try insert(1, stack)
      #expect(try stack.count("User") == 1)
    }
    #expect(
      stacks.map { $0.storeURL?.lastPathComponent } == [nil, "store.sqlite", "\(name).sqlite", nil])
    for file in ["store", name] {
      #expect(FileManager.default.fileExists(atPath: folder.file("\(file).sqlite").path))
    }
  }

  @Test("a missing model is an error at once")
  func missingModel() throws {
    #expect(throws: GraphError.self) { try DataStack(modelName: "Nothing") }
    #expect(throws: GraphError.self) {
      try DataStack(modelName: "Nothing", bundle: Fixtures.models(), storeType: .inMemory)
    }
  }

  @Test("a bundle's store comes first when there is no file")
  func preloaded() throws {
    let folder = try TemporaryFolder()
    let resources = folder.url.appending(path: "Resources.bundle")
    try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: Fixtures.url("Models/PrimaryKey.xcdatamodel"),
      to: resources.appending(path: "PrimaryKey.xcdatamodel"))
    let bundle = try #require(Bundle(url: resources))
    let maker = try DataStack(
      modelName: "PrimaryKey", bundle: bundle, storeType: .sqLite, containerURL: resources)
    try insert(42, maker)
    try maker.close()
    let stack = try DataStack(
      modelName: "PrimaryKey", bundle: bundle, storeType: .sqLite, storeName: "mine",
      containerURL: folder.url)
    #expect(try stack.shown("User", "remoteID") == ["42"])
    try insert(43, stack)
    try stack.close()
    let again = try DataStack(
      modelName: "PrimaryKey", bundle: bundle, storeType: .sqLite, storeName: "mine",
      containerURL: folder.url)
    #expect(try again.shown("User", "remoteID") == ["42", "43"])
  }

  @Test("adding an optional attribute keeps the data; two stacks may open one store")
  func migration() throws {
    let folder = try TemporaryFolder()
    let source = try String(
      contentsOf: Fixtures.url("Models/PrimaryKey.xcdatamodel/contents"), encoding: .utf8)
    func bundle(_ text: String, _ name: String) throws -> Bundle {
      let url = folder.url.appending(path: name)
      let model = url.appending(path: "PrimaryKey.xcdatamodel")
      try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: model.appending(path: "contents"))
      return try #require(Bundle(url: url))
    }
    let first = try DataStack(
      modelName: "PrimaryKey", bundle: bundle(source, "one"), storeType: .sqLite,
      storeName: "shared", containerURL: folder.url)
    try insert(1, first)
    let twin = try DataStack(
      modelName: "PrimaryKey", bundle: bundle(source, "one"), storeType: .sqLite,
      storeName: "shared", containerURL: folder.url)
    #expect(try twin.count("User") == 1)
    try first.close()
    try twin.close()
    let changed = source.replacing(
      #"<entity name="User" syncable="YES">"#,
      with:
        #"<entity name="User" syncable="YES"><attribute name="added" optional="YES" attributeType="String"/>"#
    )
    #expect(changed != source)
    let second = try DataStack(
      modelName: "PrimaryKey", bundle: bundle(changed, "two"), storeType: .sqLite,
      storeName: "shared", containerURL: folder.url)
    #expect(try second.shown("User", "remoteID added") == ["1 -"])
  }

  @Test("a background context merges into the main one", arguments: [true, false])
  func merging(_ isMerging: Bool) throws {
    let stack = try DataStack.opened("PrimaryKey")
    try insert(1, stack)
    let user = try stack.inMain { try $0.fetch(1, inEntityNamed: "User")?.objectID }
    let id = try #require(user)
    let context = isMerging ? stack.newBackgroundContext() : stack.newNonMergingBackgroundContext()
    try context.performAndWait {
      try context.existingObject(with: id).setValue("named", forKey: "name")
      try context.insert(entityNamed: "User").setValue(2, forKey: "remoteID")
      try context.save()
    }
    let name = stack.inMain { $0.object(with: id).value(forKey: "name") as? String }
    #expect(name == "named")
    #expect(try stack.count("User") == 2)
  }

  @Test("a disposable context keeps nothing")
  func disposable() throws {
    let stack = try DataStack.opened("PrimaryKey")
    let context = stack.newDisposableMainContext()
    try context.performAndWait {
      try context.insert(entityNamed: "User").setValue(1, forKey: "remoteID")
      try context.save()
      #expect(try context.count(Fetch(entityNamed: "User")) == 0)
    }
    #expect(try stack.count("User") == 0)
  }

  @Test("blocks run in a new background context")
  func backgroundBlocks() async throws {
    let stack = try DataStack.opened("PrimaryKey")
    try await stack.performInNewBackgroundContext { context in
      try context.insert(entityNamed: "User").setValue(1, forKey: "remoteID")
      try context.save()
    }
    try await stack.performBackgroundTask { context in
      try context.insert(entityNamed: "User").setValue(2, forKey: "remoteID")
      try context.save()
    }
    await withCheckedContinuation { continuation in
      stack.performInNewBackgroundContext { context in
        _ = try? context.insert(entityNamed: "User")
        _ = try? context.save()
        continuation.resume()
      }
    }
    #expect(try stack.count("User") == 3)
    #expect(stack.viewContext === stack.mainContext)
  }

  @Test("drop empties the store, and the stack goes on", arguments: [true, false])
  func drops(_ inMemory: Bool) async throws {
    let folder = try TemporaryFolder()
    let stack = try DataStack(
      modelName: "PrimaryKey", bundle: Fixtures.models(),
      storeType: inMemory ? .inMemory : .sqLite, containerURL: folder.url)
    for _ in 0..<2 {
      try insert(1, stack)
      #expect(try stack.count("User") == 1)
      let error: (any Error)? = await withCheckedContinuation { continuation in
        stack.drop { error in
          dispatchPrecondition(condition: .onQueue(.main))
          continuation.resume(returning: error)
        }
      }
      #expect(error == nil)
      #expect(try stack.count("User") == 0)
    }
    stack.drop(completion: nil)
  }

  @Test("the main context tells what a background sync inserted, updated and deleted")
  func notifications() async throws {
    let stack = try DataStack.opened("PrimaryKey")
    try await stack.sync([["id": 1], ["id": 2]], inEntityNamed: "User")
    try stack.inMain {
      _ = try $0.fetch(Fetch<ManagedObject>(entityNamed: "User")).map { $0["name"] }
    }
    await stack.drainNotifications()
    let heard = Locked<[String]>([])
    let token = NotificationCenter.default.addObserver(
      forName: .managedObjectContextObjectsDidChange, object: stack.mainContext, queue: nil
    ) { note in
      let counts = [note.insertedObjects, note.updatedObjects, note.deletedObjects].map(\.count)
      heard.withLock { $0.append("\(counts)") }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let payload: [[String: Any]] = [["id": 2, "name": "x"], ["id": 3]]
    try await stack.sync(payload, inEntityNamed: "User")
    #expect(try stack.count("User") == 2)
    await stack.drainNotifications()
    #expect(heard.withLock { $0 } == ["[1, 1, 1]"])
  }

  @Test("a store that cannot be opened is an error, and the file stays")
  func unreadableStore() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("PrimaryKey.sqlite")
    try Data("this is no database at all, and longer than a header would be".utf8).write(to: file)
    #expect(throws: StoreError.self) {
      try DataStack(
        modelName: "PrimaryKey", bundle: Fixtures.models(), containerURL: folder.url)
    }
    #expect(FileManager.default.fileExists(atPath: file.path))
  }

  @Test("two background syncs at once insert a key once")
  func concurrentSyncs() async throws {
    let stack = try DataStack.opened("PrimaryKey")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try await stack.sync(
            SyncPayload.objects([["id": 1], ["id": 2]]), inEntityNamed: "User",
            operations: [.insert, .update])
        }
      }
      try await group.waitForAll()
    }
    #expect(try stack.shown("User", "remoteID") == ["1", "2"])
  }

  @Test("6,000 inflections at once")
  func inflections() async throws {
    let stack = try DataStack.opened("Mapping")
    await withTaskGroup(of: Bool.self) { group in
      for round in 0..<6000 {
        group.addTask {
          Inflection.snake("userIDFirst\(round)") == "user_id_first\(round)"
            && Inflection.camel("updated_url") == "updatedURL"
        }
      }
      for await isRight in group { #expect(isRight) }
    }
    #expect(try stack.count("User") == 0)
  }
}
