import Foundation
import SyncCore

extension StoreReader {
  /// Whether any sync was ever left open in the store.
  var hasOpenSyncs: Bool {
    get throws {
      try connection.scalar(
        "SELECT count(*) FROM sqlite_master WHERE name = '_syncstack_open_syncs'") == 1
    }
  }

  /// The open sync of that kind and name, or nil.
  package func openSync(_ kind: String, _ name: String) throws -> OpenSync? {
    try openSyncs(kind, name).first
  }

  /// All open syncs of a kind, by name.
  package func openSyncs(_ kind: String) throws -> [OpenSync] { try openSyncs(kind, nil) }

  private func openSyncs(_ kind: String, _ name: String?) throws -> [OpenSync] {
    try prepareToRead()
    guard try hasOpenSyncs else { return [] }
    return try connection.all(
      "SELECT id, name, revision, head FROM _syncstack_open_syncs "
        + "WHERE kind = ?1 AND (?2 IS NULL OR name = ?2) ORDER BY name", [kind, name]
    ) { statement in
      OpenSync(
        id: statement.integer(0), kind: kind, name: statement.text(1),
        revision: statement.integer(2), head: Data(statement.bytes(3)))
    }
  }

  // MARK: - The parts of one

  /// Shows the sets of row numbers, page by page.
  package func readRows(of sync: OpenSync, _ body: (OpenSync.RowPage) throws -> Void) throws {
    try connection.eachRow(
      "SELECT name, page, bits FROM _syncstack_open_rows WHERE sync = ?", [sync.id]
    ) { statement in
      let bytes = statement.bytes(2)
      let words = (0..<bytes.count / 8).map {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
      }
      let page = statement.integer(1)
      guard RowSet.pieces.contains(page) else { throw damaged("rows", sync, "page", page) }
      try body(OpenSync.RowPage(set: statement.text(0), page: Int(page), words: words))
    }
  }

  /// Shows the members of lists, by list and row.
  package func readMembers(of sync: OpenSync, _ body: (OpenSync.Member) throws -> Void) throws {
    try connection.eachRow(
      "SELECT list, member, value FROM _syncstack_open_members WHERE sync = ?", [sync.id]
    ) { statement in
      let (row, value) = (statement.integer(1), statement.integer(2))
      guard RowNumber.isValid(row) else { throw damaged("members", sync, "member", row) }
      guard value.isCountable else { throw damaged("members", sync, "value", value) }
      try body(OpenSync.Member(list: statement.text(0), row: row, value: value))
    }
  }

  /// Shows the references in the order in which they came.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` when one cannot be read.
  package func readReferences(
    of sync: OpenSync, _ body: (OpenSync.Reference) throws -> Void
  ) throws {
    try connection.eachRow(
      "SELECT number, owner, entity, relationship, destination, object_key, owner_key, position, "
        + "flags FROM _syncstack_open_references WHERE sync = ? ORDER BY number", [sync.id]
    ) { statement in
      let (number, owner) = (statement.integer(0), statement.integer(1))
      guard number.isCountable else { throw damaged("references", sync, "number", number) }
      guard RowNumber.isValid(owner) else { throw damaged("references", sync, "owner", owner) }
      let position = statement.integer(7)
      guard position.isCountable else { throw damaged("references", sync, "position", position) }
      guard let key = Value(archive: Data(statement.bytes(5))) else {
        throw StoreError.damaged(
          "_syncstack_open_references", "reference \(number) of “\(sync.name)”",
          "object_key cannot be read")
      }
      try body(
        OpenSync.Reference(
          number: number, owner: owner,
          ownerEntity: statement.text(2), relationship: statement.text(3),
          destination: statement.text(4), key: key, ownerKey: statement.text(6),
          position: position, flags: statement.integer(8)))
    }
  }

  private func damaged(
    _ part: String, _ sync: OpenSync, _ column: String, _ value: Int64
  ) -> StoreError {
    .damaged("_syncstack_open_\(part)", "a row of “\(sync.name)”", column, value)
  }

  /// The pages with names, in order.
  package func pages(of sync: OpenSync) throws -> [OpenSync.Page] {
    try prepared.all(
      "SELECT name, stored, begun, mark FROM _syncstack_open_pages WHERE sync = ? ORDER BY name",
      [sync.id]
    ) { statement in
      OpenSync.Page(
        name: statement.text(0), isStored: statement.integer(1) == 1,
        isBegun: statement.integer(2) == 1, mark: statement.optionalText(3))
    }
  }
}
