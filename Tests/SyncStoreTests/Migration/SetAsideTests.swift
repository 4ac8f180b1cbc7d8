import Foundation
import TestSupport
import Testing

@testable import SyncStore

/// A migration moves small tables aside by copying them, because SQLite parses the whole schema to
/// rename one, and large ones by renaming them. The outcome is the same.
@Suite struct SetAsideTests {
  private static func model(_ count: Int, isNew: Bool) throws -> ManagedObjectModel {
    let new: [PropertyDraft] = isNew ? [.attribute("added", .string)] : []
    return try ManagedObjectModel(
      (0..<count).map { number in
        EntityDraft(
          "E\(number)",
          [
            .attribute("id", .integer64), .attribute("price", .decimal),
            .toMany("members", to: "E\(number)", inverse: "owner", isOrdered: true),
            .toOne("owner", to: "E\(number)", inverse: "members"),
            .toMany(
              "friends", to: "E\((number + 1) % count)", inverse: "admirers", isOrdered: isNew),
            .toMany("admirers", to: "E\((number + count - 1) % count)", inverse: "friends"),
          ] + new)
      })
  }

  private func fill(_ store: Store, _ rows: Int) throws {
    try store.write { transaction in
      for entity in store.model.entities {
        try transaction.insert(
          entity.name,
          (1...rows).map {
            ["id": .int(Int64($0)), "price": .decimal(1.5), "owner": .int(Int64($0 % 3 + 1))]
          })
        try transaction.addLinks(
          #require(entity.relationship(named: "friends")), of: entity,
          pairs: (1...Int64(rows)).map { ($0, $0 % 3 + 1) })
      }
    }
  }

  @Test(arguments: [(3, 5, 0), (3, 400, 6)])
  func bothWaysKeepEverything(_ count: Int, _ rows: Int, _ renamed: Int) throws {
    let scene = try MigrationScene()
    let old = try SetAsideTests.model(count, isNew: false)
    let new = try SetAsideTests.model(count, isNew: true)
    let graph = try scene.open(old) { store in
      try fill(store, rows)
      return try store.graph()
    }
    #expect(try renames(scene, old, new) == renamed)
    try scene.open(new) { store in
      #expect(try store.graph() == graph)
      let fresh = try TemporaryStore(new)
      let schema = try fresh.store.read { try $0.schema() }
      #expect(try store.read { try $0.schema() } == schema)
      let tables = try store.read { try $0.dump().keys.sorted() }
      #expect(tables.filter { $0.hasPrefix("_syncstack_old") } == [])
    }
  }

  /// How many tables are renamed on the way to a new model.
  private func renames(
    _ scene: MigrationScene, _ old: ManagedObjectModel, _ new: ManagedObjectModel
  ) throws -> Int {
    let recorder = StatementRecorder()
    let connection = try Connection(path: scene.url.path, options: .init(), recorder: recorder)
    defer { connection.close() }
    let migration = SchemaMigration(
      ModelMatch(from: old, to: new), old: TableLayout(model: old), new: TableLayout(model: new))
    try connection.beginImmediate()
    let statements = try recorder.record { try migration.run(on: connection) { _ in } }
    try connection.rollback()
    return statements.filter { $0.hasPrefix("ALTER TABLE") }.count
  }
}
