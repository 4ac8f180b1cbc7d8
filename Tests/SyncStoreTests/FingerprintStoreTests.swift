import SyncStore
import TestSupport
import Testing

/// The sets of fingerprints that a store keeps.
@Suite struct FingerprintStoreTests {
  private let key = ContentFingerprint("users")

  private func keep(
    _ store: Store, _ key: ContentFingerprint, about entities: [String] = ["User", "Note"]
  ) throws {
    let tables = StoreTransaction.fingerprintTables(
      try entities.map { try store.model.requireEntity(named: $0) })
    try store.write { transaction in
      let id = try transaction.makeFingerprintSet(key)
      try [UInt8(1), 2, 3].withUnsafeBytes { try transaction.writeFingerprints(0, of: id, $0) }
      try transaction.keepFingerprints(
        KeptFingerprintSet(id: id, key: key, head: [9], tables: tables))
    }
  }

  private func insert(_ store: Store, _ name: String) throws -> Int64 {
    let entity = try store.model.requireEntity(named: name)
    return try store.write { transaction in
      let row = try transaction.reserveRows(1, in: entity)
      let block = RowBlock(width: entity.properties.count, capacity: 1)
      _ = block.append()
      try transaction.insert(block, of: entity, indexes: [0], rows: [row])
      return row
    }.0
  }

  private func changes(_ store: Store, _ key: ContentFingerprint) throws -> [FingerprintChange]? {
    try store.read { reader in
      let kept = try reader.fingerprintSet(key)
      let set = try #require(kept)
      return try reader.fingerprintChanges(after: set.generation)
    }
  }

  @Test func aSetComesBackAsItWasKept() throws {
    let store = try Store(model: TestModels.social(), configuration: .init(.memory))
    try keep(store, key)
    try store.read { reader in
      let kept = try reader.fingerprintSet(key)
      let set = try #require(kept)
      #expect(set.head == [9])
      var parts: [[UInt8]] = []
      try reader.readFingerprints(of: set.id) { parts.append(Array($1)) }
      #expect(parts == [[1, 2, 3]])
      let other = try reader.fingerprintSet(ContentFingerprint("others"))
      #expect(other == nil)
    }
  }

  @Test func changesOfItsTablesAreLogged() throws {
    let store = try Store(model: TestModels.social(), configuration: .init(.memory))
    try keep(store, key)
    #expect(try changes(store, key)?.isEmpty == true)
    let row = try insert(store, "Note")
    _ = try insert(store, "Company")
    let note = try store.model.requireEntity(named: "Note").rootIndex
    #expect(try changes(store, key) == [FingerprintChange(table: note, row: row, kind: .inserted)])
    try keep(store, key)
    #expect(try changes(store, key)?.isEmpty == true)
  }

  @Test func theOldestSetsGo() throws {
    let store = try Store(model: TestModels.social(), configuration: .init(.memory))
    for number in 0..<70 {
      try keep(store, ContentFingerprint("\(number)"))
      _ = try insert(store, "Note")
    }
    try store.read { reader in
      let sets = try [0, 69].map { try reader.fingerprintSet(ContentFingerprint("\($0)")) }
      #expect(sets[0] == nil)
      #expect(sets[1] != nil)
    }
  }
}
