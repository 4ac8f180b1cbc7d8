import SyncCore
import Testing

@Suite struct FilterParserTests {
  /// The tree of a text, written back.
  private func read(_ format: String, _ arguments: Any?...) throws -> String {
    try Filter(format: format, arguments: arguments).node.description
  }

  @Test(arguments: [
    ("age = 5", "age == 5"), ("age == 5", "age == 5"), ("age != 5", "age != 5"),
    ("age <> 5", "age != 5"), ("age =< 5", "age <= 5"), ("age => 5", "age >= 5"),
    ("age<5", "age < 5"), ("5 > age", "5 > age"), ("age BETWEEN {1, 5}", "age BETWEEN {1, 5}"),
    ("name IN {'a', \"b\"}", "name IN {'a', 'b'}"), ("name in {}", "name IN {}"),
    ("a IN {b, 5, nil}", "a IN {b, 5, nil}"),
    ("name beginswith[c] 'x'", "name BEGINSWITH[c] 'x'"),
    ("name CONTAINS[cd] 'x'", "name CONTAINS[cd] 'x'"),
    ("name ENDSWITH [dc] 'x'", "name ENDSWITH[cd] 'x'"), ("name like[n] '*'", "name LIKE '*'"),
    ("name Matches '\\d+'", "name MATCHES '\\\\d+'"), ("TRUEPREDICATE", "TRUEPREDICATE"),
    ("falsepredicate", "FALSEPREDICATE"), ("SELF == nil", "SELF == nil"),
    ("self.name == NULL", "name == nil"), ("a == Nil", "a == nil"),
    ("isDone == YES", "isDone == true"), ("isDone == no", "isDone == false"),
    ("company.city.name == 'x'", "company.city.name == 'x'"),
  ])
  func readsComparisons(text: String, tree: String) throws {
    #expect(try read(text) == tree)
  }

  @Test(arguments: [
    ("a == 1 AND b == 2 OR c == 3", "(a == 1 AND b == 2) OR c == 3"),
    ("a == 1 or b == 2 and c == 3", "a == 1 OR (b == 2 AND c == 3)"),
    ("(a == 1 || b == 2) && c == 3", "(a == 1 OR b == 2) AND c == 3"),
    ("NOT a == 1 AND b == 2", "NOT (a == 1) AND b == 2"),
    ("!(a == 1 AND b == 2)", "NOT (a == 1 AND b == 2)"), ("not !a == 1", "NOT (NOT (a == 1))"),
    ("((((a == 1))))", "a == 1"), ("a == 1 AND b == 2 AND c == 3", "a == 1 AND b == 2 AND c == 3"),
  ])
  func bindsNotTighterThanAndTighterThanOr(text: String, tree: String) throws {
    #expect(try read(text) == tree)
  }

  @Test(arguments: [
    ("a + b * c == 1", "(a + (b * c)) == 1"), ("(a + b) * c == 1", "((a + b) * c) == 1"),
    ("a - b - c == 1", "((a - b) - c) == 1"), ("a ** b ** c == 1", "(a ** (b ** c)) == 1"),
    ("-a ** 2 == 1", "-((a ** 2)) == 1"), ("a == -5", "a == -5"), ("a == --5", "a == 5"),
    ("a - -b == 1", "(a - -(b)) == 1"), ("a %% 2 == 0", "(a %% 2) == 0"),
    ("(a) > (1)", "a > 1"), ("a / 2 < b + 1", "(a / 2) < (b + 1)"),
    ("a & 4 != 0", "(a & 4) != 0"), ("a | b & c == 1", "(a | (b & c)) == 1"),
    ("a ^ b << 2 == 1", "(a ^ (b << 2)) == 1"), ("~a >> 1 == 0", "((a ^ -1) >> 1) == 0"),
    ("ABS(a - b) < 1", "abs((a - b)) < 1"),
    ("length(a.b) == length('x')", "length(a.b) == length('x')"),
  ])
  func calculatesInTheUsualOrder(text: String, tree: String) throws {
    #expect(try read(text) == tree)
  }

  @Test(arguments: [
    ("ANY notes.text == 'x'", "ANY notes.text == 'x'"), ("some notes.a < 1", "ANY notes.a < 1"),
    ("ALL notes.a BETWEEN {1, 2}", "ALL notes.a BETWEEN {1, 2}"),
    ("NOT NONE notes.a IN {1}", "NOT (NONE notes.a IN {1})"),
    ("notes.@count > 2", "notes.@count > 2"), ("notes.@avg.a == 1", "notes.@avg.a == 1"),
    ("notes.@sum.author.age == 1", "notes.@sum.author.age == 1"),
    (
      "SUBQUERY(notes, $n, $n.isDone == true AND age > $n.stars).@count > 1",
      "SUBQUERY(notes, $n, $n.isDone == true AND age > $n.stars).@count > 1"
    ),
    (
      "subquery(a.b, $x, SUBQUERY($x.c, $y, $y == $x).@count == 0).@max.z == 1",
      "SUBQUERY(a.b, $x, SUBQUERY($x.c, $y, $y == $x).@count == 0).@max.z == 1"
    ),
  ])
  func readsRelationships(text: String, tree: String) throws {
    #expect(try read(text) == tree)
  }

  @Test(arguments: [
    ("#and == 1", "and == 1"), ("#in.#or == 1", "in.or == 1"), ("in.x == 1", "in.x == 1"),
    ("company.any == 1", "company.any == 1"), ("true.x == 1", "true.x == 1"),
    ("größe_2 == 1", "größe_2 == 1"),
  ])
  func takesKeywordsAsKeysWhereTheyAreMarkedOrPartOfAPath(text: String, tree: String) throws {
    #expect(try read(text) == tree)
  }

  @Test(arguments: [
    (#"a == "it's""#, #"a == 'it\'s'"#), (#"a == 'say "x"'"#, #"a == 'say "x"'"#),
    (#"a == 'it\'s'"#, #"a == 'it\'s'"#), (#"a == @"x""#, "a == 'x'"), (#"a == @'x'"#, "a == 'x'"),
    (#"a == '\u00e9\n'"#, "a == 'é\n'"), (#"a == '\*\d'"#, #"a == '\\*\\d'"#),
    ("a == '%@ %d'", "a == '%@ %d'"),
  ])
  func readsQuotedTexts(text: String, tree: String) throws {
    #expect(try read(text) == tree)
  }

  @Test(arguments: [
    ("a == 1.5", "a == 1.5"), ("a == .5", "a == 0.5"), ("a == 2e3", "a == 2000.0"),
    ("a == 1E-2", "a == 0.01"), ("a == 0x1F", "a == 31"), ("a == 0b101", "a == 5"),
    ("a == 9223372036854775807", "a == 9223372036854775807"),
    ("a == 9223372036854775808", "a == 9223372036854775808"),
    ("a == 0.1234567890123456789", "a == 0.1234567890123456789"),
  ])
  func readsNumbersWithoutLoss(text: String, tree: String) throws {
    #expect(try read(text) == tree)
  }

  @Test func fillsArgumentsInInOrder() throws {
    #expect(try read("%K == %@ AND b < %d", "a.b", "x", 5) == "a.b == 'x' AND b < 5")
    #expect(try read("%K.c == %ld", "a", 7) == "a.c == 7")
    #expect(try read("%K > 1", "notes.@count") == "notes.@count > 1")
    #expect(try read("%K == 1", "and") == "and == 1")
    #expect(try read("%K == %@", "SELF", nil) == "SELF == nil")
    #expect(try read("a == %f", 1) == "a == 1.0")
    #expect(try read("a == %lf", 2.5) == "a == 2.5")
    for specifier in ["%d", "%i", "%u", "%ld", "%li", "%lu", "%lld", "%llu", "%qd", "%hd", "%x"] {
      #expect(try read("a == \(specifier)", Int32(-3)) == "a == -3")
    }
    #expect(try read("a IN %@", [3, 1]) == "a IN {3, 1}")
    #expect(try read("a BETWEEN %@", 1...5) == "a BETWEEN {1, 5}")
    #expect(try read("a BETWEEN {%@, %@}", 1, 2) == "a BETWEEN {1, 2}")
  }

  @Test func readsLongChainsFlat() throws {
    let text = (0..<2000).map { "a == \($0)" }.joined(separator: " OR ")
    guard case .or(let nodes) = try Filter(text).node else {
      Issue.record("not a disjunction")
      return
    }
    #expect(nodes.count == 2000)
  }
}
