import Foundation
import SyncStack
import TestSupport
import Testing

/// Whatever bytes come, a sync stores their values or throws a typed error with a position and
/// leaves the store as it was; it never stops the process.
@Suite(.timeLimit(.minutes(5))) struct HostilePayloadTests {
  /// Words have keys of text and may refer to each other; numbers have keys that are integers.
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      "Word: id string, text, base -> Word.derived, derived ->> Word.base, alike ->> Word.alike",
      """
      Number: id, small integer16, real double, exact decimal, time date, flag boolean, name,
      mark uuid, link uri, raw binary
      """,
    ])
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let entity: String
    let payload: Data
    /// The objects afterwards, or the error; and the findings of the report.
    let outcome: String

    init(_ name: String, _ json: String, _ outcome: String, of entity: String = "Number") {
      self.init(name, Data(json.utf8), outcome, of: entity)
    }

    init(_ name: String, _ payload: Data, _ outcome: String, of entity: String = "Number") {
      testDescription = name
      self.entity = entity
      self.payload = payload
      self.outcome = outcome
    }

  }

  private static func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  private static func bytes(_ before: String, _ bytes: [UInt8], _ after: String) -> Data {
    Data(Array(before.utf8) + bytes + Array(after.utf8))
  }

  private static func bytes(_ mark: [UInt8], _ encoding: String.Encoding) -> Data {
    Data(mark) + (#"[{"id": 2}]"#.data(using: encoding) ?? Data())
  }

  static let cases: [Case] = [
    Case(
      "arrays in arrays", repeated("[", 100_000),
      "tooDeep 513 $[0][0][0][0][0][0][0][0][0][0][0][0][0]"),
    Case(
      "arrays in an unused key", #"[{"id": 2, "x": \#(repeated("[", 100_000))"#,
      "tooDeep 527 $[0].x[0][0][0][0][0][0][0][0][0][0][0]["),
    Case(
      "objects in objects", repeated(#"{"x":"#, 100_000),
      "tooDeep 2560 $.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x."),
    Case(
      "an integer of 400 digits as a key", "[{\"id\": 1\(repeated("0", 400))}]", "deletionRefused"),
    Case(
      "beside a good one", "[{\"id\": 1\(repeated("0", 400))}, {\"id\": 2}]",
      "id=1; id=2; refusedConversion 1; skippedItem 1; suspendedDeletion 1"),
    Case(
      "beyond Int64", #"[{"id": 9223372036854775808}, {"id": -9223372036854775809}, {"id": 2}]"#,
      "id=1; id=2; refusedConversion 2; skippedItem 2; suspendedDeletion 1"),
    Case(
      "the ends of Int64", #"[{"id": 9223372036854775807}, {"id": -9223372036854775808}]"#,
      "id=-9223372036854775808; id=9223372036854775807"),
    Case(
      "fractions as keys", #"[{"id": 2.5}, {"id": 3.0}, {"id": 4e0}, {"id": 50e-1}]"#,
      "id=1; id=3; id=4; id=5; refusedConversion 1; skippedItem 1; suspendedDeletion 1"),
    Case("booleans as keys", #"[{"id": true}, {"id": false}, {"id": 2}]"#, "id=0; id=1; id=2"),
    Case(
      "arrays and objects as keys", #"[{"id": [2]}, {"id": {"id": 3}}, {"id": 4}]"#,
      "id=1; id=4; refusedConversion 2; skippedItem 2; suspendedDeletion 1"),
    Case(
      "text as keys",
      #"[{"id": "2"}, {"id": " 3"}, {"id": "4x"}, {"id": ""}, {"id": "0x5"}, {"id": "+6"}, {"id": "٧"}]"#,
      "id=1; id=2; refusedConversion 5; skippedItem 6; suspendedDeletion 1"),
    Case(
      "exponents that overflow",
      #"[{"id": 2, "real": 1e999}, {"id": 3, "real": -1e999}, {"id": 4, "real": 1e-999}, {"id": 5, "exact": 1e999}, {"id": 6, "small": 1e999}, {"id": 7, "real": 1e99999999999999999999}, {"id": 8, "exact": 1e99999999999999999999}, {"id": 9, "exact": 1e-99999999999999999999}]"#,
      "id=2; id=3; id=4 real=0.0; id=5; id=6; id=7; id=8; id=9; refusedConversion 7"),
    Case(
      "wide integers",
      #"[{"id": 2, "small": 99999}, {"id": 3, "small": 9223372036854775807}, {"id": 4, "small": 9223372036854775808}]"#,
      "id=2 small=99999; id=3 small=9223372036854775807; id=4; refusedConversion 1"),
    Case(
      "long fractions",
      "[{\"id\": 2, \"real\": 0.\(repeated("3", 5_000)), \"exact\": 0.\(repeated("3", 5_000))}]",
      "id=2 real=0.3333333333333333; refusedConversion 1"),
    Case(
      "dates out of range",
      #"[{"id": 2, "time": 1e300}, {"id": 3, "time": -1e300}, {"id": 4, "time": "99999999999999999999999999"}, {"id": 5, "time": "99999-01-01"}, {"id": 6, "time": "-0001-01-01T00:00:00Z"}, {"id": 7, "time": "2014-13-45T99:99:99Z"}, {"id": 8, "time": "0000-01-01"}]"#,
      "id=2; id=3; id=4; id=5; id=6; id=7; id=8 time=0000-01-01T00:00:00Z; refusedConversion 6"),
    Case(
      "lone surrogates",
      #"[{"id": 2, "name": "a\ud800b"}, {"id": 3, "name": "\udc00"}, {"id": 4, "name": "\ud83d"}]"#,
      "id=2 name=a\u{FFFD}b; id=3 name=\u{FFFD}; id=4 name=\u{FFFD}"),
    Case("a NUL in text", #"[{"id": 2, "name": "a\u0000b"}]"#, "id=2 name=a\0b"),
    Case(
      "a NUL in a key of a member",
      #"[{"id": 2, "flag": true, "na\u0000me": "x", "name\u0000": "y"}]"#,
      "id=2 flag=true"),
    Case(
      "a raw control character", "[{\"id\": 2, \"name\": \"a\u{1}b\"}]",
      "controlCharacter 21 $[0].name"),
    Case(
      "a raw NUL", bytes("[{\"id\": 2, \"name\": \"a", [0], "b\"}]"),
      "controlCharacter 21 $[0].name"),
    Case(
      "bytes that are no UTF-8", bytes("[{\"id\": 2, \"name\": \"", [0xC3, 0x28], "\"}]"),
      "invalidEncoding 20 $[0].name"),
    Case(
      "an overlong form", bytes("[{\"id\": 2, \"name\": \"", [0xC0, 0xAF], "\"}]"),
      "invalidEncoding 20 $[0].name"),
    Case(
      "an encoded surrogate", bytes("[{\"id\": 2, \"name\": \"", [0xED, 0xA0, 0x80], "\"}]"),
      "invalidEncoding 20 $[0].name"),
    Case(
      "no UTF-8 in a key without a use", bytes("[{\"id\": 2, \"x", [0xFF], "\": 1}]"),
      "invalidEncoding 13 $[0]"),
    Case("a member twice", #"[{"id": 2, "id": 3, "name": "a", "name": "b"}]"#, "id=3 name=b"),
    Case(
      "a member twice, null last", #"[{"id": 2, "id": null, "name": "a", "name": null}]"#,
      "deletionRefused"),
    Case("empty keys of members", #"[{"": 5, "id": 2, "name": "a"}]"#, "id=2 name=a"),
    Case(
      "a member key of a megabyte",
      "[{\"\(repeated("k", 1 << 20))\": 1, \"flag\": true, \"id\": 2}]",
      "id=2 flag=true"),
    Case(
      "text of a megabyte for numbers and dates",
      "[{\"id\": 2, \"small\": \"\(repeated("9", 1 << 20))\", \"time\": \"\(repeated("-", 1 << 20))\", \"mark\": \"\(repeated("f", 1 << 20))\"}]",
      "id=2; refusedConversion 3"),
    Case(
      "values for marks and links",
      #"[{"id": 2, "mark": "nonsense", "link": "http://[", "flag": "yes"}, {"id": 3, "mark": 5, "link": "a b", "flag": "1"}]"#,
      "id=2 flag=true; id=3 flag=true; refusedConversion 4"),
    Case(
      "deep JSON in a binary attribute",
      "[{\"id\": 2, \"raw\": \(repeated("[", 300))\(repeated("]", 300))}]", "id=2 raw=600 bytes"),
    Case("null", "null", "notAList 0 $"),
    Case("true", "true", "notAList 0 $"),
    Case("a number", "-0", "notAList 0 $"),
    Case("a text", #""users""#, "notAList 0 $"),
    Case("white space", " \n\t\r ", "emptyDocument 5 $"),
    Case("nothing", "", "emptyDocument 0 $"),
    Case("an object is one item", #"{"id": 2}"#, "id=2"),
    Case("two documents", #"[{"id": 2}] [{"id": 3}]"#, "trailingContent 12 $"),
    Case("a list and a stray bracket", #"[{"id": 2}]]"#, "trailingContent 11 $"),
    Case("a byte order mark", bytes("", [0xEF, 0xBB, 0xBF], #"[{"id": 2}]"#), "id=2"),
    Case("a byte order mark and nothing", bytes("", [0xEF, 0xBB, 0xBF], ""), "emptyDocument 3 $"),
    Case("UTF-16", bytes([], .utf16LittleEndian), "invalidEncoding 0 $"),
    Case("UTF-16 with a mark", bytes([0xFF, 0xFE], .utf16LittleEndian), "invalidEncoding 0 $"),
    Case("UTF-32", bytes([], .utf32BigEndian), "invalidEncoding 0 $"),
    Case(
      "lines with blank ones between", "{\"id\": 2}\r\n\r\n \t\r\n{\"id\": 3}\n\n", "id=2; id=3"),
    Case("lines, the last cut off", "{\"id\": 2}\n{\"id\": 3", "unexpectedEnd 18 $[1]"),
    Case(
      "lines that are no objects", "{\"id\": 2}\nnull\n[]\n\"x\"\n7\n",
      "id=1; id=2; skippedItem 3; suspendedDeletion 1"),
    Case("lines ended by CR alone", "{\"id\": 2}\r{\"id\": 3}\r", "id=2; id=3"),
    Case(
      "what is no object among the items",
      #"[null, {"id": 2}, "x", [], [[{"id": 9}]], 7, true, {"id": 3}, {}]"#,
      "id=1; id=2; id=3; skippedItem 7; suspendedDeletion 1"),
    Case("comments", "[{\"id\": 2} /* x */]", "unexpectedCharacter 11 $"),
    Case("single quotes", "[{'id': 2}]", "unexpectedCharacter 2 $[0]"),
    Case("no number", "[{\"id\": NaN}]", "unexpectedCharacter 8 $[0].id"),
    Case("infinity", "[{\"id\": 2, \"real\": Infinity}]", "unexpectedCharacter 19 $[0].real"),
    Case("a leading zero", "[{\"id\": 02}]", "invalidNumber 8 $[0].id"),
    Case("a plus", "[{\"id\": +2}]", "unexpectedCharacter 8 $[0].id"),
    Case("hex", "[{\"id\": 0x2}]", "unexpectedCharacter 9 $[0]"),
    Case(
      "keys that differ in normal form only",
      #"[{"id": "é", "text": "1"}, {"id": "e\u0301", "text": "2"}, {"id": "Å"}, {"id": "Å"}, {"id": "A\u030a"}]"#,
      "id=\u{00C5}; id=A\u{030A}; id=\u{00E9} text=1; id=e\u{0301} text=2; repeatedItem 1",
      of: "Word"),
    Case(
      "keys that differ in case, space and width",
      #"[{"id": "a"}, {"id": "A"}, {"id": " a"}, {"id": "a "}, {"id": "ａ"}, {"id": "a\u200b"}]"#,
      "id= a; id=A; id=a; id=a ; id=a\u{200B}; id=\u{FF41}", of: "Word"),
    Case(
      "an empty key", #"[{"id": "", "text": "t"}, {"id": "b"}]"#, "id= text=t; id=b", of: "Word"),
    Case(
      "NUL in keys", #"[{"id": "a\u0000"}, {"id": "a\u0000b"}, {"id": "\u0000"}, {"id": "a"}]"#,
      "id=\0; id=a; id=a\0; id=a\0b", of: "Word"),
    Case(
      "SQL in keys",
      #"[{"id": "'; DROP TABLE Word; --", "derived_ids": ["\") OR 1=1 --"]}, {"id": "\") OR 1=1 --"}, {"id": "%"}, {"id": "_"}, {"id": "?1"}, {"id": "x'00'"}]"#,
      "id=\") OR 1=1 -- base=\'; DROP TABLE Word; --; id=%; id=\'; DROP TABLE Word; -- derived=[\") OR 1=1 --]; id=?1; id=_; id=x\'00\'",
      of: "Word"),
    Case(
      "numbers as keys of text",
      #"[{"id": 1}, {"id": 1.0}, {"id": "1"}, {"id": 1e0}, {"id": 12345678901234567890}, {"id": true}]"#,
      "id=1; id=12345678901234567890; repeatedItem 4", of: "Word"),
    Case(
      "objects that refer to themselves", #"[{"id": "a", "base_id": "a", "alike_ids": ["a"]}]"#,
      "id=a base=a derived=[a] alike=[a]", of: "Word"),
    Case(
      "a circle",
      #"[{"id": "a", "base_id": "b"}, {"id": "b", "base_id": "c"}, {"id": "c", "base_id": "a"}]"#,
      "id=a base=b derived=[c]; id=b base=c derived=[a]; id=c base=a derived=[b]", of: "Word"),
    Case(
      "an object nested in itself",
      #"[{"id": "a", "derived": [{"id": "a", "derived": [{"id": "a"}]}], "alike": [{"id": "a"}]}]"#,
      "id=a base=a derived=[a] alike=[a]", of: "Word"),
    Case(
      "ids of any kind",
      #"[{"id": "a", "derived_ids": [null, 1, true, "b", [], {}, 1e400]}, {"id": "b"}]"#,
      "id=1 base=a; id=a derived=[1,b]; id=b base=a; ignoredValue 2; repeatedItem 1; skippedItem 1; unresolvedReference 1",
      of: "Word"),
    Case(
      "surrogates in keys", #"[{"id": "\ud800"}, {"id": "\udbff"}, {"id": "\ufffd"}]"#,
      "id=\u{FFFD}; repeatedItem 2", of: "Word"),
  ]

  @Test(arguments: cases, [nil, 1]) func aHostilePayloadEndsAsItIsWritten(
    _ hostile: Case, _ parts: Int?
  ) throws {
    let stack = try DataStack(model: Self.model(), store: .inMemory)
    try stack.sync([["id": 1]] as JSONValue, inEntityNamed: hostile.entity)
    // Parts do not remember which keys others had; a list that names an object twice (never the
    // last finding here) is told in any case.
    let expected =
      parts == nil ? hostile.outcome : hostile.outcome.replacing(/; repeatedItem \d+$/, with: "")
    let found = try outcome(stack, hostile.payload, hostile.entity, parts)
    #expect(found == expected)
  }

  /// The objects afterwards, and the kinds of findings; or the error, with where it is.
  private func outcome(
    _ stack: DataStack, _ payload: Data, _ entity: String, _ parts: Int? = nil
  ) throws -> String {
    let before = try stack.store.read { try $0.dump() }
    let bench = try SyncBench(stack)
    do {
      let report: SyncReport
      if let parts {
        let plan = stack.mappingPlans.plan(for: try stack.model.requireEntity(named: entity))
        var request = SyncRequest(plan: plan, payload: .data(payload))
        request.tuning.partItems = parts
        report = try SyncRun(request, store: bench.store, control: SyncControl()).run().report
      } else {
        report = try stack.sync(payload, inEntityNamed: entity)
      }
      let findings = report.findings.map(\.kind.rawValue)
      let counts = Set(findings).sorted().map { kind in
        "\(kind) \(findings.count { $0 == kind })"
      }
      return (try bench.objects(entity) + counts).joined(separator: "; ")
    } catch let error as JSONError {
      #expect(try stack.store.read { try $0.dump() } == before)
      let offset = try #require(error.offset)
      #expect((0...payload.count).contains(offset))
      #expect(!error.message.isEmpty)
      return "\(error.code) \(offset) \(error.path.prefix(40))"
    } catch let error as SyncError {
      #expect(try stack.store.read { try $0.dump() } == before)
      return "\(error.code)"
    }
  }

  // MARK: - Damage

  private static let small = Data(
    #"[{"id": 1, "name": "aé\u00e9", "real": -1.5e1, "flag": true}, {"id": 22, "x": [{}, null]}]"#
      .utf8)

  @Test func aPayloadCutAnywhereIsRefused() throws {
    let stack = try DataStack(model: Self.model(), store: .inMemory)
    try stack.sync([["id": 1], ["id": 7]] as JSONValue, inEntityNamed: "Number")
    for length in 0..<Self.small.count {
      let outcome = try outcome(stack, Self.small.prefix(length), "Number")
      #expect(outcome.contains(/^[a-zA-Z]+ \d+ \$/), "\(length): \(outcome)")
    }
  }

  private static let substitutes = Array("\0\n \",-0[\\]e{}".utf8) + [0xFF]

  private static func damaged(_ byte: UInt8, _ damage: Int) -> UInt8 {
    damage < 8 ? byte ^ (1 << damage) : substitutes[damage - 8]
  }

  /// Either the damage is noticed and nothing happens, or the sync takes the damaged text.
  @Test(arguments: [1, 5, 7, 8, 11, 12, 16, 21]) func aDamagedByteIsRefusedOrMeansSomething(
    _ damage: Int
  ) throws {
    let stack = try DataStack(model: Self.model(), store: .inMemory)
    let other = try DataStack(model: Self.model(), store: .inMemory)
    let stored: JSONValue = [["id": 1], ["id": 7]]
    try stack.sync(stored, inEntityNamed: "Number")
    for offset in Self.small.indices {
      var payload = Self.small
      payload[offset] = Self.damaged(payload[offset], damage)
      let outcome = try outcome(stack, payload, "Number")
      guard let tree = try? JSONValue(parsing: String(decoding: payload, as: UTF8.self)) else {
        #expect(outcome.contains(/^[a-zA-Z]+ \d+ \$/), "\(offset): \(outcome)")
        continue
      }
      if outcome.hasPrefix("invalidEncoding") { continue }
      try other.sync(stored, inEntityNamed: "Number")
      #expect(try self.outcome(other, tree.data(), "Number") == outcome, "\(offset)")
      try stack.sync(stored, inEntityNamed: "Number")
    }
  }

  // MARK: - Size

  @Test(arguments: [nil, 1_000]) func largeKeysAndManyRepeats(_ parts: Int?) throws {
    let stack = try DataStack(model: Self.model(), store: .inMemory)
    let bench = try SyncBench(stack)
    let key = Self.repeated("k", 1 << 20)
    let twins = #"[{"id": "\#(key)a", "derived_ids": ["\#(key)b"]}, {"id": "\#(key)b"}]"#
    for _ in 0..<2 {
      let outcome = try outcome(stack, Data(twins.utf8), "Word", parts)
      #expect(outcome == "id=\(key)a derived=[\(key)b]; id=\(key)b base=\(key)a")
    }
    let items = (0..<3_000).map { #"{"id": "a", "text": "\#($0)"}"# }.joined(separator: ",")
    _ = try outcome(stack, Data("[\(items)]".utf8), "Word", parts)
    #expect(try bench.objects("Word").first == "id=a text=2999")
    let children = Array(repeating: #"{"id": "b"}"#, count: 3_000).joined(separator: ",")
    let keys = Array(repeating: #""b""#, count: 3_000).joined(separator: ",")
    for list in [
      #""derived": [\#(children)]"#, #""derived_ids": [\#(keys)]"#,
      #""alike": [\#(children)], "derived": [\#(children)]"#,
    ] {
      _ = try outcome(stack, Data(#"[{"id": "a", \#(list)}, {"id": "b"}]"#.utf8), "Word", parts)
      #expect(try bench.objects("Word").first?.hasPrefix("id=a text=2999 derived=[b]") == true)
    }
  }

  // MARK: - Names

  /// The words of SQLite, https://www.sqlite.org/lang_keywords.html.
  private static let words = """
    ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE BEGIN BETWEEN BY \
    CASCADE CASE CAST CHECK COLLATE COLUMN COMMIT CONFLICT CONSTRAINT CREATE CROSS CURRENT CURRENT_DATE \
    CURRENT_TIME CURRENT_TIMESTAMP DATABASE DEFAULT DEFERRABLE DEFERRED DELETE DESC DETACH DISTINCT DO DROP EACH \
    ELSE END ESCAPE EXCEPT EXCLUDE EXCLUSIVE EXISTS EXPLAIN FAIL FILTER FIRST FOLLOWING FOR FOREIGN FROM FULL \
    GENERATED GLOB GROUP GROUPS HAVING IF IGNORE IMMEDIATE IN INDEX INDEXED INITIALLY INNER INSERT INSTEAD \
    INTERSECT INTO IS ISNULL JOIN KEY LAST LEFT LIKE LIMIT MATCH MATERIALIZED NATURAL NO NOT NOTHING NOTNULL NULL \
    NULLS OF OFFSET ON OR ORDER OTHERS OUTER OVER PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY RAISE RANGE \
    RECURSIVE REFERENCES REGEXP REINDEX RELEASE RENAME REPLACE RESTRICT RETURNING RIGHT ROLLBACK ROW ROWS SAVEPOINT \
    SELECT SET TABLE TEMP TEMPORARY THEN TIES TO TRANSACTION TRIGGER UNBOUNDED UNION UNIQUE UPDATE USING VACUUM \
    VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH WITHOUT ROWID OID _row _version _entity _rowid_ MAIN SQLITE
    """.split(separator: " ").map(String.init)

  @Test func wordsOfSQLAreNamesLikeOthers() throws {
    let entities = Self.words.filter { !$0.hasPrefix("_") }
    let model = try ManagedObjectModel(
      [
        EntityDraft(
          "Words", [.attribute("id", .integer64)] + Self.words.map { .attribute($0, .string) })
      ]
        + entities.map { name in
          """
          \(name): id, \(name.lowercased()) -> \(name).back, back ->> \(name).\(name.lowercased()),
          many ->> \(name).\(name), \(name) ->> \(name).many
          """
        })
    let stack = try DataStack(model: model, store: .inMemory)
    let bench = try SyncBench(stack)
    let values = Self.words.map { #""\#($0)": "\#($0)""# }.joined(separator: ",")
    try stack.sync(Data(#"[{"id": 1, \#(values)}]"#.utf8), inEntityNamed: "Words")
    try stack.inMain { context in
      for word in Self.words {
        let filter = Filter("%K == %@", word, word)
        let count = try context.count(Fetch(entityNamed: "Words", filter))
        #expect(count == 1, "\(word)")
      }
    }
    for name in entities {
      let key = name.lowercased()
      let payload = #"[{"id": 1, "\#(key)": {"id": 2}, "many": [{"id": 2}]}]"#
      try stack.sync(Data(payload.utf8), inEntityNamed: name)
      #expect(try bench.objects(name) == ["id=1 \(key)=2 many=[2]", "id=2 back=[1] \(name)=[1]"])
    }
  }

  @Test(
    arguments: [
      "a\"b", "a'b", "a;b", "a b", "a.b", "", "[a]", "`a`", "a\0b", "--", "1a", "\u{FFFF}",
      "sqlite_master",
    ])
  func namesThatCannotBeAreErrorsOfTheModel(_ name: String) {
    #expect(throws: ModelError.self) { try ManagedObjectModel([EntityDraft(name, ["id"])]) }
    guard name != "sqlite_master" else { return }
    #expect(throws: ModelError.self) {
      try ManagedObjectModel([EntityDraft("Thing", ["id", .attribute(name, .string)])])
    }
  }

  @Test(arguments: ["Größe", "日本", "Ключ", "Cafe\u{301}"])
  func namesOfOtherScriptsWork(_ name: String) throws {
    let model = try ManagedObjectModel([
      EntityDraft(name, ["id", .attribute("wert\(name)", .string)])
    ])
    let stack = try DataStack(model: model, store: .inMemory)
    try stack.sync([.object(["id": 1, "wert\(name)": "x"])] as JSONValue, inEntityNamed: name)
    #expect(try SyncBench(stack).objects(name) == ["id=1 wert\(name)=x"])
  }
}
