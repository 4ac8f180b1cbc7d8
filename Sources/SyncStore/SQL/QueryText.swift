/// Looks at the text of a statement that a program wrote, before SQLite does.
///
/// SQLite carries out many a PRAGMA while it prepares it, and says of BEGIN and ATTACH that they do
/// not write (https://www.sqlite.org/c3ref/stmt_readonly.html): the first word has to be known
/// before, and that nothing stands behind the statement.
struct QueryText {
  private let bytes: [UInt8]
  private var place = 0

  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidQuery`` for anything but one statement
  ///   that begins as a query.
  static func check(_ sql: String) throws {
    var text = QueryText(bytes: Array(sql.utf8))
    try text.check(sql)
  }

  private mutating func check(_ sql: String) throws {
    guard !bytes.contains(0) else {
      throw StoreError.invalidQuery(
        "has a character of the number zero, at which SQLite stops to read. Put texts in as "
          + "arguments, with “?” in their place", sql)
    }
    var word = nextWord()
    if word == "EXPLAIN" {
      word = nextWord()
      if word == "QUERY" { word = nextWord() }
      if word == "PLAN" { word = nextWord() }
    }
    guard ["SELECT", "WITH", "VALUES"].contains(word) else {
      throw StoreError.invalidQuery(
        word.isEmpty
          ? "is empty. Give one SELECT"
          : "begins with “\(word)”. Only SELECT, WITH … SELECT, VALUES and EXPLAIN of these can be "
            + "asked. Change data by a context or a sync", sql)
    }
    skipStatement()
    skipBlanks()
    guard place == bytes.count else {
      throw StoreError.invalidQuery(
        "has more behind its first semicolon. Ask one statement at a time", sql)
    }
  }

  /// The word that comes next, in capitals; empty when something else does.
  private mutating func nextWord() -> String {
    skipBlanks()
    let start = place
    while place < bytes.count, bytes[place].isLetter { place += 1 }
    return String(decoding: bytes[start..<place], as: UTF8.self).uppercased()
  }

  /// Goes behind the next semicolon that is no part of a text, a name or a comment.
  private mutating func skipStatement() {
    while place < bytes.count {
      if skipComment() { continue }
      let byte = bytes[place]
      place += 1
      switch byte {
      case UInt8(ascii: ";"): return
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): skip(through: byte)
      case UInt8(ascii: "["): skip(through: UInt8(ascii: "]"))
      default: break
      }
    }
  }

  /// Goes behind the end of a text; a doubled quote in it is the end of one and the start of
  /// another, which comes to the same.
  private mutating func skip(through end: UInt8) {
    while place < bytes.count, bytes[place] != end { place += 1 }
    place = min(place + 1, bytes.count)
  }

  /// Goes behind white space, comments and empty statements.
  private mutating func skipBlanks() {
    while place < bytes.count {
      if skipComment() { continue }
      switch bytes[place] {
      case UInt8(ascii: " "), UInt8(ascii: ";"), 9...13: place += 1
      default: return
      }
    }
  }

  private mutating func skipComment() -> Bool {
    guard place + 1 < bytes.count else { return false }
    switch (bytes[place], bytes[place + 1]) {
    case (UInt8(ascii: "-"), UInt8(ascii: "-")):
      while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
      return true
    case (UInt8(ascii: "/"), UInt8(ascii: "*")):
      // One that is not closed ends with the text.
      place += 2
      while place < bytes.count, !isEndOfComment { place += 1 }
      place = min(place + 2, bytes.count)
      return true
    default: return false
    }
  }

  private var isEndOfComment: Bool {
    place + 1 < bytes.count && bytes[place] == UInt8(ascii: "*")
      && bytes[place + 1] == UInt8(ascii: "/")
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
}

extension StoreError {
  /// - Parameter fault: The fault of the statement, as the end of a sentence without a full stop.
  static func invalidQuery(_ fault: String, _ sql: String) -> StoreError {
    StoreError(.invalidQuery, message: "The statement \(fault).", sql: sql)
  }
}
