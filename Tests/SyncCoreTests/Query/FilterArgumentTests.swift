import Foundation
import SyncCore
import TestSupport
import Testing

@Suite struct FilterArgumentTests {
  private enum Level: Int, ValueConvertible {
    case low = 1
    case high = 2
  }
  private enum Plain: String { case one, two }

  private func shown(_ argument: Any?) throws -> String {
    guard case .comparison(let comparison) = try Filter("a == %@", argument).node else { return "" }
    return comparison.right.description
  }

  @Test func takesSwiftValues() throws {
    #expect(try shown(nil) == "nil")
    #expect(try shown(5 as Int?) == "5")
    #expect(try shown(Optional<Int>.none as Any) == "nil")
    #expect(try shown(UInt64.max) == "18446744073709551615")
    #expect(try shown(Float(0.5)) == "0.5")
    #expect(try shown(Level.high) == "2")
    #expect(try shown(Plain.two) == "'two'")
    #expect(try shown(true) == "true")
    #expect(try shown(Decimal(string: "1.50")) == "1.5")
    #expect(try shown(Value.int(3)) == "3")
    #expect(try shown("x"[...]) == "'x'")
  }

  @Test func takesFoundationObjects() throws {
    #expect(try shown(NSNull()) == "nil")
    #expect(try shown(NSNumber(value: 5)) == "5")
    #expect(try shown(NSNumber(value: 2.5)) == "2.5")
    #expect(try shown(NSDecimalNumber(string: "1.25")) == "1.25")
    #expect(try shown(NSString("x")) == "'x'")
    #expect(try shown(NSDate(timeIntervalSinceReferenceDate: 0)) == "'2001-01-01T00:00:00Z'")
    #expect(try shown(NSArray(array: [1, 2])) == "{1, 2}")
  }

  @Test func takesListsOfValuesObjectsAndBoth() throws {
    let graph = MemoryGraph(model: try TestModels.queries())
    let note = try graph.add("Note")
    #expect(try shown([1, 2]) == "{1, 2}")
    #expect(try shown([1, nil]) == "{1, nil}")
    #expect(try shown(Set(["x"])) == "{'x'}")
    #expect(try shown([Level.low, .high]) == "{1, 2}")
    #expect(try shown([note.id]) == "{Note/1}")
    #expect(try shown([note.id as Any, 5]) == "{Note/1, 5}")
    #expect(try shown(1...3) == "{1, 3}")
    #expect(try shown(Array(1...20)) == "{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …}")
  }
}
