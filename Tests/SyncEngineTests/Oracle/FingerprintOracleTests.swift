import Foundation
import SyncStack
import TestSupport
import Testing

/// Random sequences of payloads that come again and again, with other options and scopes, edits,
/// dry runs and cancels in between, also while edits wait to be sent: with fingerprints a sync does
/// and reports the same as without them.
@Suite struct FingerprintOracleTests {
  @Test(arguments: OracleTests.cases)
  func fingerprintsChangeNothing(_ testCase: OracleTests.Case) throws {
    try check(testCase)
  }

  @Test(arguments: OracleTests.cases + OracleTests.wider.prefix(4))
  func norDoTheyWhileEditsWaitToBeSent(_ testCase: OracleTests.Case) throws {
    try check(testCase) { $0.tracksEdits = true }
  }

  @Test(arguments: OracleTests.cases + OracleTests.wider.prefix(4))
  func norDoTheyInParts(_ testCase: OracleTests.Case) throws {
    try check(testCase) { $0.partItems = [1, 2, 3, 2, nil] }
  }

  @Test(arguments: OracleTests.cases + OracleTests.wider.prefix(4))
  func norDoTheyInPartsWhileEditsWaitToBeSent(_ testCase: OracleTests.Case) throws {
    try check(testCase) {
      $0.tracksEdits = true
      $0.partItems = [2, 1, nil, 3]
    }
  }

  @Test(arguments: OracleTests.cases + OracleTests.wider.prefix(4), [nil, 2])
  func norDoTheyInSeveralLists(_ testCase: OracleTests.Case, _ partItems: Int?) throws {
    try check(testCase) {
      $0.hasLists = true
      $0.partItems = [partItems]
    }
  }

  @Test(arguments: OracleTests.cases + OracleTests.wider.prefix(4))
  func norDoTheyInSeveralListsWhileEditsWaitToBeSent(_ testCase: OracleTests.Case) throws {
    try check(testCase) {
      $0.hasLists = true
      $0.tracksEdits = true
    }
  }

  @Test(arguments: OracleTests.cases + OracleTests.wider.prefix(4), [1, 2])
  func norDoTheyInPagesOfASession(_ testCase: OracleTests.Case, _ size: Int) throws {
    try check(testCase) {
      $0.form = .pages(of: size)
      $0.hasLists = size == 2
      $0.tracksEdits = size == 1
    }
  }

  @Test(arguments: OracleTests.cases + OracleTests.wider.prefix(4), [1, 3])
  func norDoTheyInBatches(_ testCase: OracleTests.Case, _ size: Int) throws {
    try check(testCase) {
      $0.form = .batches(of: size)
      $0.tracksEdits = size == 3
    }
  }

  private func check(
    _ testCase: OracleTests.Case, _ change: (inout FingerprintSequence) -> Void = { _ in }
  ) throws {
    let model = try testCase.model()
    var sequence = FingerprintSequence(model: model)
    change(&sequence)
    for seed in Proof.seeds(usual: 1...16) {
      defer { Proof.tried("sequences with and without fingerprints") }
      var payloads = OraclePayloads(
        generator: SeededGenerator(seed: seed &* 7919), model: model, keys: 6,
        depth: testCase.depth)
      payloads.hasUnreadableKeys = seed % 2 == 0
      payloads.mixesLists = testCase.mixesLists
      sequence.looksKeysUp = seed % 3 == 0
      let steps = try sequence.steps(&payloads, of: testCase.entities, length: 10)
      guard try sequence.difference(steps) != nil else { continue }
      let short = try sequence.minimised(steps)
      let difference = try sequence.difference(short) ?? ""
      Issue.record(
        "Seed \(seed) \(testCase.name):\n\(short.map(\.description).joined(separator: "\n"))\n\(difference)"
      )
      return
    }
  }
}
