import Foundation
import SyncStack
import TestSupport
import Testing

/// Two features at a time: a random history of some days for each pair of the table.
///
/// The quick run is one short day for each pair. `PAIRS_SEEDS` runs so many histories of three long
/// days, from `PAIRS_FIRST` on, and `PAIRS_ONLY` the pairs alone that have a feature of that name:
/// `PAIRS_SEEDS=50 PAIRS_ONLY=order swift test --filter FeaturePairTests`.
@Suite(.timeLimit(.minutes(60))) struct FeaturePairTests {
  struct Pair: Sendable, CustomTestStringConvertible {
    let first: PairFeature
    let second: PairFeature

    var testDescription: String { "\(first.name) + \(second.name)" }
  }

  private static let environment = ProcessInfo.processInfo.environment

  private static let seeds: Range<UInt64> = {
    let first = environment["PAIRS_FIRST"].flatMap { UInt64($0) } ?? 1
    return first..<first + (environment["PAIRS_SEEDS"].flatMap { UInt64($0) } ?? 1)
  }()

  private static let isQuick = environment["PAIRS_SEEDS"] == nil

  static let pairs: [Pair] = PairFeature.all.enumerated().flatMap { index, first in
    PairFeature.all[(index + 1)...].compactMap { second in
      let names = [first.name, second.name]
      guard ImpossiblePair.reason(first.name, second.name) == nil else { return nil }
      guard environment["PAIRS_ONLY"].map({ names.contains($0) }) ?? true else { return nil }
      return Pair(first: first, second: second)
    }
  }

  @Test(arguments: pairs) func whatAlwaysHoldsHoldsWhereTwoFeaturesMeet(
    _ pair: Pair
  ) async throws {
    for seed in Self.seeds {
      let world = try PairWorld([pair.first, pair.second], seed: seed)
      do {
        if Self.isQuick {
          try await world.liveAShortDay()
        } else {
          for _ in 0..<3 { try await world.liveADay() }
        }
      } catch {
        Issue.record(
          """
          \(pair.testDescription), \(Self.isQuick ? "quick" : "PAIRS_FIRST=\(seed)"): \(error)
          \(world.way.joined(separator: "\n"))
          The last payload: \(world.lastPayload)
          """)
        return
      }
    }
  }

  @Test func everyImpossiblePairNamesTwoFeatures() {
    let names = Set(PairFeature.all.map(\.name))
    #expect(names.count == PairFeature.all.count)
    for pair in ImpossiblePair.all {
      #expect(names.isSuperset(of: pair.names) && pair.names.count == 2, "\(pair)")
    }
  }
}

extension PairWorld {
  /// Two payloads, and a step of each feature between them.
  func liveAShortDay() async throws {
    for _ in 0..<6 { truth.change(&random, shape, features) }
    try await deliver(isCompared: false)
    for _ in 0..<4 { truth.change(&random, shape, features) }
    for step in features.compactMap({ $0.steps.randomElement(using: &random) }) {
      try await step(self)
    }
    try await settle()
    try await deliver()
    try await endDay()
  }

  /// Some changes of the server, some steps of the features, and the end of the day.
  func liveADay() async throws {
    note("A day begins.")
    for _ in 0..<2 {
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        truth.change(&random, shape, features)
      }
      if let step = features.flatMap(\.steps).randomElement(using: &random), random.chance(70) {
        try await step(self)
        try await check()
      }
      try await deliver()
    }
    for step in features.compactMap({ $0.steps.randomElement(using: &random) }) {
      try await step(self)
      try await check()
    }
    try await settle()
    try await deliver()
    try await endDay()
  }
}
