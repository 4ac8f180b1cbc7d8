import Foundation
import SyncStack
import TestSupport
import Testing

@Suite struct TransformerTests {
  private func cell(_ json: JSONValue, _ plan: MappingPlan, _ body: (Conversion) -> Void) throws {
    let tape = JSONTape()
    let arena = CellArena()
    try json.canonicalData.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes, options: JSONReadingOptions())
      try scanner.scanValue(into: tape)
      body(plan.rootNode.attributes[0].converter.convert(0, of: tape, arena: arena))
    }
  }

  private func text(_ conversion: Conversion) -> String? {
    guard case .cell(let cell) = conversion else { return nil }
    return String(decoding: cell.bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ["hyper.valueTransformer": "Old"],
    ["hyper.valueTransformer": "New", "sync.valueTransformer": "Old"],
  ])
  func theOlderKeyNamesATransformerTooAndTheNewerOneWins(userInfo: [String: String]) throws {
    let registry = TransformerRegistry()
    registry.register("Old") { .string("old \($0.stringValue ?? "")") }
    registry.register("New") { .string("new \($0.stringValue ?? "")") }
    let plan = try plan([.attribute("name", .string, userInfo: userInfo)], transformers: registry)
    try cell("x", plan) { #expect(text($0) == "old x") }
  }

  @Test func aNameThatIsNotRegisteredIsRemarkedOnceAndTheUsualConversionApplies() throws {
    let plan = try plan([
      .attribute("name", .string, userInfo: ["sync.valueTransformer": "Missing"]),
      .attribute("archive", .transformable, valueTransformerName: "NSSecureUnarchiveFromData"),
    ])
    #expect(plan.remarks.map(\.property) == ["name"])
    try cell("x", plan) { #expect(text($0) == "x") }
  }

  @Test func aLaterRegistrationMakesANewPlan() throws {
    let registry = TransformerRegistry()
    let cache = MappingPlanCache(transformers: registry)
    let model = try ManagedObjectModel(["User: name sync.valueTransformer=T"])
    let user = try model.requireEntity(named: "User")
    let first = cache.plan(for: user)
    #expect(cache.plan(for: user) === first)
    registry.register("T") { Value(json: $0) }
    let second = cache.plan(for: user)
    #expect(second !== first)
    #expect(second.remarks.isEmpty)
    #expect(second.key != first.key)
  }

  @Test(
    arguments: [
      .null, .bool(true), .int(-7), .double(0.1), .decimal(12.5), .string("é\u{0}"),
      .data(Data([0, 255])), .date(Date(timeIntervalSinceReferenceDate: 0.1)), .uuid(UUID()),
      .url(URL(filePath: "/tmp")),
    ] as [Value])
  func aStoredFormBringsEveryValueBack(value: Value) {
    let copy = Value(archive: value.archive)
    #expect(copy == value)
    #expect(copy?.archive == value.archive)
  }

  @Test(arguments: ["", "q", "i", "ix", "r1", "b2"])
  func bytesThatAreNoStoredFormGiveNothing(text: String) {
    #expect(Value(archive: Data(text.utf8)) == nil)
  }
}
