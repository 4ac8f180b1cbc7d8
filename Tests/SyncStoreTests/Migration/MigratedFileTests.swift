import Foundation
import SyncStore
import TestSupport
import Testing

/// The effects of a migration on the file and beside it.
@Suite struct MigratedFileTests {
  private let scene: MigrationScene
  private static let before = MigrationStepTests.oneToMany
  private static let after = [
    EntityDraft(
      "Thing",
      [
        MigrationStepTests.id, .toOne("owner", to: "Owner", inverse: "items"),
        .attribute("label", .string, defaultValue: "new"),
      ], renamingIdentifier: "Item"),
    EntityDraft("Owner", [MigrationStepTests.id, .toMany("items", to: "Thing", inverse: "owner")]),
  ]
  private let old: ManagedObjectModel
  private let new: ManagedObjectModel

  init() throws {
    scene = try MigrationScene()
    old = try ManagedObjectModel(MigratedFileTests.before)
    new = try ManagedObjectModel(MigratedFileTests.after)
    try scene.open(old) { try MigrationStepTests.fillItems($0) }
  }

  // MARK: - Copies

  @Test func aCopyOfTheOldFileStaysBesideIt() throws {
    let graph = try scene.open(old) { try $0.graph() }
    try scene.open(new) { _ in }
    let copy = "test.sqlite.backup-\(old.versionHash)"
    #expect(try scene.files() == ["test.sqlite", copy])
    var configuration = Store.Configuration(.file(scene.folder.file(copy)))
    configuration.migration = .refuse
    let store = try Store(model: old, configuration: configuration)
    #expect(try store.graph() == graph)
    try store.close()
  }

  @Test func onlyTheLastCopyIsKept() throws {
    try scene.open(new) { _ in }
    let third = try ManagedObjectModel([EntityDraft("Owner", [MigrationStepTests.id])])
    try scene.open(third) { _ in }
    #expect(try scene.files() == ["test.sqlite", "test.sqlite.backup-\(new.versionHash)"])
  }

  @Test func theCopyHasWhatWasStillInTheLog() throws {
    let folder = try TemporaryFolder()
    let graph = try scene.open(old) { store in
      try store.write { try $0.insert("Owner", [["id": 9]]) }
      // The files of a store that was not closed.
      for name in ["test.sqlite", "test.sqlite-wal"] {
        try FileManager.default.copyItem(at: scene.folder.file(name), to: folder.file(name))
      }
      return try store.graph()
    }
    #expect(FileManager.default.fileExists(atPath: folder.file("test.sqlite-wal").path))
    let store = try Store(model: new, configuration: .init(.file(folder.file())))
    #expect(try store.graph().count == graph.count)
    try store.close()
    let copy = folder.file("test.sqlite.backup-\(old.versionHash)")
    let kept = try Store(model: old, configuration: .init(.file(copy)))
    #expect(try kept.graph() == graph)
    try kept.close()
  }

  @Test func ofTheCopiesAHalfWrittenOneCanBeRemoved() throws {
    try scene.open(new) { _ in }
    let copy = "test.sqlite.backup-\(old.versionHash)"
    for ending in [".part", ".part-journal"] {
      try Data().write(to: scene.folder.file(copy + ending))
    }
    Store.removeUnfinishedCopy(of: scene.url)
    #expect(try scene.files() == ["test.sqlite", copy])
  }

  @Test func whatOnlyIndexesDifferentlyIsNotCopied() throws {
    var indexed = MigratedFileTests.before
    indexed[0].indexes = [.init(name: "i", elements: [.init(property: "id", ascending: false)])]
    try scene.open(ManagedObjectModel(indexed), scene.set { $0.migration = .refuse }) {
      try expectMadeLikeNew($0)
    }
    #expect(try scene.files() == ["test.sqlite"])
  }

  @Test func removingAStoreRemovesItsCopies() throws {
    try Store(model: new, configuration: .init(.file(scene.url))).destroy()
    #expect(try scene.files() == [])
  }

  // MARK: - Failing

  /// Every step of a migration in turn is the last one that is reached.
  @Test(arguments: [Store.Configuration.Journal.writeAheadLog, .rollback])
  func aMigrationThatIsStoppedAnywhereLeavesTheFileAsItWas(
    _ journal: Store.Configuration.Journal
  ) throws {
    struct Stop: Error {}
    try scene.open(old, scene.set { $0.journal = journal }) { _ in }
    let bytes = try Data(contentsOf: scene.url)
    var stops = 0
    while true {
      let limit = stops
      let count = Counter()
      do {
        try scene.open(
          new,
          scene.set {
            $0.journal = journal
            $0.willMigrate = { _ in if count.next() == limit { throw Stop() } }
          }
        ) { _ in }
        break
      } catch is Stop {
        stops += 1
        #expect(try Data(contentsOf: scene.url) == bytes)
        #expect(try scene.files() == ["test.sqlite"])
      }
    }
    #expect(stops >= 6)
    try scene.open(new, scene.set { $0.migration = .refuse }) { try expectMadeLikeNew($0) }
  }

  @Test func aSizeLimitThatIsTooSmallLeavesTheFileAsItWas() throws {
    try scene.open(old) { store in
      try store.write { transaction in
        try transaction.insert("Owner", (0..<2000).map { ["id": .int($0)] })
      }
    }
    let pages = try Data(contentsOf: scene.url).count / 4096
    var changed = MigratedFileTests.before
    changed[0].properties.append(
      .attribute("text", .string, defaultValue: .string(String(repeating: "x", count: 500))))
    let error = try scene.refusal(
      ManagedObjectModel(changed), scene.set { $0.maximumPageCount = pages + 4 })
    #expect(error?.code == .full)
  }

  @Test func aNewConstraintThatDoesNotHoldNamesTheObjects() throws {
    try scene.open(old) { store in
      try store.write { try $0.insert("Owner", [["id": 5], ["id": 5], ["id": 5]]) }
    }
    var unique = MigratedFileTests.before
    unique[0].uniquenessConstraints = [["id"]]
    let error = try scene.refusal(ManagedObjectModel(unique))
    #expect(error?.code == .notUnique && error?.keys == [5, 5, 5])
    #expect(error?.message.contains("Owner 5 and Owner 5 and Owner 5 have the same id “5”") == true)
  }

  @Test func readingOnlyDoesNotMigrate() throws {
    let error = try scene.refusal(new, scene.set { $0.isReadOnly = true })
    #expect(error?.code == .migrationNeeded)
    for part in ["“Thing” was “Item”", "“Thing.label” is added", "reading only"] {
      #expect(error?.message.contains(part) == true)
    }
  }

  @Test func migrationCanBeRefused() throws {
    let error = try scene.refusal(new, scene.set { $0.migration = .refuse })
    #expect(error?.code == .migrationNeeded)
    #expect(error?.message.contains("“Thing” was “Item”") == true)
  }

  /// Changes of the model after which the tables are the same.
  @Test(arguments: ["constraint", "required", "renamed"])
  func whatLeavesTheTablesAloneIsRefusedToo(_ change: String) throws {
    let id = MigrationStepTests.id
    let before = [EntityDraft("Base", [id, .attribute("name", .string)]), "Below < Base: note"]
    let scene = try MigrationScene()
    try scene.open(ManagedObjectModel(before)) { _ in }
    var after = before
    switch change {
    case "constraint": after[0].uniquenessConstraints = [["name"]]
    case "required": after[0].properties[1] = .attribute("name", .string, isOptional: false)
    default:
      after[1] = EntityDraft("Lower", ["note"], superentity: "Base", renamingIdentifier: "Below")
    }
    let new = try ManagedObjectModel(after)
    let error = try scene.refusal(new, scene.set { $0.migration = .refuse })
    #expect(error?.code == .migrationNeeded)
    try scene.open(new) { _ in }
    try scene.open(new, scene.set { $0.migration = .refuse }) { _ in }
  }

  // MARK: - Afterwards

  @Test func rowNumbersGoOnAndAreNeverUsedAgain() throws {
    let entity = try old.requireEntity(named: "Item")
    try scene.open(old) { store in try store.write { _ = try $0.delete([3], of: entity) } }
    try scene.open(new) { store in
      let (rows, _) = try store.write {
        (try $0.insert("Thing", [["id": 4]]), try $0.insert("Owner", [["id": 3]]))
      }
      #expect(rows.0 == [4])
      #expect(rows.1 == [3])
    }
    // Not even when an entity goes and comes back.
    let without = try ManagedObjectModel([EntityDraft("Owner", [MigrationStepTests.id])])
    try scene.open(without) { _ in }
    try scene.open(new) { store in
      let (rows, _) = try store.write {
        (try $0.insert("Thing", [["id": 4]]), try $0.insert("Owner", [["id": 3]]))
      }
      #expect(rows.0 == [5])
      #expect(rows.1 == [4])
    }
  }

  @Test func entitiesThatPartGoOnFromTheSameNumber() throws {
    let scene = try MigrationScene()
    try scene.open(MigrationStepTests.animals) { try MigrationStepTests.fillAnimals($0) }
    let parted = MigrationStepTests.animals { $0[2].superentityName = nil }
    try scene.open(parted) { store in
      let (rows, _) = try store.write {
        (try $0.insert("Cat", [["id": 1]]), try $0.insert("Dog", [["breed": "x"]]))
      }
      #expect(rows.0 == [4])
      #expect(rows.1 == [4])
    }
  }

  @Test func deletingFollowsTheMigratedLinks() throws {
    try scene.open(new) { store in
      let owner = try store.model.requireEntity(named: "Owner")
      let (_, changes) = try store.write { _ = try $0.delete([1], of: owner) }
      #expect(changes.summary == "Thing +[] ~[1: owner, 3: owner] -[]; Owner +[] ~[] -[1]")
    }
  }

  @Test func theHistoryIsReadUnderTheNewNames() throws {
    func draft(_ entity: String, _ label: PropertyDraft, was: String? = nil) -> [EntityDraft] {
      [
        EntityDraft(
          entity, [.attribute("id", .integer64, renamingIdentifier: nil), label],
          renamingIdentifier: was),
        EntityDraft("Gone", [MigrationStepTests.id]),
      ]
    }
    let scene = try MigrationScene()
    let first = try ManagedObjectModel(draft("Item", .attribute("name", .string)))
    try scene.open(first, scene.set { $0.keepsHistory = true }) { store in
      try store.write { try $0.insert("Item", [["id": 7], ["id": 8]]) }
      try store.write { try $0.update("Item", 1, ["name": "a"]) }
      try store.write { try $0.delete("Item", [2]) }
      try store.write { try $0.insert("Gone", [["id": 1]]) }
    }
    var renamed = draft(
      "Thing", .attribute("title", .string, renamingIdentifier: "name"), was: "Item")
    renamed.removeLast()
    renamed[0].properties[0] = .attribute("id", .string)
    try scene.open(ManagedObjectModel(renamed)) { store in
      try store.write { try $0.update("Thing", 1, ["title": "b"]) }
      let history = try store.read { try $0.history() }
      let changes = history.flatMap(\.changes)
      #expect(changes.map(\.entity) == ["Thing", "Thing", "Thing", "Thing", "Gone", "Thing"])
      #expect(changes.map(\.row) == [1, 2, 1, 2, 1, 1])
      #expect(changes.map(\.properties) == [[], [], ["title"], [], [], ["title"]])
      #expect(changes[3].tombstone == ["id": "8"])
    }
  }

  @Test func theNumbersOfCommitsGoOn() throws {
    let last = try scene.open(old) { store in
      try store.write { try $0.insert("Owner", [["id": 9]]) }.1.generation
    }
    try scene.open(new) { store in
      let (_, changes) = try store.write { try $0.insert("Owner", [["id": 9]]) }
      #expect(changes.generation == last + 1)
    }
  }
}

/// Counts calls, from any thread.
private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var value = -1

  func next() -> Int {
    lock.withLock {
      value += 1
      return value
    }
  }
}
