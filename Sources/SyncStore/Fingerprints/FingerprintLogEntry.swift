package import SyncCore

/// One set of fingerprints as the store keeps it.
package struct FingerprintSetRecord {
  package let id: Int64

  /// The generation whose rows the set is about.
  package let generation: Int64

  /// The engine's facts about the set as a whole.
  package let head: [UInt8]
}

/// A set of fingerprints that a transaction has written, but for the generation, which is known at
/// its end.
package struct KeptFingerprintSet {
  package let id: Int64
  package let key: ContentFingerprint
  package let head: [UInt8]

  /// A bit for each table that the set is about, by the index of its root entity.
  package let tables: Int64

  package init(id: Int64, key: ContentFingerprint, head: [UInt8], tables: Int64) {
    self.id = id
    self.key = key
    self.head = head
    self.tables = tables
  }
}

/// A row that was changed, as far as fingerprints need to know.
package struct FingerprintChange: Hashable, Sendable {
  package enum Kind: Int64, Sendable {
    /// Relationships changed, no attribute.
    case linked
    /// Attributes changed, the key perhaps among them.
    case updated
    case inserted
    case deleted
  }

  /// Index of the root entity of the row's table.
  package let table: Int
  package let row: Int64
  package let kind: Kind

  package init(table: Int, row: Int64, kind: Kind) {
    self.table = table
    self.row = row
    self.kind = kind
  }
}

/// The changes of one transaction as words: for each entity the index of its table and a count,
/// then a word for each row, the kind in its two lowest bits.
enum FingerprintLogEntry {
  /// The bit of a table in a set of tables; tables beyond the 62nd share the last one.
  static func bit(_ table: Int) -> Int64 { 1 << Int64(min(table, 62)) }

  /// - Returns: Nil when there are more rows than the limit.
  static func encode(_ changes: [ChangeSet.EntityChanges], tables: Int64, limit: Int) -> [Int64]? {
    let relevant = changes.filter { tables & bit($0.entity.rootIndex) != 0 }
    let counts = relevant.map { $0.inserted.count + $0.updated.count + $0.deleted.count }
    let count = counts.reduce(0, +)
    guard count <= limit else { return nil }
    var words: [Int64] = []
    words.reserveCapacity(count + 2 * relevant.count)
    for (changes, count) in zip(relevant, counts) {
      words.append(Int64(changes.entity.rootIndex))
      words.append(Int64(count))
      let properties = changes.entity.properties
      for row in changes.inserted { words.append(word(row, .inserted)) }
      for (row, slots) in changes.updated {
        let isOfLinks = slots.allSatisfy { properties[$0].relationship != nil }
        words.append(word(row, isOfLinks ? .linked : .updated))
      }
      for row in changes.deleted { words.append(word(row, .deleted)) }
    }
    return words
  }

  private static func word(_ row: Int64, _ kind: FingerprintChange.Kind) -> Int64 {
    row << 2 | kind.rawValue
  }

  /// - Returns: Nil when the bytes are none that ``encode(_:tables:limit:)`` makes.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> [FingerprintChange]? {
    guard bytes.count % 8 == 0 else { return nil }
    let count = bytes.count / 8
    func word(_ index: Int) -> Int64 {
      bytes.loadUnaligned(fromByteOffset: index * 8, as: Int64.self)
    }
    var result: [FingerprintChange] = []
    var index = 0
    while index < count {
      guard index + 1 < count, let table = Int(exactly: word(index)),
        let rows = Int(exactly: word(index + 1)), table >= 0, rows >= 0, rows <= count - index - 2
      else { return nil }
      index += 2
      for _ in 0..<rows {
        let row = word(index) >> 2
        guard let kind = FingerprintChange.Kind(rawValue: word(index) & 3), RowNumber.isValid(row)
        else { return nil }
        result.append(FingerprintChange(table: table, row: row, kind: kind))
        index += 1
      }
    }
    return result
  }
}
