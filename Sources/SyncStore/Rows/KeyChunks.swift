import SyncCore

/// Cuts a list of keys into pieces for `IN (?, ?, …)`: a few sizes, so that a few cached statements
/// serve lists of any length. The last piece repeats its last key until it is full.
///
/// 500 keys a statement cost a third of a look-up each; more bring nothing. A parameter costs some
/// 2,000 instructions to compile, and a repeated key some hundred each time, so the sizes are at
/// most twice as large as needed where that counts.
struct KeyChunks {
  private static let sizes = [1, 8, 64, 128, 256, 512]

  /// Calls the body for each piece: where it starts, how many keys it has, and how many parameters
  /// the statement has.
  static func forEach(
    _ count: Int, _ body: (_ start: Int, _ count: Int, _ parameters: Int) throws -> Void
  ) rethrows {
    var start = 0
    while start < count {
      let rest = count - start
      let parameters = sizes.first { $0 >= rest } ?? 512
      let taken = min(rest, parameters)
      try body(start, taken, parameters)
      start += taken
    }
  }

  /// `(?, ?, ?)`, of as many as ``forEach(_:_:)`` asks for.
  static func placeholders(_ count: Int) -> String {
    texts[count] ?? KeyChunks.text(count)
  }

  /// Made once: to put a long one together takes longer than to find its statement.
  private static let texts = Dictionary(uniqueKeysWithValues: sizes.map { ($0, text($0)) })

  private static func text(_ count: Int) -> String {
    "(" + String(repeating: "?, ", count: count - 1) + "?)"
  }

  /// Binds a piece of row numbers and fills the rest.
  static func bind(
    _ rows: [Int64], from start: Int, count: Int, parameters: Int, to statement: Statement,
    at first: Int32 = 1
  ) {
    for index in 0..<parameters {
      statement.bind(first + Int32(index), rows[start + min(index, count - 1)])
    }
  }

  /// Binds a piece of keys and fills the rest.
  static func bind(
    _ keys: [Cell], from start: Int, count: Int, parameters: Int, to statement: Statement
  ) {
    for index in 0..<parameters {
      statement.bind(Int32(index + 1), keys[start + min(index, count - 1)])
    }
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
