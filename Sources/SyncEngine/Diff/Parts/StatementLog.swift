import Foundation
import SyncCore

/// What the parts of a payload said of relationships and what that changed, in order: some five bytes for
/// each statement, because rows are given out and mentioned in order and only distances are kept.
///
/// ```
/// header              │ row   │ count │ members
/// kind flags relation │ ± ─▶  │       │ ± ─▶ or none        numbers of seven bits a byte
/// ```
///
/// A copy shares the full chunks.
struct StatementLog: Sendable {
  enum Kind: UInt8 {
    /// The list of an owner.
    case list
    /// Where a to-one relationship of an object is to lead; 0 is nowhere.
    case reference
    /// A to-one column changed: where it led before.
    case column
    /// A pair of a link table came (``Flags/isAdded``) or went.
    case pair
    /// An attribute was written: a hash of what it held before.
    case value
    /// An ordered list is about to change: its members in order.
    case order
    /// An object without key was made under a to-one relationship.
    case keyless
  }

  struct Flags: OptionSet {
    let rawValue: UInt8
    /// The list is one of keys: who is not in it is unlinked, never deleted.
    static let keys = Flags(rawValue: 1)
    static let isAdded = Flags(rawValue: 1)
    /// Nobody leaves the list.
    static let keepsAll = Flags(rawValue: 2)
    /// Who leaves the list may be deleted.
    static let deletes = Flags(rawValue: 4)
    /// Goes on where the list of the same owner stopped.
    static let goesOn = Flags(rawValue: 8)
  }

  struct Statement {
    var kind: Kind
    var flags: Flags
    var relationship: Claims.Relationship
    var row: Int64
    /// ``StatementLog/unknown`` stands for an object that was not there.
    var members: [Int64]
  }

  /// An object that a key means and that was not there.
  static let unknown: Int64 = -1

  /// How many statements there are.
  private(set) var count = 0
  private(set) var relationships: [Claims.Relationship] = []
  private var numbers: [Claims.Relationship: Int] = [:]
  var chunks: [[UInt8]] = []
  private(set) var cursor = Cursor()

  private static let chunkSize = 32_768

  /// What the next number is the distance from.
  struct Cursor {
    var rows: [Int64] = []
    var members: [Int64] = []
  }

  var byteCount: Int { chunks.reduce(0) { $0 + $1.count } }

  // MARK: - Writing

  mutating func append(
    _ kind: Kind, _ flags: Flags, _ relationship: Claims.Relationship, _ row: Int64,
    _ members: some Collection<Int64>
  ) {
    let number = number(of: relationship)
    if chunks.last.map({ $0.count >= StatementLog.chunkSize }) ?? true { chunks.append([]) }
    let chunk = chunks.count - 1
    let header = UInt64(kind.rawValue) | UInt64(flags.rawValue) << 3 | UInt64(number) << 7
    StatementLog.write(header, to: &chunks[chunk])
    StatementLog.write(
      StatementLog.folded(row &- cursor.rows[number]), to: &chunks[chunk])
    cursor.rows[number] = row
    StatementLog.write(UInt64(members.count), to: &chunks[chunk])
    for member in members {
      guard member != StatementLog.unknown else {
        StatementLog.write(0, to: &chunks[chunk])
        continue
      }
      StatementLog.write(
        StatementLog.folded(member &- cursor.members[number]) + 1, to: &chunks[chunk])
      cursor.members[number] = member
    }
    count += 1
  }

  private mutating func number(of relationship: Claims.Relationship) -> Int {
    if let number = numbers[relationship] { return number }
    numbers[relationship] = relationships.count
    relationships.append(relationship)
    cursor.rows.append(0)
    cursor.members.append(0)
    return relationships.count - 1
  }

  private static func write(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Small numbers of either sign as small numbers.
  private static func folded(_ number: Int64) -> UInt64 {
    UInt64(bitPattern: (number << 1) ^ (number >> 63))
  }

  private static func unfolded(_ number: UInt64) -> Int64 {
    Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  // MARK: - Reading

  /// Shows the statements in order, numbered.
  ///
  /// - Parameter checkpoint: Called before each chunk; stops the work by throwing.
  /// - Complexity: O(*n*) in the bytes.
  func forEachStatement(
    _ checkpoint: () throws -> Void,
    _ body: (_ position: Int, _ statement: Statement) throws -> Void
  ) rethrows {
    var place = Place()
    try forEachStatement(after: &place, checkpoint, body)
  }

  /// How far a log was read.
  struct Place {
    fileprivate var chunk = 0
    fileprivate var offset = 0
    fileprivate var position = 0
    fileprivate var cursor = Cursor()
  }

  /// Shows the statements that came since the log was read last.
  func forEachStatement(
    after place: inout Place, _ checkpoint: () throws -> Void,
    _ body: (_ position: Int, _ statement: Statement) throws -> Void
  ) rethrows {
    guard let first = relationships.first else { return }
    var (offset, position, cursor) = (place.offset, place.position, place.cursor)
    while cursor.rows.count < relationships.count {
      cursor.rows.append(0)
      cursor.members.append(0)
    }
    var statement = Statement(kind: .list, flags: [], relationship: first, row: 0, members: [])
    for number in place.chunk..<chunks.count {
      let chunk = chunks[number]
      try checkpoint()
      if number > place.chunk { (place.chunk, offset) = (number, 0) }
      while offset < chunk.count {
        let header = StatementLog.read(chunk, &offset)
        let number = Int(header >> 7)
        statement.kind = Kind(rawValue: UInt8(header & 7)) ?? .list
        statement.flags = Flags(rawValue: UInt8(header >> 3 & 15))
        statement.relationship = relationships[number]
        cursor.rows[number] &+= StatementLog.unfolded(StatementLog.read(chunk, &offset))
        statement.row = cursor.rows[number]
        statement.members.removeAll(keepingCapacity: true)
        for _ in 0..<Int(StatementLog.read(chunk, &offset)) {
          let member = StatementLog.read(chunk, &offset)
          guard member > 0 else {
            statement.members.append(StatementLog.unknown)
            continue
          }
          cursor.members[number] &+= StatementLog.unfolded(member - 1)
          statement.members.append(cursor.members[number])
        }
        try body(position, statement)
        position += 1
      }
    }
    (place.offset, place.position, place.cursor) = (offset, position, cursor)
  }

  @inline(__always)
  private static func read(_ bytes: [UInt8], _ offset: inout Int) -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { break }
      shift += 7
    }
    return result
  }
}

// MARK: - Keeping

extension StatementLog: Codable {
  private struct Kept: Codable {
    var relationships: [Claims.Relationship]
    var count: Int
    var rows: [Int64]
    var members: [Int64]
    var chunks: [KeptPiece]
  }

  init(from decoder: any Decoder) throws {
    let kept = try Kept(from: decoder)
    chunks = kept.chunks.map { Array($0.data) }
    stand(
      relationships: kept.relationships, count: kept.count,
      Cursor(rows: kept.rows, members: kept.members))
  }

  /// Goes on behind what was read.
  mutating func stand(
    relationships: [Claims.Relationship], count: Int, _ cursor: Cursor
  ) {
    self.relationships = relationships
    for (number, relationship) in relationships.enumerated() { numbers[relationship] = number }
    self.count = count
    self.cursor = cursor
  }

  func encode(to encoder: any Encoder) throws {
    try Kept(
      relationships: relationships, count: count, rows: cursor.rows, members: cursor.members,
      chunks: chunks.map { KeptPiece(Data($0)) }
    ).encode(to: encoder)
  }
}
