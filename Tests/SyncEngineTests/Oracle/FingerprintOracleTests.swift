import SyncStack
import TestSupport
import Testing

/// Random sequences of payloads that come again and again, with other options and scopes, edits,
/// dry runs and cancels in between, also while edits wait to be sent: with fingerprints a sync does
/// and reports the same as without them.
@Suite struct FingerprintOracleTests {
  static let ways: [FingerprintSequence] = [
    .init(),
    .init(tracksEdits: true),
    .init(forms: [.parts(of: 1), .parts(of: 2), .parts(of: 3), .parts(of: 2), .whole]),
    .init(forms: [.parts(of: 2), .parts(of: 1), .whole, .parts(of: 3)], tracksEdits: true),
    .init(hasLists: true),
    .init(forms: [.parts(of: 2)], hasLists: true),
    .init(tracksEdits: true, hasLists: true),
    .init(forms: [.pages(of: 1)], tracksEdits: true),
    .init(forms: [.pages(of: 2)], hasLists: true),
    .init(forms: [.batches(of: 1)]),
    .init(forms: [.batches(of: 3)], tracksEdits: true),
  ]

  @Test(arguments: OracleTests.cases + OracleTests.wider.prefix(4), ways)
  func fingerprintsChangeNothing(
    _ testCase: OracleTests.Case, _ way: FingerprintSequence
  ) throws {
    let model = try testCase.model()
    var way = way
    for seed in Proof.seeds(usual: 1...8) {
      defer { Proof.tried("sequences with and without fingerprints") }
      var payloads = OraclePayloads(
        generator: SeededGenerator(seed: seed &* 7919), model: model, keys: 6,
        depth: testCase.depth)
      payloads.hasUnreadableKeys = seed % 2 == 0
      payloads.mixesLists = testCase.mixesLists
      way.looksKeysUp = seed % 3 == 0
      let steps = try way.steps(payloads, of: testCase.entities, length: 10)
      let title = "Seed \(seed) \(testCase.name) \(way)"
      guard try steps.expectNone(title, { try way.difference($0, model) }) else { return }
    }
  }
}
