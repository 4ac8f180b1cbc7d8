import Foundation
import SyncCore
import Testing

@Suite struct ValueConvertibleTests {
  private enum Level: Int16, ValueConvertible { case low = 1 }

  @Test func integersComeBackWhenTheyFit() {
    #expect(Int16.converted(from: .int(300)) == 300)
    #expect(Int8.converted(from: .int(300)) == nil)
    #expect(Int.converted(from: .double(3)) == 3)
    #expect(Int.converted(from: .double(3.5)) == nil)
    #expect(UInt64.converted(from: UInt64.max.storedValue) == .max)
    #expect(Int.converted(from: .string("3")) == nil)
    #expect(Int16.attributeType == .integer16)
    #expect(Int32.attributeType == .integer32)
    #expect(Int.attributeType == .integer64)
  }

  @Test func optionalsTellAbsentFromUnfit() {
    #expect(Int?.converted(from: .null) == .some(nil))
    #expect(Int?.converted(from: .int(2)) == .some(2))
    #expect(Int?.converted(from: .string("x")) == nil)
    #expect(Int.converted(from: .null) == nil)
    #expect((nil as Int?).storedValue.isNull)
    #expect(Int?.isOptionalValue && !Int.isOptionalValue)
    #expect(Date?.attributeType == .date)
  }

  @Test func enumsGoByTheirRawValue() {
    #expect(Level.attributeType == .integer16)
    #expect(Level.low.storedValue == .int(1))
    #expect(Level.converted(from: .int(1)) == .low)
    #expect(Level.converted(from: .int(9)) == nil)
  }

  @Test func foundationTypesComeBack() throws {
    let uuid = UUID()
    #expect(UUID.converted(from: uuid.storedValue) == uuid)
    #expect(Decimal.converted(from: .double(0.1)) == Decimal(string: "0.1", locale: nil))
    let date = Date(timeIntervalSinceReferenceDate: 0.1)
    #expect(Date.converted(from: date.storedValue) == date)
    let url = try #require(URL(string: "http://a.b"))
    #expect(URL.converted(from: .string("http://a.b")) == url)
    #expect(Data.converted(from: Data([1]).storedValue) == Data([1]))
    #expect(Bool.converted(from: .int(1)) == true)
    #expect(Bool.converted(from: .int(2)) == nil)
    #expect(Float.converted(from: .double(0.5)) == 0.5)
  }
}
