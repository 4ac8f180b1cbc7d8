import Foundation
import SyncCore
import TestSupport
import Testing

@Suite struct ValueComparisonTests {
  private static let numbers: [Value] =
    RandomGraph.integers.map { .int($0) } + RandomGraph.doubles.map { .double($0) }
    + RandomGraph.decimals.map { .decimal($0) }
    + [
      .int((1 << 53) + 1), .double(9_007_199_254_740_994), .double(9_223_372_036_854_775_808),
      .double(-9_223_372_036_854_775_808), .decimal(Decimal(string: "9223372036854775808") ?? 0),
      .decimal(Decimal(string: "0.1000000000000000055511151231257827") ?? 0), .bool(true),
      .bool(false),
      .double(.nan), .double(.leastNonzeroMagnitude), .decimal(Decimal(string: "1e-100") ?? 0),
      .date(Date(timeIntervalSinceReferenceDate: 0.5)), .decimal(Decimal(string: "-0.5") ?? 0),
      .double(-0.5),
    ]

  @Test func orderIsTotalAndTransitive() {
    let numbers =
      ValueComparisonTests.numbers + [.null, .string("a"), .string(""), .data(Data([1]))]
    for a in numbers {
      #expect(a == a)
      for b in numbers {
        #expect(a.compared(to: b).signum() == -b.compared(to: a).signum(), "\(a) \(b)")
        if a == b { #expect(a.hashValue == b.hashValue, "\(a) \(b)") }
        for c in numbers where a.compared(to: b) <= 0 && b.compared(to: c) <= 0 {
          #expect(a.compared(to: c) <= 0, "\(a) \(b) \(c)")
        }
      }
    }
  }

  @Test(
    arguments: [
      (.int((1 << 53) + 1), .double(9_007_199_254_740_992), 1),
      (.int(1 << 53), .double(9_007_199_254_740_992), 0),
      (.int(.max), .double(9_223_372_036_854_775_808), -1),
      (.int(.min), .double(-9_223_372_036_854_775_808), 0),
      (.double(0.1), .decimal(Decimal(string: "0.1", locale: nil) ?? 0), 1),
      (.double(0.5), .decimal(Decimal(string: "0.5", locale: nil) ?? 0), 0),
      (.decimal(Decimal(string: "9007199254740993", locale: nil) ?? 0), .int((1 << 53) + 1), 0),
      (
        .decimal(Decimal(string: "9007199254740993", locale: nil) ?? 0),
        .double(9_007_199_254_740_992), 1
      ),
      (.decimal(1), .double(.infinity), -1), (.double(.nan), .double(-.infinity), -1),
      (.double(-0.0), .int(0), 0), (.bool(true), .int(1), 0),
    ] as [(Value, Value, Int)])
  func numbersOfDifferentKindsCompareExactly(left: Value, right: Value, order: Int) {
    #expect(left.compared(to: right).signum() == order)
  }
}
