import Foundation
import SyncCore
import TestSupport
import Testing

@Suite struct CodableValueTests {
  private struct Address: CodableValue, Equatable {
    var street: String
    var city: String?
    var since: Date?
    var lines: [Int] = []
    var rates: [String: Double] = [:]
  }

  private enum Level: String, CodableValue { case low, high }

  private enum Shape: CodableValue, Equatable {
    case point
    case circle(radius: Double)
  }

  private func text(_ value: some ValueConvertible) -> String? {
    guard case .data(let data) = value.storedValue else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  @Test func theFormIsCanonicalJSON() {
    var address = Address(street: "Ä/1")
    address.since = Date(timeIntervalSinceReferenceDate: 0.125)
    address.rates = ["b": 0.1, "a": 2]
    #expect(Address.attributeType == .binary)
    #expect(text(address) == #"{"lines":[],"rates":{"a":2,"b":0.1},"since":0.125,"street":"Ä/1"}"#)
    #expect(Address.converted(from: address.storedValue) == address)
  }

  @Test func optionalsAreAbsentOrThere() {
    #expect((nil as Address?).storedValue.isNull)
    #expect(Address?.converted(from: .null) == .some(nil))
    #expect(Address?.converted(from: Address(street: "x").storedValue) == Address(street: "x"))
    #expect(Address?.isOptionalValue && Address?.attributeType == .binary)
  }

  @Test func otherBytesAreNoneOfTheType() {
    #expect(Address.converted(from: .data(Data("{}".utf8))) == nil)
    #expect(Address.converted(from: .data(Data([1, 2]))) == nil)
    #expect(Address.converted(from: .string("x")) == nil)
  }

  @Test func enumsWithRawValuesKeepThem() {
    #expect(Level.attributeType == .string)
    #expect(Level.high.storedValue == .string("high"))
    #expect(Level.converted(from: .string("low")) == .low)
    #expect(Shape.attributeType == .binary)
    #expect(Shape.converted(from: Shape.circle(radius: 2).storedValue) == .circle(radius: 2))
    #expect(Shape.converted(from: Shape.point.storedValue) == .point)
  }

  @Test func collectionsAreValuesToo() {
    #expect(text(["b", "a"]) == #"["b","a"]"#)
    #expect(text(["b": 1, "a": 2]) == #"{"a":2,"b":1}"#)
    #expect(text(Set(["b", "c", "a"])) == #"["a","b","c"]"#)
    #expect([String].converted(from: ["x"].storedValue) == ["x"])
    #expect(Set<Int>.converted(from: Set([3, 1]).storedValue) == [1, 3])
    let json: JSONValue = ["b": [1, nil], "a": 0.5]
    #expect(text(json) == #"{"a":0.5,"b":[1,null]}"#)
    #expect(JSONValue.converted(from: json.storedValue) == ["a": 0.5, "b": [1, nil]])
  }

  @Test func datesComeBackBitForBitAndAreReadFromText() throws {
    let dates = [0.1, 1 / 3, -63_114_076_800.123, 8.64e12].map {
      Date(timeIntervalSinceReferenceDate: $0)
    }
    #expect([Date].converted(from: dates.storedValue) == dates)
    let text = Data(#"["2001-01-01T00:00:01Z"]"#.utf8)
    #expect([Date].converted(from: .data(text)) == [Date(timeIntervalSinceReferenceDate: 1)])
  }

  @Test func everyNumberComesBack() {
    var random = SeededGenerator(seed: 7)
    let doubles =
      (0..<500).map { _ in Double(bitPattern: .random(in: 0...UInt64.max, using: &random)) }
      .filter { !$0.isNaN }
      + [.infinity, -.infinity, .zero, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
    #expect([Double].converted(from: doubles.storedValue) == doubles)
    let integers = [Int64.min, .max, 0, -1]
    #expect([Int64].converted(from: integers.storedValue) == integers)
    #expect([UInt64].converted(from: [UInt64.max].storedValue) == [.max])
    let decimals = ["0.1", "123456789012345678901234567890.12345678"].compactMap {
      Decimal(string: $0, locale: nil)
    }
    #expect([Decimal].converted(from: decimals.storedValue) == decimals)
  }

  @Test func listsInFiltersStandForTheirElements() throws {
    let filter = Filter(format: "x IN %@", arguments: [[1, 2]])
    #expect("\(filter)".contains("1") && "\(filter)".contains("2"))
    #expect("\(Filter(format: "x IN %@", arguments: [Set(["a"])]))".contains("a"))
  }
}
