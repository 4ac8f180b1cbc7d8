import Foundation
import SyncCore
import TestSupport
import Testing

struct JSONWriterTests {
  @Test(
    arguments: [
      (0, "0"), (.integer(.min), "-9223372036854775808"), (5.0, "5"), (-0.0, "0"), (0.1, "0.1"),
      (1e17, "100000000000000000"), (1e20, "100000000000000000000"), (1e21, "1e+21"),
      (1.5e300, "1.5e+300"), (1e-6, "0.000001"), (1e-7, "1e-7"), (123456.789, "123456.789"),
      (.double(.leastNonzeroMagnitude), "5e-324"), (-1.25, "-1.25"), (.double(.infinity), "1e999"),
      (.double(.nan), "null"),
      (.decimal(Decimal(string: "12.200") ?? 0), "12.2"),
      (
        .decimal(Decimal(string: "12345678901234567890.123456789") ?? 0),
        "12345678901234567890.123456789"
      ),
      (.decimal(Decimal(string: "1e30") ?? 0), "1e+30"),
      (.decimal(.nan), "null"),
    ] as [(JSONValue, String)])
  func numbersHaveOneText(value: JSONValue, text: String) {
    #expect(value.description == text)
  }

  @Test func stringsAreEscapedWhereTheyMustBe() {
    let value = JSONValue.string("a\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}é😀")
    #expect(value.description == "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7f}é😀\"")
    #expect((try? JSONValue(parsing: value.description)) == value)
  }

  @Test func keyOrderAndIndentationAreOptions() {
    let value: JSONValue = ["b": [1, [], [:]], "a": ["x": nil]]
    #expect(value.description == "{\"b\":[1,[],{}],\"a\":{\"x\":null}}")
    let pretty = value.data(isPretty: true, sortsKeys: true)
    #expect(
      String(decoding: pretty, as: UTF8.self) == """
        {
          "a": {
            "x": null
          },
          "b": [
            1,
            [],
            {}
          ]
        }
        """)
  }

  @Test func doublesComeBackBitForBit() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2000 {
      let double = Double(bitPattern: random.next())
      guard double.isFinite else { continue }
      #expect(try JSONValue(parsing: JSONValue.double(double).description).doubleValue == double)
    }
  }

  @Test func aLargeListIsWrittenInPieces() throws {
    var writer = JSONWriter()
    var output: [UInt8] = []
    writer.beginArray()
    for index in 0..<1000 {
      writer.beginObject()
      writer.key("id")
      writer.integer(Int64(index))
      writer.key("tags")
      writer.value(["a", nil])
      writer.endObject()
      writer.drain(above: 1000) { output.append(contentsOf: $0) }
      #expect(writer.bytes.count <= 1000)
    }
    writer.endArray()
    writer.drain { output.append(contentsOf: $0) }
    #expect(writer.bytes.isEmpty)
    let value = try JSONValue(parsing: Data(output))
    #expect(value.arrayValue?.count == 1000)
    #expect(value[999] == ["id": 999, "tags": ["a", nil]])
  }

  @Test func linesAreWrittenOneByOne() {
    var writer = JSONWriter()
    for index in 0..<2 {
      writer.value(["id": .integer(Int64(index))])
      writer.endLine()
    }
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "{\"id\":0}\n{\"id\":1}\n")
  }

  @Test(arguments: [
    ("{ \"b\": 1.0, \"a\": [10e-1, \"\\u0041\\/\"] }", "{\"a\":[1,\"A/\"],\"b\":1}"),
    ("{\"a\":1,\"a\":2}", "{\"a\":2}"), ("{\"\\u0061\":1,\"b\":0,\"a\":2}", "{\"a\":2,\"b\":0}"),
    ("{\"é\":1,\"z\":2,\"\":3}", "{\"\":3,\"z\":2,\"é\":1}"), ("\"x\"", "\"x\""),
    ("[1e400,-1e400]", "[1e999,-1e999]"), ("[1e-400]", "[0]"), ("-0.0", "0"),
    ("1234567890123456789012345678901234567890123", "1.2345678901234567e+42"),
    ("[0.1000,1E2,1e121,12345678901234567890]", "[0.1,100,1e+121,12345678901234567890]"),
    ("[null,true,false]", "[null,true,false]"),
  ])
  func equalValuesHaveTheSameCanonicalBytesFromTheTapeToo(text: String, bytes: String) throws {
    let value = try JSONValue(parsing: text)
    #expect(String(decoding: value.canonicalData, as: UTF8.self) == bytes)
    #expect(try JSONValue(canonical: value.canonicalData) == value)
    try Array(text.utf8).withUnsafeBytes { source in
      var scanner = JSONScanner(source)
      let tape = JSONTape()
      try scanner.scanValue(into: tape)
      let arena = CellArena()
      #expect(String(decoding: tape.canonical(0, arena: arena), as: UTF8.self) == bytes)
    }
  }
}
