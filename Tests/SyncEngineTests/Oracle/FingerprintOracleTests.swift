import Foundation
import SyncStack
import TestSupport
import Testing

/// Random sequences of payloads that come again and again, with other options and scopes, edits,
/// dry runs and cancels in between: with fingerprints a sync does and reports the same as without
/// them.
///
/// `FINGERPRINT_SEEDS` runs more sequences, as in
/// `FINGERPRINT_SEEDS=5000 swift test --filter FingerprintOracleTests`.
@Suite struct FingerprintOracleTests {
  @Test(arguments: OracleTests.cases)
  func fingerprintsChangeNothing(_ testCase: OracleTests.Case) throws {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["FINGERPRINT_SEEDS"].flatMap { UInt64($0) } ?? 16
    let first = environment["FINGERPRINT_FIRST"].flatMap { UInt64($0) } ?? 1
    let model = try testCase.model()
    var sequence = FingerprintSequence(model: model)
    for seed in first..<(first + count) {
      var payloads = OraclePayloads(
        generator: SeededGenerator(seed: seed &* 7919), model: model, keys: 6,
        depth: testCase.depth)
      payloads.hasUnreadableKeys = seed % 2 == 0
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
