import Foundation
import SyncStore
import TestSupport
import Testing

/// Stores that released versions wrote open and migrate for ever.
@Suite struct GoldenStoreTests {
  private static let target = ProcessInfo.processInfo.environment["SYNCSTACK_WRITE_GOLDEN"]

  /// Not a test: writes the store of the current format, when asked to.
  @Test(.enabled(if: target != nil)) func writesTheStoreOfTheCurrentFormat() throws {
    let folder = URL(fileURLWithPath: try #require(GoldenStoreTests.target))
    let golden = try GoldenStore(GoldenStore.currentFormat, in: folder)
    if !golden.isWritten { try golden.write() }
  }

  @Test func everyFormatHasOne() throws {
    #expect(GoldenStore.formats.contains(GoldenStore.currentFormat))
    for format in GoldenStore.formats { #expect(try GoldenStore(format).isWritten) }
  }

  @Test(arguments: GoldenStore.formats) func itOpensWithItsModel(_ format: Int) throws {
    let golden = try GoldenStore(format)
    let scene = try MigrationScene()
    try golden.copy(to: scene.url)
    let content = try golden.content()
    try scene.open(golden.model(), scene.set { $0.migration = .refuse }) { store in
      let found = try GoldenStore.content(of: store)
      #expect(found == content)
    }
    #expect(
      try Store.keptModel(at: scene.url).storageDescription == golden.model().storageDescription)
  }

  @Test(arguments: GoldenStore.formats) func aStoreOfEveryFormatMigrates(_ format: Int) throws {
    let golden = try GoldenStore(format)
    let scene = try MigrationScene()
    try golden.copy(to: scene.url)
    let model = try ManagedObjectModel([
      "abstract Being: born date",
      EntityDraft(
        "Person",
        [
          "title required was name", "things ->> Thing.owners ordered was items",
          "friends ->> Person.friends",
        ], superentity: "Being", renamingIdentifier: "Owner"),
      EntityDraft(
        "Thing",
        [
          "id string", "boolean", "decimal",
          .attribute("level", .integer16, isOptional: false, defaultValue: 1),
          "owners ->> Person.things was owner", "twin -> Thing.twin",
        ], renamingIdentifier: "Item"),
    ])
    try scene.open(model) { store in
      let graph = try store.graph()
      #expect(
        graph.map { $0.replacing(#/ (boolean|decimal)=[^ ]*/#, with: "") } == [
          "Person 1 v1 title=Ann things=[1] friends=[3]", "Person 2 v1 title=Bob things=[2]",
          "Person 3 v1 title=Zoë friends=[1]", "Thing 1 v3 id=1 level=1 owners=[1] twin=2",
          "Thing 2 v3 id=2 level=1 owners=[2] twin=1",
        ])
      try expectMadeLikeNew(store)
      let (rows, _) = try store.write { try $0.insert("Thing", [["id": "9", "level": 2]]) }
      #expect(rows == [5])
    }
  }
}
