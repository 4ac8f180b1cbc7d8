import Foundation
import Measuring
import Shapes

/// How fast shapes of use may grow: `growth.json`.
///
/// ```json
/// {"limit": 1.1, "known": {"a kept session of pages of 50": 1.6}}
/// ```
///
/// `known` are those that are known to grow faster, and how fast at most until they are mended.
struct GrowthLimits: Codable {
  private let limit: Double
  private let known: [String: Double]

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
    print("\(costs.count) exponents compared with their limits.")
    return isKept
  }
}
