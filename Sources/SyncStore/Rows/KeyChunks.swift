import SyncCore

/// The statements that a list of keys takes: `IN (?, ?, …)` in pieces of a few sizes, so that a few
/// cached statements serve lists of any length. The last piece repeats its last key until it is
/// full.
///
/// 500 keys a statement cost a third of a look-up each; more bring nothing. A parameter costs some
/// 2,000 instructions to compile, and a repeated key some hundred each time, so the sizes are at
/// most twice as large as needed where that counts.
///
/// ```swift
/// let chunks = KeyChunks(connection, "SELECT … WHERE _row IN", .rows(rows), " ORDER BY _row")
/// try chunks.eachRow { statement in … }
/// ```
struct KeyChunks {
  enum Keys {
    case rows([Int64])

    /// The same in one statement, however many there are.
    case listed([Int64])

    /// Cells, whose memory has to stay until the end.
    case cells([Cell])

    /// No keys but the values of the only statement.
    case values([Value])
  }

  private let connection: Connection
  private let text: String
  private let rest: String
  private let keys: Keys
  private var start = 0
  private var statement: Statement?

  /// Parameters of a statement before those that follow the keys.
  private(set) var parameterCount = 0

  init(_ connection: Connection, _ text: String, _ keys: Keys, _ rest: String = "") {
    self.connection = connection
    self.text = text
    self.rest = rest
    self.keys = keys
  }

  /// Gives a closure each row that the statements return.
  func eachRow(_ row: (Statement) throws -> Void) throws {
    var chunks = self
    defer { chunks.end() }
    while let statement = try chunks.next() {
      while try statement.step() { try row(statement) }
    }
  }

  /// The next statement with its keys; nil behind the last one.
  mutating func next() throws -> Statement? {
    end()
    switch keys {
    case .values(let values): return try one(text + rest, values)
    case .listed(let rows) where rows.count > KeyChunks.largest:
      return try one("\(text) \(KeyChunks.listed)\(rest)", [KeyChunks.list(rows)])
    case .rows(let rows), .listed(let rows):
      return try piece(of: rows.count) { $0.bind($1, rows[$2]) }
    case .cells(let cells):
      return try piece(of: cells.count) { $0.bind($1, cells[$2]) }
    }
  }

  private mutating func one(_ sql: String, _ values: [Value]) throws -> Statement? {
    guard start == 0 else { return nil }
    start = 1
    let next = try connection.statement(sql)
    next.bind(values)
    statement = next
    return next
  }

  private mutating func piece(
    of count: Int, _ bind: (Statement, Int32, Int) -> Void
  ) throws -> Statement? {
    let rest = count - start
    guard rest > 0 else { return nil }
    parameterCount = KeyChunks.sizes.first { $0 >= rest } ?? KeyChunks.largest
    let next = try connection.statement(
      "\(text) \(KeyChunks.placeholders(parameterCount))\(self.rest)")
    for index in 0..<parameterCount {
      bind(next, Int32(index + 1), start + min(index, rest - 1))
    }
    start += min(rest, parameterCount)
    statement = next
    return next
  }

  /// Ends the statement that runs.
  mutating func end() {
    guard let last = statement else { return }
    last.reset()
    if case .rows = keys {} else { last.clearBindings() }
    statement = nil
  }

  private static let sizes = [1, 8, 64, 128, 256, largest]
  private static let largest = 512

  /// `(?, ?, ?)`.
  static func placeholders(_ count: Int) -> String {
    texts[count] ?? KeyChunks.text(count)
  }

  /// Made once: to put a long one together takes longer than to find its statement.
  private static let texts = Dictionary(uniqueKeysWithValues: sizes.map { ($0, text($0)) })

  private static func text(_ count: Int) -> String {
    "(" + String(repeating: "?, ", count: count - 1) + "?)"
  }

  /// A condition on any number of integers that are bound as one JSON text. Up to 512 keys cost
  /// less one by one, but then many keys take many statements.
  static let listed = "(SELECT value FROM json_each(?))"

  /// The text to bind for ``listed``.
  static func list(_ rows: [Int64]) -> Value {
    var text: [UInt8] = [UInt8(ascii: "[")]
    text.reserveCapacity(rows.count * 8 + 2)
    for (index, row) in rows.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      append(row, to: &text)
    }
    text.append(UInt8(ascii: "]"))
    return .string(String(decoding: text, as: UTF8.self))
  }

  private static func append(_ row: Int64, to text: inout [UInt8]) {
    guard row >= 0 else { return text.append(contentsOf: String(row).utf8) }
    let first = text.count
    var rest = row
    repeat {
      text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    text[first...].reverse()
  }
}
