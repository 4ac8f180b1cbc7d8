import Foundation
import Measuring

/// The costs of mapping by hand against conventions: instructions of syncs of the same users with
/// notes into the same store.
struct MappingCounts {
  struct Row {
    let scenario: Scenario
    let contender: String
    let instructions: Int
    let conventional: Int
    /// More than the same serializer takes without closures and without fingerprints, for each
    /// user.
    var perItem: Int?

    var ratio: Double { Double(instructions) / Double(max(conventional, 1)) }
  }

  static let size = 10_000
  static let contenders = [
    "serializer", "serializer-plain", "serializer-validator", "serializer-custom",
  ]

  private(set) var rows: [Row] = []

  /// - Parameter scenarios: Of them everything new and nothing changed.
  init(_ bench: Bench, _ scenarios: [Scenario]) throws {
    let counter = InstructionCounter()
    let scenarios = scenarios.filter { [.cold, .unchanged].contains($0) }
    guard !scenarios.isEmpty else { return }
    for contender in ["syncstack"] + MappingCounts.contenders {
      try bench.make(contender, .users, MappingCounts.size)
    }
    for scenario in scenarios {
      func count(_ contender: String) throws -> Int? {
        try bench.instructions(
          Bench.Place(contender, .users, scenario, MappingCounts.size), counter)
      }
      guard let conventional = try count("syncstack") else { return }
      var plain: Int?
      for contender in MappingCounts.contenders {
        guard let instructions = try count(contender) else { return }
        let more = plain.map { (instructions - $0) / MappingCounts.size }
        if contender == "serializer-plain" { plain = instructions }
        rows.append(
          Row(
            scenario: scenario, contender: contender, instructions: instructions,
            conventional: conventional, perItem: more))
      }
    }
  }

  var text: String {
    let lines = rows.map { row in
      [
        "| \(row.contender) | \(row.scenario.rawValue) ",
        "| \(row.instructions / 100_000) / \(row.conventional / 100_000) ",
        "| \(CountTable.number(row.ratio)) | \(row.perItem.map { "\($0)" } ?? "") |",
      ].joined()
    }
    return """
      ### \(MappingCounts.size) users with notes, mapped by hand

      | mapping | scenario | 100,000 instructions / conventions | × conventions | a user, instructions more |
      |---|---|---:|---:|---:|
      \(lines.joined(separator: "\n"))
      """
  }

  func ratio(_ contender: String, _ scenario: Scenario) -> Double? {
    rows.first { $0.contender == contender && $0.scenario == scenario }?.ratio
  }
}
