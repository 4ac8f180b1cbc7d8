import Foundation
import SyncCore
import TestSupport
import Testing

/// `CAST` and `now()`.
@Suite struct FilterCastTests {
  private let entity: EntityDescription

  init() throws {
    entity = try ManagedObjectModel([
      EntityDraft(
        "Thing",
        [
          "whole integer64", "real double", "exact decimal", "text", "date date", "data binary",
          "key uuid", "flag boolean", "things ->> Thing.things",
        ])
    ]).requireEntity(named: "Thing")
  }

  private func resolved(_ text: String, now: Date = Date()) throws -> ResolvedFilter {
    try Filter(format: text, arguments: []).resolved(for: entity, now: now)
  }

  @Test(arguments: [
    "CAST(real, 'NSDate') > now()", "CAST(now(), 'NSNumber') > whole",
    "CAST(whole, 'NSString') == '1'",
    "CAST(exact, 'NSString') CONTAINS '1'", "CAST(text, 'NSNumber') > 3",
    "cast(key, 'NSString') CONTAINS 'A'",
    "CAST('2024-01-02', 'NSDate') < date", "CAST(real, 'NSDecimalNumber') == exact",
    "CAST(nil, 'NSDate') == date", "CAST(date - NOW(), 'NSNumber') < 60", "things[SIZE] == 1",
    "CAST(flag, 'NSString') == '1'", "SUBQUERY(things, $t, $t.things[size] > 1).@count == 1",
  ])
  func theseAreUnderstood(text: String) throws {
    _ = try resolved(text)
    #expect(try Filter(format: text, arguments: []).node.description.isEmpty == false)
  }

  @Test(arguments: [
    "CAST(data, 'NSString') == 'x'", "CAST(real, 'NSString') == '1.5'",
    "CAST(text, 'NSDate') > now()",
    "CAST('tomorrow', 'NSDate') > date", "CAST(key, 'NSNumber') == 1",
    "CAST(date, 'NSString') == ''",
    "now() == 'x'", "whole[SIZE] == 1",
  ])
  func theseMakeNoSense(text: String) {
    #expect(throws: FilterError.self) { try resolved(text) }
  }

  @Test func constantsAreTurnedAtOnce() throws {
    let now = Date(timeIntervalSinceReferenceDate: 1_000)
    for (text, value) in [
      ("date == now() - 60", Value.date(Date(timeIntervalSinceReferenceDate: 940))),
      ("real == CAST(now(), 'NSNumber')", .double(1_000)),
      ("date == CAST(60, 'NSDate')", .date(Date(timeIntervalSinceReferenceDate: 60))),
      ("real == CAST('1.5e1', 'NSNumber')", .double(15)),
      ("real == CAST('0x10', 'NSNumber')", .null), ("real == CAST('12abc', 'NSNumber')", .null),
      ("real == CAST('inf', 'NSNumber')", .null),
      ("text == CAST(12, 'NSString')", .string("12")),
      ("text == CAST(CAST(1.50, 'NSDecimalNumber'), 'NSString')", .string("1.5")),
    ] {
      guard case .equal(_, let right) = try resolved(text, now: now).node else {
        Issue.record("\(text) is no comparison")
        continue
      }
      #expect(right.constant == value, "\(text)")
    }
  }
}
