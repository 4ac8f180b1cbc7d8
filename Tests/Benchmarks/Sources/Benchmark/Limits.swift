import Foundation
import Measuring

/// Ratios that must not be exceeded: `limits.json`.
///
/// ```json
/// [{"set": "users", "scenario": "cold", "size": 100000, "contender": "syncstack",
///   "figure": "processor", "limit": 0.75}]
/// ```
///
/// The figures `processor` and `wall` are against the floor in the same round; `memory` is against
/// the payload; with `against`, another contender takes the floor's place. `growth` is the exponent
/// with which processor time grows to this size from the smallest one that was measured.
///
/// `known` says that the limit is not met yet, and by how much at most: up to there a miss is
/// printed and does not fail. A check that passes and prints no known miss means that every target
/// is met.
struct Limits {
  private struct Limit: Codable {
    var set: DataSet
    var scenario: Scenario
    var size: Int
    var contender: String
    var against: String?
    var figure: Figure
    var limit: Double
    var known: Double?
  }

  /// How a figure stands to its limit.
  private enum Verdict: String {
    case kept = "kept    "
    case knownMiss = "known   "
    case exceeded = "EXCEEDED"
  }

  private enum Figure: String, Codable {
    case processor
    case wall
    case memory
    case growth
  }

  private let limits: [Limit]

  static func load() throws -> Limits {
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "limits.json")
    return Limits(limits: try JSONDecoder().decode([Limit].self, from: Data(contentsOf: url)))
  }

  /// Prints the limits that are kept, known to be missed and exceeded; those without a measurement
  /// are passed over.
  func check(_ results: [Runner.Result]) -> Bool {
    var verdicts: [Verdict: Int] = [:]
    print("\n### limits\n")
    for limit in limits {
      let result = results.first {
        $0.set == limit.set && $0.scenario == limit.scenario && $0.size == limit.size
      }
      guard let result, let value = value(limit, result, results) else { continue }
      let verdict: Verdict =
        value <= limit.limit
        ? .kept : value <= limit.known ?? limit.limit ? .knownMiss : .exceeded
      verdicts[verdict, default: 0] += 1
      print(
        "\(verdict.rawValue) \(limit.set.rawValue) \(limit.size) "
          + "\(limit.scenario.rawValue) \(limit.contender) \(limit.figure.rawValue)"
          + "\(limit.against.map { " against \($0)" } ?? ""): "
          + "\(Table.number(value, 3)), at most \(Table.number(limit.limit, 3))"
          + (limit.known.map { ", up to \(Table.number($0, 3)) known to miss it" } ?? ""))
    }
    print(
      "\n\(verdicts[.kept, default: 0]) limits kept, \(verdicts[.knownMiss, default: 0]) known misses, "
        + "\(verdicts[.exceeded, default: 0]) exceeded.")
    return verdicts[.exceeded] == nil
  }

  private func value(
    _ limit: Limit, _ result: Runner.Result, _ results: [Runner.Result]
  ) -> Double? {
    switch limit.figure {
    case .growth:
      let smaller = results.filter {
        $0.set == limit.set && $0.scenario == limit.scenario && $0.size < limit.size
      }
      .min { $0.size < $1.size }
      return smaller.flatMap { Growth.exponent(limit.contender, $0, result) }
    case .memory:
      return result.rounds(limit.contender).map { $0.map(\.memoryShare).median }
    case .processor, .wall:
      let figure: (Figures) -> Double =
        limit.figure == .wall ? { $0.wall } : { $0.processor }
      guard let ratio = result.ratio(limit.contender, figure) else { return nil }
      guard let against = limit.against else { return ratio }
      return result.ratio(against, figure).map { ratio / $0 }
    }
  }
}
