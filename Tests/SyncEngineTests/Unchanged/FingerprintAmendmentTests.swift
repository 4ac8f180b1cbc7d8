import SyncStack
import TestSupport
import Testing

/// The log of fingerprints after a change, and that it gives the same as all of them.
@Suite(.timeLimit(.minutes(5))) struct FingerprintAmendmentTests {
  private static let size = 2_500

  private func item(_ id: Int, _ name: String) -> JSONValue {
    ["id": .integer(Int64(id)), "name": .string(name), "notes": [["id": .integer(Int64(id))]]]
  }

  @discardableResult
  private func sync(_ stack: DataStack, _ items: [JSONValue]) throws -> SyncReport {
    return try Sync(.json(.array(items)), inEntityNamed: "User", dataStack: stack).run()
  }

  /// The parts of the only set, the amendment last if there is one.
  private func parts(_ stack: DataStack) throws -> [Int: [UInt8]] {
    var parts: [Int: [UInt8]] = [:]
    try stack.store.read { try $0.readFingerprints(of: 1) { parts[$0] = Array($1) } }
    return parts
  }

  private func isRead(_ stack: DataStack, _ items: [JSONValue]) throws -> Bool {
    var report: SyncReport?
    let statements = try stack.store.recorder.record { report = try sync(stack, items) }
    #expect(report?.isUnchanged == true)
    return statements.contains { $0.hasPrefix("SELECT _row") && $0.contains(#"FROM "User""#) }
  }

  @Test(arguments: [1, 30, 300]) func fewChangesAreWrittenApartFromTheRest(_ count: Int) throws {
    let stack = try DataStack.social()
    var items = (0..<Self.size).map { item($0, "a") }
    try sync(stack, items)
    let before = try parts(stack)
    #expect(!before.isEmpty)
    for index in 0..<count { items[index * 7] = item(index * 7, "b") }
    try sync(stack, items)
    var after = try parts(stack)
    let last = try #require(after.keys.max())
    let amendment = after.removeValue(forKey: last) ?? []
    #expect(after == before)
    #expect(amendment.count < 16 + count * 48)
    #expect(try !isRead(stack, items))
  }

  @Test func manyChangesAreWrittenWhereTheyBelong() throws {
    let stack = try DataStack.social()
    var items = (0..<Self.size).map { item($0, "a") }
    try sync(stack, items)
    let before = try parts(stack)
    for index in 0..<Self.size / 2 { items[index] = item(index, "b") }
    try sync(stack, items)
    let after = try parts(stack)
    #expect(after.keys.sorted() == before.keys.sorted())
    #expect(try !isRead(stack, items))
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func whateverChangesTheOtherItemsAreKnownTheNextTime(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let stack = try DataStack.social()
    var names = Dictionary(uniqueKeysWithValues: (0..<60).map { ($0, "a") })
    for round in 0..<40 {
      for _ in 0..<Int.random(in: 0..<8, using: &generator) {
        let id = Int.random(in: 0..<90, using: &generator)
        names[id] = generator.chance(30) ? nil : generator.pick(["a", "b", "c"])
      }
      let items = names.sorted { $0.key < $1.key }.map { item($0.key, $0.value) }
      try sync(stack, items)
      #expect(try stack.keys("User").sorted() == names.keys.sorted().map(Int64.init))
      #expect(try !isRead(stack, items), "Round \(round)")
    }
  }

  @Test(arguments: [0, 8, 15, 16, 24, 28, 33, 40])
  func damagedFingerprintsCountForNothing(_ offset: Int) throws {
    let stack = try DataStack.social()
    var items = (0..<50).map { item($0, "a") }
    try sync(stack, items)
    items[3] = item(3, "b")
    try sync(stack, items)
    for (number, bytes) in try parts(stack) {
      var damaged = bytes
      for index in offset..<min(offset + 8, damaged.count) { damaged[index] = 0xF7 }
      try stack.store.write { transaction in
        try damaged.withUnsafeBytes { try transaction.writeFingerprints(number, of: 1, $0) }
      }
      #expect(try sync(stack, items).isUnchanged)
      items[4] = item(4, "\(number)")
      #expect(try sync(stack, items).entities["User"]?.updated == 1)
    }
  }
}
