import SyncStack
import TestSupport
import Testing

/// Random sequences of syncs: the engine and a plain reconcile over dictionaries come to the same
/// graph, the same change set and the same counts.
///
/// ``variants`` are ways to run the syncs that must not change the outcome:
/// a new one is a line there.
@Suite struct OracleTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let model: @Sendable () throws -> ManagedObjectModel
    let entities: [String]
    var depth = 2
    var mixesLists = false

    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "userNotes", model: { try TestModels.userNotes() }, entities: ["User", "User", "Note"]),
    Case(
      name: "social", model: { try TestModels.social() },
      entities: ["User", "User", "User", "Note", "Company", "Tag", "Task"]),
    Case(
      name: "twoLists", model: { try TestModels.twoLists() },
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
    Case(
      name: "animals", model: { try TestModels.animals() }, entities: ["Person", "Animal", "Dog"]),
  ]

  /// Other lists and keys.
  static let wider =
    [
      Case(
        name: "social, mixed", model: { try TestModels.social() },
        entities: ["User", "User", "Note", "Company", "Tag"], mixesLists: true),
      Case(
        name: "tree, mixed", model: { try TestModels.tree() }, entities: ["Organization"], depth: 3,
        mixesLists: true),
      Case(
        name: "relationships, mixed", model: { try TestModels.relationships() },
        entities: ["A", "B"], depth: 1, mixesLists: true),
      Case(
        name: "keys of owners", model: { try OracleTests.keyed(.integer64, scope: "owner") },
        entities: ["Owner", "Owner", "Child"], depth: 2),
    ]
    + [.string, .uuid, .date, .decimal, .double, .uri, .boolean].map { type in
      Case(
        name: "keys of type \(type)", model: { try OracleTests.keyed(type) },
        entities: ["Owner", "Owner", "Child", "Tag"], mixesLists: true)
    }

  /// Owners with children and shared tags, all with keys of one type.
  private static func keyed(
    _ type: AttributeType, scope: String? = nil
  ) throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Owner",
        [
          .attribute("id", type), "name",
          .toMany(
            "children", to: "Child", inverse: "owner", deleteRule: .cascade,
            userInfo: scope.map { ["sync.keyScope": $0] } ?? [:]), "tags ->> Tag.owners",
        ]),
      EntityDraft("Child", [.attribute("id", type), "name", "owner -> Owner.children"]),
      EntityDraft("Tag", [.attribute("id", type), "name", "owners ->> Owner.tags"]),
    ])
  }

  /// Two one-to-many relationships from different entities into one, which one of them is part of.
  static func staff() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      "Company: id, name, employees ->> Person.company",
      EntityDraft(
        "Person",
        [
          "id", "name", "company -> Company.employees", "manager -> Person.reports",
          "reports ->> Person.manager",
        ]),
    ])
  }

  /// Ways to run a sync.
  static let variants = [OracleVariant.plain] + [1, 2, 7].map { OracleVariant.parts(of: $0) }

  /// Ways to run a sync that take several transactions, with a last one for deletions.
  static let stepwise: [OracleVariant] = [
    .pages(of: 1), .pages(of: 2), .pages(of: 2, areKept: true), .batches(of: 1), .batches(of: 3),
  ]

  @Test(arguments: cases, variants + stepwise)
  func theEngineDoesTheSameAsTheOracle(_ testCase: Case, _ variant: OracleVariant) throws {
    try check(testCase, variant, hasOtherSteps: false)
  }

  @Test(arguments: cases, variants)
  func localEditsAndCancelledSyncsInBetweenMakeNoDifference(
    _ testCase: Case, _ variant: OracleVariant
  ) throws {
    try check(testCase, variant, hasOtherSteps: true)
  }

  @Test(
    arguments: wider,
    [OracleVariant.plain, .parts(of: 1), .pages(of: 2)])
  func mixedListsKeysOfAnyTypeAndKeysOfOwnersMakeNoDifference(
    _ testCase: Case, _ variant: OracleVariant
  ) throws {
    try check(testCase, variant, hasOtherSteps: true)
  }

  @Test(arguments: cases, variants + stepwise + [.batches(of: 1, areStopped: true)])
  func partsPagesAndBatchesGiveTheSameAsOnePayloadWhereNothingIsSaidTwice(
    _ testCase: Case, _ variant: OracleVariant
  ) throws {
    try check(testCase, variant, hasOtherSteps: false, comparesWithWhole: true)
  }

  private func check(
    _ testCase: Case, _ variant: OracleVariant, hasOtherSteps: Bool, comparesWithWhole: Bool = false
  ) throws {
    let usual: UInt64 =
      variant.name == OracleVariant.plain.name ? 8 : variant.form == .whole ? 3 : 2
    let model = try testCase.model()
    let sequence = OracleSequence(
      model: model, variant: variant, comparesWithWhole: comparesWithWhole)
    for seed in Proof.seeds(usual: 1...usual) {
      defer { Proof.tried("sequences of payloads against the oracle") }
      var payloads = OraclePayloads(
        generator: SeededGenerator(seed: seed), model: model, depth: testCase.depth)
      payloads.hasOtherSteps = hasOtherSteps
      payloads.mixesLists = testCase.mixesLists
      payloads.isConsistent = comparesWithWhole
      var steps = try payloads.sequence(of: testCase.entities, length: hasOtherSteps ? 6 : 4)
      var random = SeededGenerator(seed: ~seed)
      for index in steps.indices { steps[index].looksKeysUp = random.chance(50) }
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
