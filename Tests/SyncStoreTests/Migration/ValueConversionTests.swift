import Foundation
import SyncStore
import TestSupport
import Testing

/// Types turn into each other by the table of `ValueConversion`, and in no other way.
@Suite struct ValueConversionTests {
  private static let widths: Set<AttributeType> = [.integer16, .integer32, .integer64]
  private static let reals: Set<AttributeType> = [.double, .float]

  /// The table, said in another way.
  private func isAllowed(_ source: AttributeType, _ target: AttributeType) -> Bool {
    if source == target { return true }
    if Self.widths.contains(source) {
      return Self.widths.contains(target) || Self.reals.contains(target)
        || [.decimal, .string].contains(target)
    }
    if Self.reals.contains(source) { return Self.reals.contains(target) || target == .string }
    switch source {
    case .boolean: return Self.widths.contains(target) || target == .string
    case .decimal, .uuid, .uri, .date: return target == .string
    default: return false
    }
  }

  @Test(arguments: AttributeType.allCases, AttributeType.allCases)
  func everyPairKeepsToTheTable(_ source: AttributeType, _ target: AttributeType) throws {
    let conversion = ValueConversion(from: source, to: target)
    #expect((conversion != nil) == isAllowed(source, target))
    guard let conversion else { return }
    // The store treats random values by the conversion.
    var random = SeededGenerator(seed: 7)
    let values = (0..<60).map { _ in RandomGraph.value(source, &random) }
    // SQLite has no negative zero.
    let kept = values.filter { conversion.convert($0) != nil && "\($0)" != "-0.0" }
    let scene = try MigrationScene()
    let draft = { (type: AttributeType) in [EntityDraft("E", [.attribute("value", type)])] }
    try scene.open(draft(source)) { store in
      _ = try store.write { try $0.insert("E", kept.map { ["value": $0] }) }
    }
    try scene.open(draft(target)) { store in
      let entity = try store.model.requireEntity(named: "E")
      let found = try store.read { try $0.fetch(FetchPlan(entity: entity)) }.map { $0.values[0] }
      let expected = kept.map { conversion.convert($0) ?? .null }
      #expect(found.map(description) == expected.map(description))
    }
  }

  private func description(_ value: Value) -> String { "\(value.archive.base64EncodedString())" }

  @Test(arguments: [
    (Value.int(1 << 53 + 1), AttributeType.integer64, AttributeType.double),
    (.int(.max), .integer64, .float),
    (.date(Date(timeIntervalSinceReferenceDate: 0.0001)), .date, .string),
  ])
  func whatIsNotExactIsNoValue(_ value: Value, _ source: AttributeType, _ target: AttributeType) {
    #expect(ValueConversion(from: source, to: target)?.convert(value) == nil)
  }
}
