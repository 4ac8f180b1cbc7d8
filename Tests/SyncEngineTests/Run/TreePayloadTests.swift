import Foundation
import SyncStack
import Testing

/// Entities whose objects lead to others of their kind: when a payload is a tree, and its effect on
/// those it does not mention.
@Suite struct TreePayloadTests {
  private static func bench(
    _ rule: DeleteRule = .nullify, isDeclared: Bool = false, hasList: Bool = true
  ) throws -> SyncBench {
    try SyncBench([
      """
      Employee \(isDeclared ? "sync.tree=YES" : ""): id, name,
      manager -> \(hasList ? "Employee.reports, reports ->> Employee.manager \(rule)" : "Employee")
      """
    ])
  }

  private static let flat =
    #"[{"id":1},{"id":2,"manager_id":1},{"id":3,"manager_id":1},{"id":4,"manager_id":3}]"#

  @Test(
    arguments: [
      (#"[{"id":1}]"#, ["id=1"]), ("[]", []), (#"[{"id":2}]"#, ["id=2"]),
      (#"[{"id":4,"manager_id":1},{"id":1}]"#, ["id=1 reports=[4]", "id=4 manager=1"]),
      (#"[{"id":1,"report_ids":[2]},{"id":2}]"#, ["id=1 reports=[2]", "id=2 manager=1"]),
      (#"[{"id":1,"manager_id":null}]"#, ["id=1"]),
    ] as [(String, [String])], [1, nil] as [Int?])
  func aFlatPayloadIsAllObjectsOfTheEntityWhateverTheyLeadTo(
    _ payload: (String, [String]), partItems: Int?
  ) throws {
    let bench = try Self.bench()
    try bench.sync(Self.flat, "Employee")
    for _ in 0..<2 {
      let report = try bench.sync(payload.0, "Employee", parts: partItems)
      #expect(try bench.objects("Employee") == payload.1)
      #expect(report.findings.isEmpty)
    }
  }

  @Test func aCircleGoesWithThePayloadThatDoesNotMentionIt() throws {
    let bench = try Self.bench()
    try bench.sync(#"[{"id":1,"manager_id":2},{"id":2,"manager_id":1},{"id":3}]"#, "Employee")
    try bench.sync(#"[{"id":3}]"#, "Employee")
    #expect(try bench.objects("Employee") == ["id=3"])
  }

  @Test(arguments: ["[]", #"[{"id":4}]"#])
  func objectsThatLeadToOneOfTheirKindWithoutAListCannotBeNested(payload: String) throws {
    let bench = try Self.bench(hasList: false)
    try bench.sync(Self.flat, "Employee")
    try bench.sync(payload, "Employee")
    #expect(try bench.count("Employee") == (payload == "[]" ? 0 : 1))
  }

  @Test(arguments: [false, true])
  func aPayloadThatNestsSaysNothingOfObjectsBelowItsRootsThatItDoesNotNest(isDeclared: Bool) throws
  {
    let bench = try Self.bench(isDeclared: isDeclared)
    try bench.sync(Self.flat, "Employee")
    // 4 is below 3, of whose list the payload does not speak.
    let payload = #"[{"id":1,"reports":[{"id":2},{"id":3}]}]"#
    for _ in 0..<2 {
      let report = try bench.sync(payload, "Employee")
      #expect(try bench.count("Employee") == 4)
      let finding = try #require(report.findings(of: .suspendedDeletion).first)
      #expect(report.findings.count == 1 && finding.message.contains("1 object of “Employee”"))
    }
  }

  @Test(arguments: [DeleteRule.nullify, .cascade])
  func objectsThatGoWithARootGoAtOnceNotWithTheNextSync(rule: DeleteRule) throws {
    let bench = try Self.bench(rule)
    try bench.sync(Self.flat, "Employee")
    let payload = #"[{"id":9,"reports":[{"id":2}]}]"#
    for _ in 0..<2 {
      try bench.sync(payload, "Employee")
      #expect(try bench.objects("Employee") == ["id=2 manager=9", "id=9 reports=[2]"])
    }
  }

  @Test func theModelCanSayThatPayloadsAreTreesAlsoThoseThatNestNothing() throws {
    let bench = try Self.bench(isDeclared: true)
    try bench.sync(Self.flat, "Employee")
    let report = try bench.sync(#"[{"id":1}]"#, "Employee")
    #expect(try bench.count("Employee") == 4)
    #expect(report.findings(of: .suspendedDeletion).first?.message.contains("3 objects") == true)
  }

  @Test func itIsOneDecisionForAllPartsAndPagesAndForItemsThatAreKnown() throws {
    let bench = try Self.bench()
    try bench.sync(Self.flat, "Employee")
    let payload = #"[{"id":5},{"id":1,"reports":[{"id":2},{"id":3}]}]"#
    for _ in 0..<2 {
      let report = try bench.sync(payload, "Employee", parts: 1)
      #expect(try bench.count("Employee") == 5)
      #expect(report.count(of: .suspendedDeletion) == 1)
    }
    // Twice the same, so that the second time nothing is read.
    for _ in 0..<3 {
      let report = try bench.sync(payload, "Employee")
      #expect(try bench.count("Employee") == 5)
      #expect(report.count(of: .suspendedDeletion) == 1)
    }
  }
}
