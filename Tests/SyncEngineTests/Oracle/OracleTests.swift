import SyncStack
import TestSupport
import Testing

/// Random sequences of syncs: the engine and a plain reconcile over dictionaries come to the same
/// graph, the same change set and the same counts.
///
/// The forms are ways to run the syncs that must not change the outcome: a new one is a line here.
@Suite struct OracleTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let model: @Sendable () throws -> ManagedObjectModel
    let entities: [String]
    var depth = 2
    var mixesLists = false

    init(
      _ name: String, _ model: @escaping @Sendable () throws -> ManagedObjectModel,
      _ entities: [String], depth: Int = 2, mixesLists: Bool = false
    ) {
      (self.name, self.model, self.entities) = (name, model, entities)
      (self.depth, self.mixesLists) = (depth, mixesLists)
    }

    var testDescription: String { name }
  }

  static let cases = [
    Case("userNotes", TestModels.userNotes, ["User", "User", "Note"]),
    Case("social", TestModels.social, ["User", "User", "User", "Note", "Company", "Tag", "Task"]),
    Case("twoLists", TestModels.twoLists, ["Owner", "Child", "Owner"]),
    Case("staff", staff, ["Company", "Person"], depth: 3),
    Case("tree", TestModels.tree, ["Organization"], depth: 3),
    Case("relationships", TestModels.relationships, ["A", "B"], depth: 1),
    Case("vehicles", TestModels.vehicles, ["Person", "Car", "Racecar", "Bicycle"]),
    Case("animals", TestModels.animals, ["Person", "Animal", "Dog"]),
  ]

  /// Other lists and keys.
  static let wider =
    [
      Case(
        "social, mixed", TestModels.social, ["User", "User", "Note", "Company", "Tag"],
        mixesLists: true),
      Case("tree, mixed", TestModels.tree, ["Organization"], depth: 3, mixesLists: true),
      Case(
        "relationships, mixed", TestModels.relationships, ["A", "B"], depth: 1, mixesLists: true),
      Case("keys of owners", { try keyed("integer64", "sync.keyScope=owner") }, keyedEntities),
    ]
    + ["string", "uuid", "date", "decimal", "double", "uri", "boolean"].map { type in
      Case(
        "keys of type \(type)", { try keyed(type) }, keyedEntities + ["Tag"], mixesLists: true)
    }

  private static let keyedEntities = ["Owner", "Owner", "Child"]

  /// Owners with children and shared tags, all with keys of one type.
  private static func keyed(_ type: String, _ annotation: String = "") throws -> ManagedObjectModel
  {
    try ManagedObjectModel([
      EntityDraft(
        "Owner",
        [
          "id \(type)", "name", "children ->> Child.owner cascade \(annotation)",
          "tags ->> Tag.owners",
        ]),
      "Child: id \(type), name, owner -> Owner.children",
      "Tag: id \(type), name, owners ->> Owner.tags",
    ])
  }

  /// Two one-to-many relationships from different entities into one, which one of them is part of.
  @Sendable static func staff() throws -> ManagedObjectModel {
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

  /// In one transaction.
  static let forms: [SyncForm] = [.whole, .parts(of: 1), .parts(of: 2), .parts(of: 7)]

  /// In several transactions, with a last one for deletions.
  static let stepwise: [SyncForm] = [
    .pages(of: 1), .pages(of: 2), .pages(of: 2, areKept: true), .batches(of: 1), .batches(of: 3),
  ]

  @Test(arguments: cases, forms + stepwise)
  func theEngineDoesTheSameAsTheOracle(_ testCase: Case, _ form: SyncForm) throws {
    try check(testCase, form)
  }

  @Test(arguments: cases, forms)
  func localEditsAndCancelledSyncsInBetweenMakeNoDifference(
    _ testCase: Case, _ form: SyncForm
  ) throws {
    try check(testCase, form, hasOtherSteps: true)
  }

  @Test(arguments: wider, [SyncForm.whole, .parts(of: 1), .pages(of: 2)])
  func mixedListsKeysOfAnyTypeAndKeysOfOwnersMakeNoDifference(
    _ testCase: Case, _ form: SyncForm
  ) throws {
    try check(testCase, form, hasOtherSteps: true)
  }

  @Test(arguments: cases, forms + stepwise + [.batches(of: 1, areStopped: true)])
  func partsPagesAndBatchesGiveTheSameAsOnePayloadWhereNothingIsSaidTwice(
    _ testCase: Case, _ form: SyncForm
  ) throws {
    try check(testCase, form, comparesWithWhole: true)
  }

  private func check(
    _ testCase: Case, _ form: SyncForm, hasOtherSteps: Bool = false,
    comparesWithWhole: Bool = false
  ) throws {
    let usual: UInt64 = form == .whole ? 8 : form.isOneTransaction ? 3 : 2
    let model = try testCase.model()
    let sequence = OracleSequence(model: model, form: form, comparesWithWhole: comparesWithWhole)
    for seed in Proof.seeds(usual: 1...usual) {
      defer { Proof.tried("sequences of payloads against the oracle") }
      var payloads = OraclePayloads(
        generator: SeededGenerator(seed: seed), model: model, depth: testCase.depth)
      payloads.mixesLists = testCase.mixesLists
      payloads.isConsistent = comparesWithWhole
      var random = SeededGenerator(seed: ~seed)
      let steps = try (0..<(hasOtherSteps ? 6 : 4)).map { _ in
        var payload = try payloads.sequence(of: testCase.entities, length: 1)[0]
        payload.looksKeysUp = random.chance(50)
        guard hasOtherSteps else { return OracleStep(lists: [payload]) }
        if random.chance(15) { return OracleStep(kind: .edits(seed: random.next())) }
        let count = Int.random(in: 0...8, using: &random)
        return OracleStep(
          kind: random.chance(10) ? .cancelled(after: count) : .sync, lists: [payload])
      }
      let title = "Seed \(seed) \(testCase.name) \(form)"
      guard try steps.expectNone(title, sequence.difference) else { return }
    }
  }
}
