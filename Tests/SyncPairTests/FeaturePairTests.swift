import Foundation
import SyncStack
import TestSupport
import Testing

/// Two features at a time: a random history of some days for each pair of the table.
///
/// The quick run is one short day for every fifth pair, a long one (``Proof``) three days for each;
/// `PAIRS_ONLY=order` takes the pairs alone that have the feature of that name.
@Suite(.timeLimit(.minutes(60))) struct FeaturePairTests {
  struct Pair: Sendable, CustomTestStringConvertible {
    let first: PairFeature
    let second: PairFeature

    var testDescription: String { "\(first.name) + \(second.name)" }
  }

  private static let pairs: [Pair] = {
    let only = ProcessInfo.processInfo.environment["PAIRS_ONLY"]
    let all = PairFeature.all.enumerated().flatMap { index, first in
      PairFeature.all[(index + 1)...].compactMap { second -> Pair? in
        guard ImpossiblePair.reason(first.name, second.name) == nil else { return nil }
        guard only.map({ [first.name, second.name].contains($0) }) ?? true else { return nil }
        return Pair(first: first, second: second)
      }
    }
    guard !Proof.isLong, only == nil else { return all }
    return all.enumerated().filter { $0.offset % 5 == 0 }.map(\.element)
  }()

  @Test(arguments: pairs) func whatAlwaysHoldsHoldsWhereTwoFeaturesMeet(_ pair: Pair) async throws {
    for seed in Proof.seeds(usual: 1...1) {
      defer { Proof.tried("histories of two features") }
      let world = try PairWorld([pair.first, pair.second], seed: seed)
      do {
        if Proof.isLong {
          for _ in 0..<3 { try await world.liveADay() }
        } else {
          try await world.liveAShortDay()
        }
      } catch {
        Issue.record(
          """
          \(pair.testDescription), \(Proof.isLong ? "seed \(seed)" : "quick"): \(error)
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

/// Two features that no program combines.
struct ImpossiblePair {
  let names: Set<String>
  let reason: String

  static let all = [
    ImpossiblePair(
      names: ["keys per owner", "keys of two attributes"],
      reason: "Both say how crates are told apart."),
    ImpossiblePair(
      names: ["keys of two attributes", "objects by key"],
      reason: "A key of JSON fills one attribute, which does not tell crates apart."),
    ImpossiblePair(
      names: ["kinds", "serializers"],
      reason: "A serializer fills attributes of its entity alone."),
    ImpossiblePair(
      names: ["kinds", "serializers below conventions"],
      reason: "A serializer fills attributes of its entity alone."),
  ]

  /// Why two features have no case; nil when they have one.
  static func reason(_ first: String, _ second: String) -> String? {
    all.first { $0.names == [first, second] }?.reason
  }
}
