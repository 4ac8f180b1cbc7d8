package import Foundation
package import SyncCore

/// A sync that is not over: a page session that is kept, or one with a commit per batch that was
/// stopped. The claims of its parts stand in tables beside the rows, written in the transaction of
/// their part:
///
/// ```
/// _syncstack_open_syncs        one row each: kind, name, how often it was written to, and a small head
/// _syncstack_open_rows         sets of row numbers by name, in pages of 4,096 bits
/// _syncstack_open_members      members that a list left out, and orders of members
/// _syncstack_open_references   keys that no object had
/// _syncstack_open_pages        the pages of a session that have names
/// ```
///
/// The writes of a part follow its own claims, however large those of the parts before are. The
/// tables are made when the first such sync is kept. The engine decides their content.
package struct OpenSync: Hashable, Sendable {
  package let id: Int64
  package let kind: String
  package let name: String

  /// Counts the writes, so that a copy in memory shows whether it is the latest.
  package let revision: Int64
  package let head: Data

  /// Bits of a set of row numbers: 64 rows to a word.
  package struct RowPage {
    package let set: String
    package let page: Int
    package let words: [UInt64]

    package init(set: String, page: Int, words: [UInt64]) {
      self.set = set
      self.page = page
      self.words = words
    }
  }

  /// A row in a list, and the row or the number that it is noted with.
  package struct Member {
    package let list: String
    package let row: Int64
    package let value: Int64

    package init(list: String, row: Int64, value: Int64) {
      self.list = list
      self.row = row
      self.value = value
    }
  }

  /// A key that no object had: of which relationship of which object.
  package struct Reference {
    package var number: Int64
    package var owner: Int64
    package var ownerEntity: String
    package var relationship: String
    package var destination: String
    package var key: Value
    package var ownerKey: String
    /// Place in the list, and the engine's flags.
    package var position: Int64
    package var flags: Int64

    package init(
      number: Int64, owner: Int64, ownerEntity: String, relationship: String, destination: String,
      key: Value, ownerKey: String, position: Int64, flags: Int64
    ) {
      self.number = number
      self.owner = owner
      self.ownerEntity = ownerEntity
      self.relationship = relationship
      self.destination = destination
      self.key = key
      self.ownerKey = ownerKey
      self.position = position
      self.flags = flags
    }
  }

  /// A page of a session that has a name.
  package struct Page: Hashable, Sendable {
    package let name: String
    package var isStored: Bool
    /// Whether it was made since and is not stored.
    package var isBegun: Bool
    /// The program's mark of its content.
    package var mark: String?

    package init(name: String, isStored: Bool = false, isBegun: Bool = false, mark: String? = nil) {
      self.name = name
      self.isStored = isStored
      self.isBegun = isBegun
      self.mark = mark
    }
  }
}

enum OpenSyncTables {
  static let creation = [
    "CREATE TABLE IF NOT EXISTS _syncstack_open_syncs (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, "
      + "name TEXT NOT NULL, revision INTEGER NOT NULL, head BLOB NOT NULL, UNIQUE (kind, name))",
    "CREATE TABLE IF NOT EXISTS _syncstack_open_rows (sync INTEGER NOT NULL, name TEXT NOT NULL, "
      + "page INTEGER NOT NULL, bits BLOB NOT NULL, PRIMARY KEY (sync, name, page)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS _syncstack_open_members (sync INTEGER NOT NULL, list TEXT NOT NULL, "
      + "member INTEGER NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (sync, list, member)) "
      + "WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS _syncstack_open_references (sync INTEGER NOT NULL, "
      + "number INTEGER NOT NULL, owner INTEGER NOT NULL, entity TEXT NOT NULL, "
      + "relationship TEXT NOT NULL, destination TEXT NOT NULL, object_key BLOB NOT NULL, "
      + "owner_key TEXT NOT NULL, position INTEGER NOT NULL, flags INTEGER NOT NULL, "
      + "PRIMARY KEY (sync, number)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS _syncstack_open_pages (sync INTEGER NOT NULL, name TEXT NOT NULL, "
      + "stored INTEGER NOT NULL, begun INTEGER NOT NULL, mark TEXT, PRIMARY KEY (sync, name)) "
      + "WITHOUT ROWID",
  ]

  static let parts = ["rows", "members", "references", "pages"]
}
