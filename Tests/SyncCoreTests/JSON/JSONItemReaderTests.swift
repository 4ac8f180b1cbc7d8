import Foundation
import SyncCore
import Testing

struct JSONItemReaderTests {
  /// All items of a text, read one by one.
  private func items(
    _ text: String, at path: JSONPath = JSONPath(),
    options: JSONReadingOptions = JSONReadingOptions()
  ) throws -> [JSONValue] {
    try Array(text.utf8).withUnsafeBytes { bytes in
      var reader = try JSONItemReader(bytes, at: path, options: options)
      let tape = JSONTape()
      var result: [JSONValue] = []
      while try reader.next(into: tape) {
        #expect(reader.itemIndex == result.count)
        #expect(try JSONValue(parsing: Data(bytes[reader.itemRange])) == tape.value(0))
        result.append(tape.value(0))
      }
      #expect(try reader.next(into: tape) == false)
      return result
    }
  }

  @Test(
    arguments: [
      ("[]", "", []), ("[1,{\"a\":2}]", "", [1, ["a": 2]]), ("{\"a\":1}", "", [["a": 1]]),
      ("\u{feff} [1] ", "", [1]), ("[1,2,]", "", [1, 2]),
      ("{\"data\":[1,2],\"page\":{\"n\":[3]}}", "data", [1, 2]),
      ("{\"x\":{\"data\":0},\"data\":[],}", "data", []),
      ("{\"a\":{\"b\":[1]},\"c\":2}", "a.b", [1]), ("{\"a\":{\"b\":1}}", "a", [["b": 1]]),
      ("{\"a\":[[0],[1,2],[3]]}", "a.1", [1, 2]), ("[{\"x\":[5]},6]", "0.x", [5]),
      ("[{\"x\":[5]},6]", "$[0].x", [5]), ("{\"0\":[7]}", "0", [7]),
      ("{\"\\u0061\":[7]}", "a", [7]), ("{\"a.b\":[7]}", ["a.b"], [7]), ("[1]", "$", [1]),
    ] as [(String, JSONPath, [JSONValue])])
  func theListIsFoundWhereThePathLeads(text: String, path: JSONPath, values: [JSONValue]) throws {
    #expect(try items(text, at: path) == values)
  }

  /// Each item, with its place.
  private func placed(_ text: String, at path: JSONPath, takesMembers: Bool = false) throws
    -> [String]
  {
    try Array(text.utf8).withUnsafeBytes { bytes in
      var reader = try JSONItemReader(bytes, at: path, takesMembers: takesMembers)
      let tape = JSONTape()
      var result: [String] = []
      while try reader.next(into: tape) {
        let key = reader.memberKey.map { "\($0.tape.string($0.token)): " } ?? ""
        result.append("\(reader.itemPath) \(key)\(tape.value(0))")
      }
      var skipping = try JSONItemReader(bytes, at: path, takesMembers: takesMembers)
      var count = 0
      while try skipping.skipNext() != nil {
        #expect(result[count].hasPrefix(skipping.itemPath + " "))
        count += 1
      }
      #expect(count == result.count)
      // What was checked before is read as it is otherwise.
      var again = try JSONItemReader(bytes, at: path, takesMembers: takesMembers, isChecked: true)
      var places: [String] = []
      while try again.next(into: tape) { places.append("\(again.itemPath) ") }
      #expect(zip(result, places).allSatisfy { $0.hasPrefix($1) } && places.count == result.count)
      return result
    }
  }

  @Test(
    arguments: [
      (
        #"{"u":{"a":{"n":1},"b":{"n":2}},"z":0}"#, "u.*",
        [#"$.u.a a: {"n":1}"#, #"$.u.b b: {"n":2}"#]
      ),
      (#"{"a":{"n":1},"b c":2}"#, "*", [#"$.a a: {"n":1}"#, #"$["b c"] b c: 2"#]),
      (#"{"u":{}}"#, "u.*", []), (#"{"u":[5,6]}"#, "u.*", ["$.u[0] 5", "$.u[1] 6"]),
      (
        #"{"d":{"c":[{"k":1,"data":{"n":1}},{"data":{"n":2},"k":2}],"after":3}}"#, "d.c[].data",
        [#"$.d.c[0].data {"n":1}"#, #"$.d.c[1].data {"n":2}"#]
      ),
      (#"{"c":[]}"#, "c[].data", []),
      (#"{"c":[[1],[],[2,3]]}"#, "c[][]", ["$.c[0][0] 1", "$.c[2][0] 2", "$.c[2][1] 3"]),
      (
        #"{"g":[{"i":[1,2]},{"i":[]},{"i":[3]}]}"#, "g[].i",
        ["$.g[0].i[0] 1", "$.g[0].i[1] 2", "$.g[2].i[0] 3"]
      ),
      (
        #"{"r":{"a":{"m":{"x":1,"y":2}},"b":{"m":{"z":3}}}}"#, "r.*.m.*",
        ["$.r.a.m.x x: 1", "$.r.a.m.y y: 2", "$.r.b.m.z z: 3"]
      ),
      (
        #"{"e":[{"node":{"n":1}},{"node":null},null,{"cursor":"c"},7,{"node":{"n":2}}]}"#,
        "e[*].node",
        [
          #"$.e[0].node {"n":1}"#, "$.e[1].node null", "$.e[2] null", "$.e[3].node null",
          "$.e[4] null",
          #"$.e[5].node {"n":2}"#,
        ]
      ),
      (#"[[9,8],[7]]"#, "[].1", ["$[0][1] 8", "$[1][1] null"]),
      ("{\"odata.value\":[1]}", "['odata.value']", [#"$["odata.value"][0] 1"#]),
      (#"{"*":[1]}"#, ["*"], [#"$["*"][0] 1"#]), (#"{"a":[1]}"#, "$[\"a\"]", ["$.a[0] 1"]),
      ("{\"d\":[1]}\n{\"d\":[2,3]}", "d[]", ["$.d[0] 1", "$[1].d[0] 2", "$[1].d[1] 3"]),
    ] as [(String, JSONPath, [String])])
  func aStepThatMeansEachChildLeadsToItemsOneAfterTheOther(
    text: String, path: JSONPath, items: [String]
  ) throws {
    #expect(try placed(text, at: path) == items)
  }

  @Test(arguments: [
    (#"{"a":{"n":1},"b":2}"#, [#"$.a a: {"n":1}"#, "$.b b: 2"]),
    (#"{"id":1,"a":{}}"#, [#"$ {"id":1,"a":{}}"#]), ("{}", ["$ {}"]), ("[{}]", ["$[0] {}"]),
  ])
  func anObjectOfObjectsIsAListOfThemWhereThatIsWanted(text: String, items: [String]) throws {
    #expect(try placed(text, at: "", takesMembers: true) == items)
  }

  @Test(arguments: [
    (#"{"c":[{"data":1},{"data":}]}"#, "$.c[1].data"), (#"{"c":[{"data":1} {}]}"#, "$.c"),
    (#"{"c":[{"data":1,"data":2}]}"#, "$.c[0]"), (#"{"c":[{"data":1}"#, "$.c"),
    (#"{"c":5}"#, "$.c"), (#"{"d":5}"#, "$"),
  ])
  func aFaultOnTheWayToEachChildIsToldWithItsPath(text: String, place: String) throws {
    #expect { try placed(text, at: "c[].data") } throws: { ($0 as? JSONError)?.path == place }
  }

  @Test(
    arguments: [
      ("{\"a\":1}\n{\"a\":2}\n", "", [["a": 1], ["a": 2]]),
      ("{\"a\":1}\r\n\r\n{\"a\":2}", "", [["a": 1], ["a": 2]]),
      ("{\"d\":[1,2]}\n{\"d\":[3]}", "d", [1, 2, 3]),
      ("{\"a\":\n1}\n5\n[6,7]", "", [["a": 1], 5, 6, 7]),
    ] as [(String, JSONPath, [JSONValue])])
  func valuesOnLinesOfTheirOwnAreItems(text: String, path: JSONPath, values: [JSONValue]) throws {
    #expect(try items(text, at: path) == values)
    #expect(try items(text, at: path, options: JSONReadingOptions(format: .lines)) == values)
    #expect(throws: JSONError.self) {
      try items(text, at: path, options: JSONReadingOptions(format: .document))
    }
  }

  @Test func linesMayBeNone() throws {
    #expect(try items(" \n", options: JSONReadingOptions(format: .lines)) == [])
    #expect(try items("1\n2", options: JSONReadingOptions(format: .lines)) == [1, 2])
  }

  @Test(
    arguments: [
      ("", "", .emptyDocument, "$", "empty"),
      ("null", "", .notAList, "$", "null"), ("12", "", .notAList, "$", "a number"),
      ("{\"a\":\"x\"}", "a", .notAList, "$.a", "a string"),
      ("{\"a\":null}", "a", .notAList, "$.a", "null"),
      ("{\"items\":1,\"page\":2}", "data", .pathNotFound, "$", "“items”, “page”"),
      ("{\"data\":{}}", "data.items", .pathNotFound, "$.data", "empty"),
      ("{\"data\":5}", "data.items", .pathNotFound, "$.data", "“items” in a number"),
      ("[[1]]", "items", .pathNotFound, "$", "from 0 to 0"),
      ("[[1]]", "3", .pathNotFound, "$", "the array has 1"),
    ] as [(String, JSONPath, JSONError.Code, String, String)])
  func aValueThatIsNoListSaysItsKind(
    text: String, path: JSONPath, code: JSONError.Code, location: String, words: String
  ) {
    let error = #expect(throws: JSONError.self) { try items(text, at: path) }
    #expect(error?.code == code && error?.path == location)
    #expect(error?.message.contains(words) == true)
  }

  @Test(
    arguments: [
      ("[1] x", "", .trailingContent, "$"), ("[1]\n[2]", "", .trailingContent, "$"),
      ("{\"a\":1} {\"a\":2}", "", .trailingContent, "$"),
      ("{\"d\":[1],\"e\":[tru]}", "d", .unexpectedCharacter, "$.e[0]"),
      ("{\"d\":[1] \"e\":1}", "d", .unexpectedCharacter, "$"),
      ("{\"d\":[1],\"d\":[2]}", "d", .duplicateMember, "$"),
      ("{\"d\":[1]", "d", .unexpectedEnd, "$"), ("[[1],]x", "0", .trailingContent, "$"),
      ("[1,[2,x]]", "", .unexpectedCharacter, "$[1][1]"), ("[1 2]", "", .unexpectedCharacter, "$"),
      ("{\"d\":[{\"n\":\"a\nb\"}]}", "d", .controlCharacter, "$.d[0].n"),
      ("{\"a\":1}\n{\"a\":}", "", .unexpectedCharacter, "$[1].a"),
      ("[1,", "", .unexpectedEnd, "$"),
    ] as [(String, JSONPath, JSONError.Code, String)])
  func theRestOfTheDocumentIsChecked(
    text: String, path: JSONPath, code: JSONError.Code, location: String
  ) {
    let error = #expect(throws: JSONError.self) { try items(text, at: path) }
    #expect(error?.code == code && error?.path == location)
  }

  @Test(
    arguments: [[0xFF, 0xFE, 0x5B, 0x00], [0x00, 0x5B, 0x00, 0x5D], [0xFE, 0xFF]] as [[UInt8]])
  func otherEncodingsAreNamed(bytes: [UInt8]) {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: Data(bytes)) }
    #expect(error?.code == .invalidEncoding && error?.message.contains("UTF-8") == true)
  }

  @Test(
    arguments: [
      ([0x1F, 0x8B, 0x08, 0x00], "gunzip -c"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd -dc"),
      ([0x50, 0x4B, 0x03, 0x04], "unzip -p"), ([0x42, 0x5A, 0x68, 0x39], "bunzip2 -c"),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz -dc"),
    ] as [([UInt8], String)])
  func compressedBytesAreNamedWithWhatUnpacksThem(bytes: [UInt8], program: String) {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: Data(bytes + [1, 2, 3])) }
    #expect(error?.code == .compressed && error?.message.contains("'\(program) FILE'") == true)
    // Cut off before it can be told, it is no JSON in any case.
    #expect(throws: JSONError.self) { try JSONValue(parsing: Data(bytes.prefix(1))) }
  }

  @Test(arguments: [
    "milk, eggs", "a; b", "Doe, Ann", "a\tb", "<b>bold</b>", "<a, b>", "\"id\",\"name\"", "é, è",
    "plain", "", ",", "line\nand, line",
  ])
  func aTextThatLooksLikeAnotherFormatIsJSONWhereItIsJSON(_ text: String) throws {
    let value = JSONValue.string(text)
    #expect(try JSONValue(parsing: value.data()) == value)
    #expect(try JSONValue(canonical: value.canonicalData) == value)
    #expect(try items("[\(value)]", at: JSONPath()) == [value])
    let words = try JSONValue(parsing: "null\t")
    #expect(words.isNull)
    // On its own line each, and none of them a list.
    let lines = "\(value)\n\(value)\n"
    let options = JSONReadingOptions(format: .lines)
    #expect(try items(lines, at: JSONPath(), options: options) == [value, value])
  }

  @Test(arguments: [
    ("<html>", "HTML"), ("id,name\n1,a", "CSV"), ("true,false", "CSV"),
    ("\"id\",\"name\"\n1,\"a\"", "CSV"), ("\"a\" ;\"b\"", "CSV"), ("\"milk, eggs", nil),
    ("{\"a\": milk, eggs}", nil), ("[1,", nil), ("a", nil),
  ])
  func textThatIsNoJSONIsCalledByItsName(_ text: String, _ name: String?) {
    let both = [
      #expect(throws: JSONError.self) { try JSONValue(parsing: text) },
      #expect(throws: JSONError.self) { try items(text, at: JSONPath()) },
    ]
    for error in both {
      let message = error?.message ?? ""
      #expect(["HTML", "CSV"].first(where: message.contains) == name, "\(message)")
    }
  }

  @Test(
    arguments: [
      ("[]", ""), ("[1 , -2.5e3,\"]\\\"\" , [1,[2]],{\"a\":\"}\"} ,null,true]", ""),
      ("{\"d\":[{\"x_y\":\"Y_y\\\\\"},\"\",0,{}]}", "d"), ("{\"a\":1}\n{\"a\":[2]}\n", ""),
      (
        "[\"a text of more than eight bytes, \\\\\\\"\",{\"key of many bytes\":[[[[]]]]},12345678901]",
        ""
      ),
    ] as [(String, JSONPath)])
  func skippingFindsTheSameBoundsAsReading(text: String, path: JSONPath) throws {
    try Array(text.utf8).withUnsafeBytes { bytes in
      var reading = try JSONItemReader(bytes, at: path)
      var skipping = try JSONItemReader(bytes, at: path)
      let tape = JSONTape()
      let other = JSONTape()
      while try reading.next(into: tape) {
        #expect(try skipping.skipNext() == reading.itemRange)
        try skipping.readSkipped(into: other)
        #expect(other.value(0) == tape.value(0))
        #expect(skipping.itemPath == reading.itemPath)
      }
      #expect(try skipping.skipNext() == nil)
    }
  }

  /// The length of an object with the member “a” that is known already.
  private func known(_ text: UnsafeRawBufferPointer) -> Int {
    text.starts(with: Array("{\"a\":".utf8)) ? 7 : 0
  }

  @Test func elementsThatAreKnownArePassedOverTogether() throws {
    let text = "[{\"a\":1}, {\"a\":2} ,\n{\"a\":3},{\"b\":4},{\"a\":5}]"
    try Array(text.utf8).withUnsafeBytes { bytes in
      var reader = try JSONItemReader(bytes)
      #expect(reader.skipElements(before: .max, known) == 0, "The first one is looked for.")
      #expect(try reader.skipNext() == 1..<8)
      #expect(reader.skipElements(before: 12, known) == 1, "None begins behind the limit.")
      #expect(reader.itemRange == 10..<17)
      #expect(reader.skipElements(before: .max, known) == 1)
      #expect(reader.itemRange == 20..<27)
      #expect(reader.itemIndex == 2)
      #expect(reader.itemPath == "$[2]")
      #expect(try reader.skipNext() == 28..<35)
      #expect(reader.skipElements(before: .max, known) == 1)
      #expect(reader.itemPath == "$[4]")
      #expect(try reader.skipNext() == nil)
      #expect(reader.skipElements(before: .max, known) == 0)
    }
  }

  @Test(arguments: [
    "[{\"a\":1} {\"a\":2}]", "[{\"a\":1},", "[{\"a\":1}", "[{\"a\":1},  ",
    "[{\"a\":1},,{\"a\":2}]", "[{\"a\":1}},{\"a\":2}]",
  ])
  func textBetweenKnownElementsIsAnErrorAsBetweenOthers(text: String) throws {
    try Array(text.utf8).withUnsafeBytes { bytes in
      var reader = try JSONItemReader(bytes)
      var other = reader
      #expect(try reader.skipNext() == 1..<8)
      #expect(reader.skipElements(before: .max, known) == 0)
      let error = #expect(throws: JSONError.self) { while try reader.skipNext() != nil {} }
      let expected = #expect(throws: JSONError.self) { while try other.skipNext() != nil {} }
      #expect(error == expected)
    }
  }

  @Test func aSkippedItemIsCheckedWhenRead() throws {
    try Array("[[1}, 2]".utf8).withUnsafeBytes { bytes in
      var reader = try JSONItemReader(bytes)
      #expect(try reader.skipNext() == 1..<4)
      let error = #expect(throws: JSONError.self) { try reader.readSkipped(into: JSONTape()) }
      #expect(error?.path == "$[0][1]")
    }
  }
}

@Suite struct JSONPathTests {
  @Test(
    arguments: [
      ("", []),
      ("$", []),
      ("$.a", ["a"]),
      ("a.$", ["a", .key("$")]),
      ("data.items", ["data", "items"]),
      ("a[3].b", ["a", .key("3"), "b"]),
      ("['a.b'].c", ["a.b", "c"]),
      ("[\"a['b']\"]", ["a['b']"]),
      ("['']", [""]),
      ("a[].b", ["a", .each, "b"]),
      ("a.*", ["a", .each]),
      ("['*']", [.key("*")]),
      ("a['b", ["a", "'b"]),
      ("$[\"\u{591}a\"].b", ["\u{591}a", "b"]),
      (".\u{301}a", ["\u{301}a"]),
      ("a[\u{301}]b", ["a", "\u{301}", "b"]),
    ] as [(String, [JSONPath.Step])])
  func aTextIsReadAsSteps(_ text: String, _ steps: [JSONPath.Step]) {
    #expect(JSONPath(text).steps == steps)
  }

  @Test(arguments: [
    "a", "a.b", "", "$", "*", "]", "a]b", "'", "a']", "a\"]", "\u{301}a", "a.\u{301}", "]\u{301}",
    "\"]\u{301}x",
    "']\u{301}.", "[", "3", "日本", "e\u{301}",
  ])
  func aNameIsWrittenAsItIsRead(_ name: String) {
    for path in [JSONPath([.key(name)]), JSONPath(["a", .key(name), .each, .key(name)])] {
      #expect(JSONPath(path.text) == path)
      #expect(JSONPath(path.description) == path)
    }
  }
}
