import Foundation
import Measuring
import Shapes

/// How fast shapes of use may grow: `growth.json`.
///
/// ```json
/// {
///   "limit": 1.1, "known": {"a kept session of pages of 50": 1.6},
///   "pairs": [{"shape": "three lists in one sync", "against": "three lists in three syncs", "most": 1}]
/// }
/// ```
///
/// `known` are those that are known to grow faster, and how fast at most until they are mended.
/// `pairs` are two ways to the same, and how much more one of them may cost at the largest size.
struct GrowthLimits: Codable {
  private let limit: Double
  private let known: [String: Double]
  private let pairs: [Pair]

  private struct Pair: Codable {
    let shape: String
    let against: String
    let most: Double
  }

  static func load() throws -> GrowthLimits {
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "growth.json")
    return try JSONDecoder().decode(GrowthLimits.self, from: Data(contentsOf: url))
  }

  /// Prints the limits that are exceeded.
  ///
  /// - Returns: False when anything was.
  func check(_ costs: [Growth.Costs]) -> Bool {
    var isKept = true
    for entry in costs {
      let most = known[entry.shape.name] ?? limit
      guard entry.exponent > most else { continue }
      isKept = false
      print(
        "EXCEEDED \(entry.shape.name): grows with exponent \(CountTable.number(entry.exponent)), "
          + "at most \(CountTable.number(most))")
    }
    let largest = Dictionary(
      uniqueKeysWithValues: costs.map { ($0.shape.name, $0.costs.last ?? 0) })
    for pair in pairs {
      guard let cost = largest[pair.shape], let other = largest[pair.against], other > 0 else {
        continue
      }
      print(
        "\(pair.shape): \(CountTable.number(cost / other)) × \(pair.against), "
          + "at most \(CountTable.number(pair.most))")
      if cost / other > pair.most { isKept = false }
    }
    print("\(costs.count) exponents compared with their limits.")
    return isKept
  }
}
