import Foundation
import SyncStore
import TestSupport
import Testing

/// The error for an obstacle of a store names its place and a way out, and changes nothing.
@Suite struct StoreErrorTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ url: URL? = nil, model: ManagedObjectModel? = nil,
    configure: (inout Store.Configuration) -> Void = { _ in }
  ) throws -> Store {
    var configuration = Store.Configuration(.file(url ?? folder.file()))
    configure(&configuration)
    return try Store(model: model ?? TestModels.userNotes(), configuration: configuration)
  }

  private func code(_ url: URL? = nil, model: ManagedObjectModel? = nil) -> StoreError? {
    #expect(throws: StoreError.self) { _ = try open(url, model: model) }
  }

  @Test func aPathBelowARegularFile() throws {
    try Data("x".utf8).write(to: folder.file("plain"))
    let error = code(folder.file("plain").appending(path: "deep/test.sqlite"))
    #expect(error?.code == .cannotOpen)
    #expect(error?.message.contains("plain is a file, not a folder") == true)
  }

  @Test func foldersThatAreMissingAreMade() throws {
    let url = folder.file("missing/deep/test.sqlite")
    let copy = folder.file("other/copy.sqlite")
    let store = try open(url)
    try store.copy(to: copy)
    try store.close()
    try Store.copy(from: url, to: folder.file("third/copy.sqlite"))
    try open(copy).close()
  }

  @Test func aStoreThatIsOnlyReadMakesNoFolder() {
    #expect(throws: StoreError.self) {
      _ = try open(folder.file("missing/test.sqlite")) { $0.isReadOnly = true }
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("missing").path))
  }

  @Test func aFolderThatCannotBeMade() {
    let error = code(folder.file("\(String(repeating: "n", count: 300))/test.sqlite"))
    #expect(error?.code == .cannotOpen && error?.message.contains("cannot be made") == true)
  }

  @Test func aFolderInPlaceOfTheFile() {
    #expect(code(folder.url)?.code == .cannotOpen)
  }

  @Test func aFileThatIsNoDatabaseStaysAsItIs() throws {
    let data = Data(String(repeating: "no database at all\n", count: 100).utf8)
    try data.write(to: folder.file())
    let error = code()
    #expect(error?.code == .notADatabase && error?.message.contains(folder.file().path) == true)
    #expect(try Data(contentsOf: folder.file()) == data)
  }

  @Test func aStoreOfAnotherModelNamesTheDifferences() throws {
    try open().close()
    let other = try ManagedObjectModel(["User: id string, nick", "Place: id"])
    let error = #expect(throws: StoreError.self) {
      _ = try open(model: other) { $0.migration = .refuse }
    }
    #expect(error?.code == .migrationNeeded)
    for part in ["“Note”", "“Place”", "“User.id” is Integer 64 in the store and String"] {
      #expect(error?.message.contains(part) == true, "\(part) in \(error?.message ?? "")")
    }
    try open().close()
  }

  @Test func aModelThatOnlyIndexesDifferentlyIsTakenOver() throws {
    func model(_ indexes: [FetchIndexDescription], isOptional: Bool) throws -> ManagedObjectModel {
      try ManagedObjectModel([
        EntityDraft(
          "User", ["id", .attribute("name", .string, isOptional: isOptional)], indexes: indexes)
      ])
    }
    let byName = FetchIndexDescription(name: "byName", elements: [.init(property: "name")])
    let store = try open(model: model([], isOptional: true))
    try store.write { try $0.insert("User", [["id": 1, "name": "a"]]) }
    try store.close()
    let second = try open(model: model([byName], isOptional: false))
    #expect(try second.read { try $0.indexNames() } == ["User_byName_index", "User_id_index"])
    try second.close()
    let third = try open(model: model([], isOptional: true))
    #expect(try third.read { try $0.indexNames() } == ["User_id_index"])
    #expect(try third.read { try $0.dump()["User"]?.count } == 1)
    try third.close()
  }

  @Test func aFullStoreKeepsWhatItHas() throws {
    let store = try open { $0.maximumPageCount = 40 }
    try store.write { try $0.insert("User", [["id": 1]]) }
    let before = try store.read { try $0.dump() }
    let error = #expect(throws: StoreError.self) {
      try store.write { transaction in
        let text = Value.string(String(repeating: "x", count: 1000))
        try transaction.insert("User", (2..<1000).map { ["id": .int($0), "name": text] })
      }
    }
    #expect(error?.code == .full && error?.entity == "User")
    #expect(try store.read { try $0.dump() } == before)
    try store.write { try $0.insert("User", [["id": 2]]) }
    try store.close()
  }

  @Test func aSecondWriterThatWaitsTooLongIsToldSo() throws {
    let first = try open()
    let second = try open { $0.busyTimeout = 0 }
    try first.write { transaction in
      try transaction.insert("User", [["id": 1]])
      #expect {
        try second.write { try $0.insert("User", [["id": 2]]) }
      } throws: { ($0 as? StoreError)?.code == .busy }
    }
    try second.write { try $0.insert("User", [["id": 2]]) }
    #expect(try first.read { try $0.dump()["User"]?.count } == 2)
    try first.close()
    try second.close()
  }

  @Test func twoWritersOfOneFileNeverGiveOutARowOrGenerationTwice() throws {
    let stores = [try open(), try open()]
    var rows: [Int64] = []
    var generations: [Int64] = []
    for id in 0..<6 {
      let (row, changes) = try stores[id % 2].write {
        try $0.insert("User", [["id": .int(Int64(id))]])
      }
      rows += row
      generations.append(changes.generation)
    }
    #expect(rows == [1, 2, 3, 4, 5, 6])
    #expect(generations == [1, 2, 3, 4, 5, 6])
    for store in stores { try store.close() }
  }

  @Test func aReadOnlyStoreIsReadAndNotWritten() throws {
    let error = #expect(throws: StoreError.self) { _ = try open { $0.isReadOnly = true } }
    #expect(error?.code == .cannotOpen)
    let store = try open()
    try store.write { try $0.insert("User", [["id": 1]]) }
    try store.close()
    let reader = try open { $0.isReadOnly = true }
    #expect(try reader.read { try $0.dump()["User"]?.count } == 1)
    #expect(throws: StoreError.self) { try reader.write { _ in } }
    try reader.close()
  }

  @Test(arguments: StoreKind.allCases) func aClosedStoreSaysSo(_ kind: StoreKind) throws {
    let store = try TemporaryStore(TestModels.users(), kind).store
    try store.close()
    try store.close()
    let read = #expect(throws: StoreError.self) { try store.read { _ in } }
    let write = #expect(throws: StoreError.self) { try store.write { _ in } }
    #expect(read?.code == .closed && write?.code == .closed)
  }

  @Test func destroyingRemovesTheFiles() throws {
    let store = try open()
    try store.write { try $0.insert("User", [["id": 1]]) }
    try store.destroy()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test(arguments: [Store.Configuration.Journal.writeAheadLog, .rollback])
  func everyJournalKeepsTheData(_ journal: Store.Configuration.Journal) throws {
    for id in 1...2 {
      let store = try open {
        $0.journal = journal
        $0.durability = .full
      }
      try store.write { try $0.insert("User", [["id": .int(Int64(id))]]) }
      #expect(try store.read { try $0.dump()["User"]?.count } == id)
      try store.close()
    }
  }

  @Test func aWriteInsideAWriteStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      let store = try TemporaryStore(TestModels.users()).store
      try store.write { _ in _ = try store.write { _ in } }
    }
  }
}
