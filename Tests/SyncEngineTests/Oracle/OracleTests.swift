import Foundation
import SyncCore
import SyncEngine
import TestSupport
import Testing

/// Random sequences of syncs: the engine and a plain reconcile over dictionaries come to the same
/// graph, the same change set and the same counts.
///
/// `ORACLE_SEEDS` runs more sequences, as in `ORACLE_SEEDS=5000 swift test --filter OracleTests`, from
/// `ORACLE_FIRST` on. ``variants`` are ways to run the syncs that must not change what comes out: a new
/// one is a line there.
@Suite struct OracleTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let model: @Sendable () throws -> ManagedObjectModel
    let entities: [String]
    var depth = 2

    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "userNotes", model: { try TestModels.userNotes() }, entities: ["User", "User", "Note"]),
    Case(
      name: "social", model: { try TestModels.social() },
      entities: ["User", "User", "User", "Note", "Company", "Tag", "Task"]),
    Case(
      name: "twoLists", model: { try OracleTests.twoLists() },
      entities: ["Owner", "Child", "Owner"]),
    Case(
      name: "staff", model: { try OracleTests.staff() }, entities: ["Company", "Person"], depth: 3),
    Case(name: "tree", model: { try TestModels.tree() }, entities: ["Organization"], depth: 3),
    Case(
      name: "relationships", model: { try TestModels.relationships() }, entities: ["A", "B"],
      depth: 1),
    Case(
      name: "vehicles", model: { try TestModels.vehicles() },
      entities: ["Person", "Car", "Racecar", "Bicycle"]),
  ]

  /// Two one-to-many relationships between the same entities.
  private static func twoLists() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Owner",
        [
          .attribute("id", .integer64), .attribute("name", .string),
          .toMany("own", to: "Child", inverse: "owner", deleteRule: .cascade),
          .toMany("list", to: "Child", inverse: "lister"),
        ]),
      EntityDraft(
        "Child",
        [
          .attribute("id", .integer64), .attribute("name", .string),
          .toOne("owner", to: "Owner", inverse: "own"),
          .toOne("lister", to: "Owner", inverse: "list"),
        ]),
    ])
  }

  /// Two one-to-many relationships from different entities into one, which one of them is part of.
  private static func staff() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Company",
        [
          .attribute("id", .integer64), .attribute("name", .string),
          .toMany("employees", to: "Person", inverse: "company"),
        ]),
      EntityDraft(
        "Person",
        [
          .attribute("id", .integer64), .attribute("name", .string),
          .toOne("company", to: "Company", inverse: "employees"),
          .toOne("manager", to: "Person", inverse: "reports"),
          .toMany("reports", to: "Person", inverse: "manager"),
        ]),
    ])
  }

  /// Ways to run a sync.
  static let variants = [OracleVariant.plain] + [1, 2, 7].map { OracleVariant.parts(of: $0) }

  @Test("the engine does what the oracle does", arguments: cases, variants)
  func agrees(_ testCase: Case, _ variant: OracleVariant) throws {
    try check(testCase, variant, hasOtherSteps: false)
  }

  @Test("with local edits and cancelled syncs in between", arguments: cases, variants)
  func agreesAmongEdits(_ testCase: Case, _ variant: OracleVariant) throws {
    try check(testCase, variant, hasOtherSteps: true)
  }

  private func check(_ testCase: Case, _ variant: OracleVariant, hasOtherSteps: Bool) throws {
    let environment = ProcessInfo.processInfo.environment
    let usual: UInt64 = variant.name == OracleVariant.plain.name ? 16 : 6
    let count = environment["ORACLE_SEEDS"].flatMap { UInt64($0) } ?? usual
    let first = environment["ORACLE_FIRST"].flatMap { UInt64($0) } ?? 1
    let model = try testCase.model()
    let sequence = OracleSequence(model: model, variant: variant)
    for seed in first..<(first + count) {
      var payloads = OraclePayloads(
        generator: SeededGenerator(seed: seed), model: model, depth: testCase.depth)
      payloads.hasOtherSteps = hasOtherSteps
      let steps = try payloads.sequence(of: testCase.entities, length: hasOtherSteps ? 6 : 4)
      guard try sequence.difference(steps) != nil else { continue }
      let short = try sequence.minimised(steps)
      let difference = try sequence.difference(short) ?? ""
      Issue.record(
        "Seed \(seed) \(testCase.name) \(variant.name):\n\(short.map(\.description).joined(separator: "\n"))\n\(difference)"
      )
      return
    }
  }
}
