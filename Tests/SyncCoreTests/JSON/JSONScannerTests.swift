import Foundation
import SyncCore
import TestSupport
import Testing

/// Scans a copy in a block of exactly its size, so that a sanitizer sees a read beyond the end.
func scanned(
  _ bytes: some Collection<UInt8>, options: JSONReadingOptions = JSONReadingOptions()
) throws -> JSONValue {
  let block = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
  block.copyBytes(from: bytes)
  defer { block.deallocate() }
  var scanner = JSONScanner(UnsafeRawBufferPointer(block), options: options)
  let tape = JSONTape(capacity: 1)
  try scanner.scanValue(into: tape)
  return tape.value(0)
}

func scanned(_ text: String, options: JSONReadingOptions = JSONReadingOptions()) throws -> JSONValue
{
  try scanned(Array(text.utf8), options: options)
}

struct JSONScannerTests {
  @Test(
    arguments: [
      ("null", .null), ("true", true), ("false", false), ("0", 0), ("-0", 0), ("-1", -1),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("\"\"", ""), ("\"a\"", "a"), ("\"12345678\"", "12345678"),
      ("\"\u{e9}t\u{e9} 漢字 😀\"", "\u{e9}t\u{e9} 漢字 😀"), ("[]", []), ("{}", [:]),
      (" [ ] ", []), ("{ }", [:]), ("[1,[2,[]],{}]", [1, [2, []], [:]]),
      ("{\"a\":{\"b\":[true,null]},\"c\":\"d\"}", ["a": ["b": [true, nil]], "c": "d"]),
      ("\t\r\n 1", 1), ("[\n          1,\n          2\n]", [1, 2]),
      ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\u{8}\u{c}\n\r\t"),
      ("\"\\u0041\\u00e9\\u6f22\\ud83d\\uDE00\"", "A\u{e9}漢😀"), ("\"\\u0000\"", "\u{0}"),
    ] as [(String, JSONValue)])
  func everyKindOfValueIsRead(text: String, value: JSONValue) throws {
    #expect(try scanned(text) == value)
  }

  @Test(arguments: [
    ("\"\\ud83d\"", "\u{fffd}"), ("\"\\ude00\"", "\u{fffd}"), ("\"\\ud83dx\"", "\u{fffd}x"),
    ("\"\\ud83d\\u0041\"", "\u{fffd}A"), ("\"\\ud83d\\ud83d\\ude00\"", "\u{fffd}😀"),
    ("\"\\ude00\\ud83d\"", "\u{fffd}\u{fffd}"), ("\"\\ud83d\\n\"", "\u{fffd}\n"),
  ])
  func halfASurrogatePairBecomesTheReplacementCharacter(text: String, content: String) throws {
    #expect(try scanned(text) == .string(content))
  }

  @Test(
    arguments: [
      ("", .unexpectedEnd, 0), ("   ", .unexpectedEnd, 3), ("nul", .unexpectedEnd, 0),
      ("nil", .unexpectedCharacter, 0), ("True", .unexpectedCharacter, 0),
      ("[tru]", .unexpectedCharacter, 1), ("[", .unexpectedEnd, 1), ("{", .unexpectedEnd, 1),
      ("[1", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3), ("{\"a\"", .unexpectedEnd, 4),
      ("{\"a\":", .unexpectedEnd, 5), ("{\"a\":1", .unexpectedEnd, 6),
      ("[,]", .unexpectedCharacter, 1),
      ("[1 2]", .unexpectedCharacter, 3), ("[1}", .unexpectedCharacter, 2),
      ("{]", .unexpectedCharacter, 1), ("[}", .unexpectedCharacter, 1),
      ("{1:2}", .unexpectedCharacter, 1),
      ("{\"a\" 1}", .unexpectedCharacter, 5), ("{\"a\":1 \"b\":2}", .unexpectedCharacter, 7),
      ("{\"a\":1,,}", .unexpectedCharacter, 7), ("{,}", .unexpectedCharacter, 1),
      ("{a:1}", .unexpectedCharacter, 1), ("'a'", .unexpectedCharacter, 0),
      ("]", .unexpectedCharacter, 0), ("// x", .unexpectedCharacter, 0),
      ("01", .invalidNumber, 0), ("-01", .invalidNumber, 1), ("-", .unexpectedEnd, 1),
      ("-a", .invalidNumber, 1), ("+1", .unexpectedCharacter, 0), (".5", .unexpectedCharacter, 0),
      ("1.", .unexpectedEnd, 2), ("1.a", .invalidNumber, 2), ("1e", .unexpectedEnd, 2),
      ("1e+", .unexpectedEnd, 3), ("1ex", .invalidNumber, 2), ("NaN", .unexpectedCharacter, 0),
      ("-Infinity", .invalidNumber, 1),
      ("\"a", .unexpectedEnd, 2), ("\"a\\", .unexpectedEnd, 3), ("\"\\u12", .unexpectedEnd, 5),
      ("\"\\u12x4\"", .invalidEscape, 1), ("\"\\x\"", .invalidEscape, 1),
      ("\"a\nb\"", .controlCharacter, 2), ("\"\u{0}\"", .controlCharacter, 1),
      ("\"abcdefghijk\u{1f}\"", .controlCharacter, 12),
    ] as [(String, JSONError.Code, Int)])
  func aBreachOfTheGrammarIsRefusedWhereItStands(text: String, code: JSONError.Code, offset: Int) {
    let error = #expect(throws: JSONError.self) { try scanned(text) }
    #expect(error?.code == code && error?.offset == offset)
  }

  @Test(
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80],
      [0xE0, 0x9F, 0xBF], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
      [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
    ] as [[UInt8]])
  func bytesThatAreNoUTF8AreRefused(bytes: [UInt8]) {
    for padding in 0..<10 {
      let text =
        [UInt8(ascii: "\"")] + [UInt8](repeating: UInt8(ascii: "a"), count: padding) + bytes
        + [UInt8(ascii: "\"")]
      let error = #expect(throws: JSONError.self) { try scanned(text) }
      #expect(error?.code == .invalidEncoding && error?.offset == 1 + padding)
    }
  }

  @Test func everyUnicodeScalarIsAccepted() throws {
    var text = "\""
    for number in UInt32(0x20)...0x10FFFF where number % 61 == 0 || number < 0x900 {
      guard let scalar = Unicode.Scalar(number), scalar != "\"", scalar != "\\" else { continue }
      text.unicodeScalars.append(scalar)
    }
    let content = String(text.dropFirst())
    #expect(try scanned(text + "\"") == .string(content))
  }

  @Test func numbersBeyond64BitsKeepTheirText() throws {
    for text in [
      "9223372036854775808", "-9223372036854775809", "18446744073709551616", "12.20", "1E5",
    ] {
      let bytes = Array(text.utf8)
      try bytes.withUnsafeBytes { bytes in
        var scanner = JSONScanner(bytes)
        let tape = JSONTape()
        try scanner.scanValue(into: tape)
        #expect(tape[0].kind == .number)
        #expect(tape.string(0) == text)
      }
    }
  }

  @Test(arguments: ["[1,2,]", "{\"a\":1,}", "[[1,],{\"a\":[2, ] , },]"])
  func trailingCommasAreASwitch(text: String) throws {
    #expect(throws: Never.self) { try scanned(text) }
    let strict = JSONReadingOptions(allowsTrailingCommas: false)
    let error = #expect(throws: JSONError.self) { try scanned(text, options: strict) }
    #expect(error?.code == .unexpectedCharacter)
    #expect(error?.message.contains("allowsTrailingCommas") == true)
  }

  @Test func nestingIsLimited() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    let options = JSONReadingOptions(maximumDepth: 5)
    #expect(throws: Never.self) { try scanned(nested(5), options: options) }
    #expect(throws: JSONError.self) { try scanned(nested(6), options: options) }
    #expect(throws: Never.self) { try scanned(nested(512)) }
    let error = #expect(throws: JSONError.self) { try scanned(nested(1_000_000)) }
    #expect(error?.code == .tooDeep)
    // The way to a place so deep is shortened.
    #expect(error.map { $0.path.count < 100 && $0.path.contains("…") } == true)
    let endless = JSONReadingOptions(maximumDepth: .max)
    #expect(throws: JSONError.self) { try scanned(nested(100_000), options: endless) }
  }

  @Test func errorsSayLineColumnAndPath() {
    let text = "{\n \"é\": 1,\n \"data\": [{\"id\": 1}, {\"odd name\": {\"x\": [1, 2, é]}}]}"
    let error = #expect(throws: JSONError.self) { try scanned(text) }
    #expect(error?.path == "$.data[1][\"odd name\"].x[2]")
    #expect(error?.line == 3)
    #expect(error?.column == 48)
    #expect(error?.description.hasPrefix("Line 3, column 48 (byte 59), at $.data[1]") == true)
  }

  @Test func tokensPointBehindTheirContent() throws {
    let text = Array("{\"a\": [1, \"x\"], \"b\": {}, \"a\": -2}".utf8)
    try text.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      let tape = JSONTape()
      try scanner.scanValue(into: tape)
      #expect((0..<tape.count).map { tape.index(after: $0) } == [9, 2, 5, 4, 5, 6, 7, 8, 9])
      #expect(tape[0].count == 3)
      #expect(tape[2].count == 2)
      #expect(tape[6].count == 0)
      #expect(tape.member("a", of: 0) == 8)
      #expect(tape.value(at: "a", from: 0) == 8)
      #expect(tape.element(1, of: 2) == 4)
      #expect(tape.element(2, of: 2) == nil)
      let sources = (0..<tape.count).map { index in
        let token = tape[index]
        let end = Int(token.start) + Int(token.length) + (token.isString ? 2 : 0)
        return String(decoding: bytes[Int(token.start)..<end], as: UTF8.self)
      }
      #expect(sources[1...] == ["\"a\"", "[1, \"x\"]", "1", "\"x\"", "\"b\"", "{}", "\"a\"", "-2"])
      #expect(sources[0].utf8.count == bytes.count)
    }
  }

  @Test func textsAreUnescapedIntoTheArena() throws {
    let text = Array("[\"plain\", \"a\\nb\\u00e9\", 12.5]".utf8)
    try text.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      let tape = JSONTape()
      try scanner.scanValue(into: tape)
      let arena = CellArena()
      #expect(tape.text(1, arena: arena).baseAddress == bytes.baseAddress.map { $0 + 2 })
      #expect(tape.text(2, arena: arena).elementsEqual("a\nb\u{e9}".utf8))
      #expect(tape.text(3, arena: arena).elementsEqual("12.5".utf8))
    }
  }
}

// MARK: - Damage

struct JSONDamageTests {
  static let document = """
    {"data": [{"id": 12, "name": "Zo\u{eb} \\u00eb\\ud83d\\ude00 \\"x\\"", "score": -12.25e+3},
     {"id": 9223372036854775808, "tags": ["a", "bb", "a longer text of many bytes", ""],
      "ok": true, "no": false, "none": null, "deep": [[[{"a": {"b": [0]}}]]]}], "page": 1}
    """

  @Test func aDocumentCutAnywhereIsRefused() {
    let bytes = Array(JSONDamageTests.document.utf8)
    for length in 0..<bytes.count {
      let error = #expect(throws: JSONError.self) { try scanned(bytes[..<length]) }
      #expect(error?.offset.map { $0 <= length } == true)
    }
  }

  @Test func aNumberCutAnywhereNeverReadsBeyondItsEnd() {
    for text in ["-12.25e+31", "123456789012345678901", "true", "\"\\ud83d\\ude00é😀 and more\""] {
      let bytes = Array(text.utf8)
      for length in 0...bytes.count { _ = try? scanned(bytes[..<length]) }
    }
  }

  @Test(arguments: Proof.seeds(usual: 0..<5))
  func damagedBytesNeverStopTheProcess(seed: UInt64) {
    defer { Proof.tried("sequences of damages of a document") }
    var random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
    let original = Array(JSONDamageTests.document.utf8)
    let marks = Array("{}[]\",:\\eE+-.0u \n".utf8)
    for _ in 0..<400 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[index] = marks.randomElement(using: &random) ?? 0
        case 2: bytes.remove(at: index)
        default: bytes.insert(marks.randomElement(using: &random) ?? 0, at: index)
        }
      }
      if let value = try? scanned(bytes) {
        // Accepted bytes are JSON: written and read again it is the same.
        #expect((try? JSONValue(parsing: value.data())) == value)
      }
      readItems(bytes)
    }
  }

  /// Reads and skips through a damaged payload; both must end, in whatever way.
  private func readItems(_ bytes: [UInt8]) {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    block.copyBytes(from: bytes)
    defer { block.deallocate() }
    let payload = UnsafeRawBufferPointer(block)
    let tape = JSONTape()
    for path: JSONPath in ["data", "", "data.1.tags"] {
      do {
        var reader = try JSONItemReader(payload, at: path)
        while try reader.next(into: tape) { #expect(reader.itemRange.upperBound <= bytes.count) }
      } catch {
        #expect(!error.message.isEmpty)
      }
      do {
        var reader = try JSONItemReader(payload, at: path)
        while try reader.skipNext() != nil { try? reader.readSkipped(into: tape) }
      } catch {
        #expect(!error.message.isEmpty)
      }
    }
  }
}
