import SyncCore
import Testing

@Suite struct FilterSyntaxErrorTests {
  private func error(_ format: String, _ arguments: [Any?] = []) throws -> FilterError {
    try #require(throws: FilterError.self) {
      try Filter(format: format, arguments: arguments).node
    }
  }

  @Test(arguments: [
    ("", 0, "a key"), ("age", 3, "a comparison operator"), ("age >", 5, "a key, a value"),
    ("age >< 5", 5, "a key, a value"), ("age == 5 name == 'x'", 9, "AND, OR or the end"),
    ("age == 5 AND", 12, "a key, a value"), ("(age == 5", 9, "“)”"), ("age == 5)", 8, "the end"),
    ("age == 'x", 7, "a closing '"), ("age IN {1, 2", 12, "“,”"), ("age IN {1 2}", 10, "“,”"),
    ("age === 5", 6, "a key, a value"), ("age == 5x", 8, "an operator"),
    ("CAST(age, NSDate) == 1", 10, "'NSDate'"), ("CAST(age) == 1", 8, "“,”"),
    ("CAST(age, 'Date') == 1", 10, "'NSDate'"), ("now(1) > a", 4, "“)”"),
    ("notes[SIZE == 1", 11, "“]”"),
    ("name CONTAINS[x] 'a'", 14, "c, d or cd"), ("name CONTAINS[c 'a'", 16, "“]”"),
    ("age ; 5", 4, "an operator"), ("age ~ 5", 4, "comparison operator"),
    ("length(name > 1", 12, "“)”"), ("age & == 1", 6, "a key, a value"),
    ("AND age == 5", 0, "#AND"), ("age == AND", 7, "#AND"),
    ("5", 1, "a comparison operator"), ("a == 1 == 2", 7, "AND, OR or the end"),
    ("(a == 1) + 2 > 3", 9, "AND, OR or the end"), ("a. == 1", 3, "a key"), ("a == %y", 5, "%@"),
    ("a == 99999999999999999999999999999999e999", 5, "a number"), ("@ == 1", 1, "a function"),
    ("notes.@size > 1", 6, "@count"), ("a == '\\u12'", 8, "hexadecimal"),
    ("SUBQUERY(notes, n, n == 1).@count > 1", 16, "a variable"),
    ("SUBQUERY(notes, $n, $n.a == 1) > 1", 31, "@count"),
    ("ANY (a == 1 AND b == 1)", 4, "one comparison"),
    ("ANY NOT a == 1", 4, "a key"), ("a == 0x", 5, "64 bits"),
  ])
  func saysWhereAndWhatWasExpected(text: String, position: Int, expected: String) throws {
    let error = try error(text)
    #expect(error.position == position, "\(error)")
    #expect(
      error.expected?.contains(expected) == true || error.message.contains(expected), "\(error)")
    #expect(error.text == text)
    #expect(error.code == .syntax)
  }

  @Test(arguments: [
    "FUNCTION(a, 'x') == 1", "a == reversed('x')", "notes[0] == 1", "notes[FIRST].a == 1",
  ])
  func refusesWhatIsLeftOutOnPurpose(text: String) throws {
    #expect(try error(text).code == .unsupported)
  }

  @Test(
    arguments: [
      ("a == %@", [], 5), ("a == 1", [1], nil), ("a == %d", ["x"], 5), ("a == %d", [1.5], 5),
      ("a == %f", ["x"], 5), ("%K == 1", [5], 0), ("%K == 1", ["a..b"], 0), ("%K == 1", [""], 0),
      ("a == %@", [["k": 1]], 5), ("a == %@", [Opaque()], 5), ("a == %@ AND b == %@", [1], 17),
    ] as [(String, [any Sendable], Int?)])
  func refusesArgumentsThatDoNotFit(text: String, arguments: [any Sendable], position: Int?) throws
  {
    let error = try error(text, arguments)
    #expect(error.code == .argument)
    #expect(error.position == position)
  }

  @Test(arguments: ["(", "!", "-", "{", "NOT ", "SUBQUERY(a,$b,"])
  func refusesNestingWithoutEnd(piece: String) throws {
    let text =
      (piece == "-" || piece == "{" ? "a == " : "") + String(repeating: piece, count: 10_000)
    #expect(try error(text).code == .syntax)
  }

  @Test func keepsTheErrorUntilTheFilterIsUsed() throws {
    let broken = Filter("age >")
    let filter = !(Filter("a == 1") && broken) || Filter.true
    #expect(try #require(throws: FilterError.self) { try filter.node }.text == "age >")
    #expect(
      try #require(throws: FilterError.self) { try Filter.all([.true, broken]).node }.text
        == "age >")
  }

  private struct Opaque: Sendable {}
}
