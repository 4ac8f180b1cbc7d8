import Foundation
import SyncCore
import Testing

struct JSONValueTests {
  @Test(
    arguments: [
      (1, 1.0, true), (.decimal(1), 1, true), (.decimal(Decimal(string: "0.1") ?? 0), 0.1, true),
      (1e20, .decimal(Decimal(string: "100000000000000000000") ?? 0), true), (0.0, -0.0, true),
      (1, 1.5, false), (1, true, false), (0, false, false), (0, nil, false), ("1", 1, false),
      (.double(.nan), .double(.nan), true), (.double(.infinity), .double(-.infinity), false),
    ] as [(JSONValue, JSONValue, Bool)])
  func numbersAreEqualWhenTheyAreTheSameNumberInJSON(
    left: JSONValue, right: JSONValue, isEqual: Bool
  ) {
    #expect((left == right) == isEqual)
    #expect((left.canonicalData == right.canonicalData) == (isEqual || left == .double(.nan)))
    if isEqual { #expect(left.hashValue == right.hashValue) }
  }

  @Test(
    arguments: [
      ("2014-01-02T00:00:00.5Z", 1_388_620_800.5), ("2014-01-02", 1_388_620_800),
      ("2014-01-02 01:00:00 +0100", 1_388_620_800), (1_388_620_800, 1_388_620_800),
      (1_388_620_800_500, 1_388_620_800.5), (1_388_620_800.25, 1_388_620_800.25),
      (.decimal(1_388_620_800), 1_388_620_800), ("1388620800", 1_388_620_800),
      ("yesterday", nil), ("2014-13-01", nil), (true, nil), (nil, nil), ([1], nil),
    ] as [(JSONValue, Double?)])
  func datesAreReadAsASyncReadsThem(value: JSONValue, seconds: Double?) {
    #expect(value.dateValue?.timeIntervalSince1970 == seconds)
  }

  @Test func textIsComparedByteByByte() {
    #expect(JSONValue.string("e\u{301}") != .string("\u{e9}"))
    let object: JSONObject = ["e\u{301}": 1, "\u{e9}": 2]
    #expect(object.count == 2)
    #expect(object["\u{e9}"] == 2)
  }

  @Test func objectsKeepTheirOrderAndTheLastOfRepeatedNames() throws {
    let value = try JSONValue(parsing: "{\"b\":1,\"a\":2,\"b\":3}")
    #expect(value.objectValue?.keys == ["b", "a"])
    #expect(value["b"] == 3)
    #expect(value == ["a": 2, "b": 3])
    #expect(value.hashValue == (["a": 2, "b": 3] as JSONValue).hashValue)
  }

  @Test func largeObjectsFindTheirMembers() {
    var object = JSONObject()
    for index in 0..<100 { object["key\(index)"] = .integer(Int64(index)) }
    object["key50"] = nil
    object["key99"] = "last"
    #expect(object.count == 99)
    #expect(object["key50"] == nil)
    #expect(object["key51"] == 51)
    #expect(object["key99"] == "last")
    #expect(object.map(\.key).prefix(2) == ["key0", "key1"])
  }

  @Test func subscriptsReadAndWrite() {
    var value: JSONValue = ["id": 6, "tags": ["a", "b"], "address": ["city": "Ulm"]]
    value["id"] = 7
    value["tags"]?[1] = "c"
    value["address"]?["zip"] = "89073"
    value["tags"]?[5] = "ignored"
    #expect(value == ["id": 7, "tags": ["a", "c"], "address": ["city": "Ulm", "zip": "89073"]])
    value["address"] = nil
    #expect(value["address"] == nil)
    #expect(value.value(at: "tags.1") == "c")
    #expect(value.value(at: ["tags", 0]) == "a")
    #expect(value.value(at: "tags.x") == nil)
    var empty = JSONValue.null
    empty["a"] = 1
    #expect(empty == ["a": 1])
  }

  @Test func valuesAreSeenAsTheirKindOnly() {
    #expect(JSONValue.bool(true).integerValue == nil)
    #expect(JSONValue.integer(1).boolValue == nil)
    #expect(JSONValue.double(12).integerValue == 12)
    #expect(JSONValue.double(12.5).integerValue == nil)
    #expect(JSONValue.double(12.2).decimalValue == Decimal(string: "12.2"))
    #expect(JSONValue.integer(3).doubleValue == 3)
    #expect(JSONValue.decimal(Decimal(string: "0.1") ?? 0).doubleValue == 0.1)
    #expect(JSONValue.string("1").integerValue == nil)
  }

  // MARK: - Foundation trees

  @Test func boxedBooleansAndNumbersAreToldApart() throws {
    let any: [String: Any] = [
      "t": true, "f": NSNumber(value: false), "one": NSNumber(value: 1), "int": 0,
      "int8": NSNumber(value: Int8(1)), "double": NSNumber(value: 1.5), "float": Float(0.1),
      "big": UInt64.max, "null": NSNull(), "none": Int?.none as Any, "some": Int?.some(3) as Any,
      "text": "x", "nested": [["a": [1, true]]], "decimal": Decimal(string: "12.2") as Any,
      "number": NSDecimalNumber(string: "0.30"),
    ]
    let expected: JSONValue = [
      "t": true, "f": false, "one": 1, "int": 0, "int8": 1, "double": 1.5, "float": 0.1,
      "big": .decimal(Decimal(UInt64.max)), "null": nil, "none": nil, "some": 3, "text": "x",
      "nested": [["a": [1, true]]], "decimal": 12.2, "number": 0.3,
    ]
    #expect(try JSONValue(any) == expected)
  }

  @Test func whatFoundationReadsIsTheSame() throws {
    let text =
      "{\"a\":[true,false,0,1,1.5,-7,\"x\",null,18446744073709551615],\"b\":{\"c\":{}},\"d\":[]}"
    let tree = try JSONSerialization.jsonObject(with: Data(text.utf8))
    #expect(try JSONValue(tree) == JSONValue(parsing: text))
  }

  @Test func theTypesPeoplePutIntoDictionariesAreTaken() throws {
    let id = UUID()
    let url = try #require(URL(string: "https://example.com/a"))
    let any: [Any] = [
      Date(timeIntervalSince1970: 0.5), id, url, Data([1, 2, 3]), NSString("n"),
      NSArray(array: [1]), NSDictionary(dictionary: ["k": "v"]), Substring("s"),
    ]
    let expected: JSONValue = [
      "1970-01-01T00:00:00.500Z", .string(id.uuidString), "https://example.com/a", "AQID", "n",
      [1], ["k": "v"], "s",
    ]
    #expect(try JSONValue(any) == expected)
  }

  @Test func whatHasNoJSONFormIsNamedWithItsPath() {
    struct Other {}
    let error = #expect(throws: JSONError.self) {
      try JSONValue(["list": [1, ["x": Other()]]] as [String: Any])
    }
    #expect(error?.code == .unsupportedValue && error?.path == "$.list[1].x")
    #expect(error?.message.contains("Other") == true)
  }

  // MARK: - Coding

  private struct Sample: Codable, Equatable {
    struct Inner: Codable, Equatable {
      var text: String?
      var flags: [Bool]
    }
    enum Kind: String, Codable { case one, two }
    var zeta: Int
    var alpha: Inner
    var kind: Kind
    var amounts: [String: Decimal]
    var big: UInt64
    var any: JSONValue
    var ratio: Double
  }

  @Test func encodableValuesHaveTheirMembersSorted() throws {
    let sample = Sample(
      zeta: 1, alpha: .init(text: nil, flags: [true, false]), kind: .two,
      amounts: ["x": Decimal(string: "12.20") ?? 0], big: .max, any: ["b": [1, nil]], ratio: 0.1)
    let value = try JSONValue(encoding: sample)
    #expect(
      value.description
        == "{\"alpha\":{\"flags\":[true,false]},\"amounts\":{\"x\":12.2},\"any\":{\"b\":[1,null]},"
        + "\"big\":18446744073709551615,\"kind\":\"two\",\"ratio\":0.1,\"zeta\":1}"
    )
    #expect(try JSONDecoder().decode(Sample.self, from: value.data()) == sample)
    #expect(try JSONValue(encoding: [sample, sample]) == [value, value])
    #expect(try JSONValue(encoding: 5) == 5)
  }

  private class Base: Encodable { var name = "base" }
  private final class Derived: Base {
    private enum Key: CodingKey { case list, inner, parent }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      var list = container.nestedUnkeyedContainer(forKey: .list)
      var inner = container.nestedContainer(keyedBy: Key.self, forKey: .inner)
      try super.encode(to: container.superEncoder(forKey: .parent))
      try list.encode(1)
      try list.encodeNil()
      var nested = list.nestedUnkeyedContainer()
      try nested.encode("late")
      try inner.encode(Date(timeIntervalSince1970: 0), forKey: .list)
    }
  }

  @Test func nestedContainersMayBeFilledLate() throws {
    #expect(
      try JSONValue(encoding: Derived()) == [
        "list": [1, nil, ["late"]], "inner": ["list": "1970-01-01T00:00:00Z"],
        "parent": ["name": "base"],
      ])
  }

  @Test func anyCoderTakesJSONValues() throws {
    let value: JSONValue = [
      "a": [1, 1.5, true, nil, "x"], "b": ["c": [:], "d": []], "e": .integer(.min),
    ]
    let data = try JSONEncoder().encode(value)
    #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
  }
}
