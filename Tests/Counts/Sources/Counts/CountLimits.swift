import Foundation
import Measuring

/// Counts that must not be exceeded: `limits.json`.
///
/// ```json
/// [{"set": "users", "scenario": "unchanged", "statements": 16, "heap": 600, "instructions": 0.55}]
/// ```
///
/// `statements` are those of one sync; `heap` are the requests of a sync after the first, `growth`
/// how many of those come with ten times the rows; `instructions` are against the floor's, or, with
/// a `mapping`, against the same sync by convention. Counts that a machine cannot take are passed
/// over.
struct CountLimits {
  private struct Limit: Codable {
    var set: DataSet
    var scenario: Scenario
    var mapping: String?
    var statements: Int?
    var heap: Int?
    var growth: Int?
    var instructions: Double?
  }

  private let limits: [Limit]

  static func load() throws -> CountLimits {
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "limits.json")
    return CountLimits(limits: try JSONDecoder().decode([Limit].self, from: Data(contentsOf: url)))
  }

  /// Prints the limits that are exceeded, and those that could not be counted.
  ///
  /// - Returns: False when anything was exceeded.
  func check(_ table: CountTable, _ mappings: MappingCounts) -> Bool {
    var checked = 0
    var passedOver = Set<String>()
    var isKept = true
    func check(_ limit: Limit, _ name: String, _ value: Double?, atMost most: Double?) {
      guard let most else { return }
      guard let value else {
        passedOver.insert(name)
        return
      }
      checked += 1
      guard value > most else { return }
      isKept = false
      print(
        "EXCEEDED \(limit.set.rawValue) \(limit.scenario.rawValue) "
          + "\(limit.mapping.map { "\($0) " } ?? "")\(name): "
          + "\(CountTable.number(value)), at most \(CountTable.number(most))")
    }
    for limit in limits {
      if let mapping = limit.mapping {
        let wasCounted = table.entry(limit.set, limit.scenario) != nil
        guard wasCounted else { continue }
        check(
          limit, "instructions", mappings.ratio(mapping, limit.scenario),
          atMost: limit.instructions)
        continue
      }
      guard let entry = table.entry(limit.set, limit.scenario) else { continue }
      let heap = entry.tallies.heapRequestsAgain.map(Double.init)
      let small = entry.smallTallies.heapRequestsAgain.map(Double.init)
      check(
        limit, "statements", Double(entry.tallies.statements),
        atMost: limit.statements.map(Double.init))
      check(limit, "heap requests", heap, atMost: limit.heap.map(Double.init))
      check(
        limit, "growth of heap requests", heap.flatMap { heap in small.map { heap - $0 } },
        atMost: limit.growth.map(Double.init))
      check(
        limit, "instructions",
        entry.instructions.map { Double($0.sync) / Double(max($0.floor, 1)) },
        atMost: limit.instructions)
    }
    for name in passedOver.sorted() { print("Not counted here: \(name).") }
    print("\(checked) counts compared with their limits.")
    return isKept
  }
}
