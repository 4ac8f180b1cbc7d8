import Foundation
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// Stores that come with the program, and copies of stores.
@Suite struct StackSeedTests {
  private let folder: TemporaryFolder
  private let bundle: Bundle
  private let data: URL

  /// A bundle with a model document and a store of one object.
  init() throws {
    folder = try TemporaryFolder()
    let resources = folder.file("Resources")
    data = folder.file("Data")
    let document = resources.appending(path: "Demo.xcdatamodel")
    for folder in [document, data] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    try Data(Self.document("name").utf8).write(to: document.appending(path: "contents"))
    bundle = try #require(Bundle(path: resources.path))
    try seed(attribute: "name")
  }

  private static func document(_ attribute: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      <entity name="Thing">
        <attribute name="id" optional="YES" attributeType="Integer 64"/>
        <attribute name="\(attribute)" optional="YES" attributeType="String"/>
      </entity>
    </model>
    """
  }

  private func model(_ attribute: String = "name") throws -> ManagedObjectModel {
    try ManagedObjectModel([EntityDraft("Thing", ["id", .attribute(attribute, .string)])])
  }

  private var seedURL: URL { bundle.bundleURL.appending(path: "Demo.sqlite") }
  private var url: URL { data.appending(path: "Demo.sqlite") }

  private func seed(attribute: String) throws {
    try DataStack.destroyStore(at: seedURL)
    let stack = try DataStack(model: model(attribute), store: .sqlite(seedURL))
    try insert(1, stack)
    try stack.close()
  }

  private func insert(_ id: Int64, _ stack: DataStack) throws {
    try stack.edit { try $0.insert(entityNamed: "Thing")["id"] = id }
  }

  private func ids(_ stack: DataStack) throws -> [Int64] {
    return try stack.inBackground { context in
      try context.fetch(Fetch<ManagedObject>(entityNamed: "Thing")).compactMap {
        $0["id"] as? Int64
      }
    }
  }

  private func open(_ storeName: String? = nil) throws -> DataStack {
    try DataStack(modelName: "Demo", bundle: bundle, storeName: storeName, containerURL: data)
  }

  @Test func aNewStoreBeginsWithTheOneInTheBundle() throws {
    let stack = try open()
    #expect(stack.storeURL == url)
    #expect(try ids(stack) == [1])
    try insert(2, stack)
    try stack.close()
    #expect(try ids(open()) == [1, 2])
    // The original is as it was, for another name.
    #expect(try ids(open("Other")) == [1])
  }

  /// As SwiftPM puts the resources of each target into a bundle beside the program.
  @Test func resourcesOfPackagesAreFoundUnlessTwoHaveThem() throws {
    let files = FileManager.default
    let program = folder.file("Program")
    let package = program.appending(path: "App_Demo.resources")
    try files.createDirectory(at: program, withIntermediateDirectories: true)
    try files.copyItem(at: bundle.bundleURL, to: package)
    func open() throws -> DataStack {
      try DataStack(
        modelName: "Demo", bundle: #require(Bundle(path: program.path)), containerURL: data)
    }
    let stack = try open()
    #expect(try ids(stack) == [1])
    try stack.close()
    try files.copyItem(at: package, to: program.appending(path: "Other_Demo.resources"))
    let error = #expect(throws: GraphError.self) { try open() }
    #expect(error?.code == .modelNotFound)
    #expect(error?.message.contains("Other_Demo.resources") == true)
  }

  @Test func oneThatIsThereStays() throws {
    let stack = try DataStack(model: model(), store: .sqlite(url))
    try insert(7, stack)
    try stack.close()
    #expect(try ids(open()) == [7])
  }

  @Test func afterADropTheStoreIsEmpty() throws {
    let stack = try open()
    try { try stack.drop() }()
    #expect(try ids(stack) == [])
  }

  @Test func aReadOnlyOriginalGivesAStoreThatCanBeWritten() throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: NSNumber(value: 0o444)], ofItemAtPath: seedURL.path)
    let stack = try open()
    try insert(2, stack)
    #expect(try ids(stack) == [1, 2])
    let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions]
    #expect((mode as? NSNumber)?.intValue == 0o644)
  }

  @Test func anOriginalOfAnOlderModelIsMigrated() throws {
    try seed(attribute: "title")
    let stack = try open()
    #expect(try ids(stack) == [1])
    #expect(stack.model.entity(named: "Thing")?.attribute(named: "name") != nil)
  }

  @Test func anOriginalThatWasNotClosedComesWithItsLog() throws {
    let source = try DataStack(model: model(), store: .sqlite(seedURL))
    try insert(2, source)
    #expect(FileManager.default.fileExists(atPath: seedURL.path + "-wal"))
    try DataStack.copyStore(from: seedURL, to: url)
    #expect(try ids(DataStack(model: model(), store: .sqlite(url))) == [1, 2])
    try source.close()
  }

  @Test(arguments: [true, false]) func aStoreInUseIsCopiedAsItWasCommitted(inMemory: Bool) throws {
    let stack = try DataStack(
      model: model(), store: inMemory ? .inMemory : .sqlite(folder.file("app.sqlite")))
    try insert(5, stack)
    let context = stack.newBackgroundContext()
    _ = try context.performAndWait { try context.insert(entityNamed: "Thing").objectID }
    try stack.copyStore(to: url)
    #expect(try ids(DataStack(model: model(), store: .sqlite(url))) == [5])
    try insert(6, stack)
    #expect(try ids(stack) == [5, 6])
    try stack.close()
    #expect(throws: StoreError.self) { try stack.copyStore(to: data.appending(path: "b")) }
  }

  @Test func nothingIsEverOverwritten() throws {
    try Data("mine".utf8).write(to: url)
    let stack = try DataStack(model: model(), store: .inMemory)
    let missing = data.appending(path: "missing").appending(path: "a.sqlite")
    for copy in [
      { try DataStack.copyStore(from: seedURL, to: url) }, { try stack.copyStore(to: url) },
      { try DataStack.copyStore(from: data.appending(path: "none"), to: missing) },
    ] as [() throws -> Void] {
      #expect(throws: StoreError.self) { try copy() }
    }
    #expect(try Data(contentsOf: url) == Data("mine".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: data.path) == ["Demo.sqlite"])
  }
}
