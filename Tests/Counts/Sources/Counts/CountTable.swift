import Measuring

/// The counts by data set and scenario.
struct CountTable {
  struct Entry {
    let set: DataSet
    let scenario: Scenario
    var tallies: Tallies
    /// A tenth of it in another process, which shows the growth with the rows.
    var smallTallies: Tallies
    /// Of a sync alone, and of the floor's.
    var instructions: (sync: Int, floor: Int)?
  }

  /// Large enough that the costs of a first sync do not hide the rest, small enough for a minute in
  /// all.
  static let size = 5000
  static let smallSize = 500

  private(set) var entries: [Entry] = []

  init(_ bench: Bench, _ scenarios: [Scenario] = Scenario.inMemory) throws {
    let counter = InstructionCounter()
    for set in DataSet.allCases {
      for size in [CountTable.size, CountTable.smallSize] {
        try bench.make("floor", set, size)
        try bench.make("syncstack", set, size)
      }
      for scenario in scenarios {
        func place(_ contender: String, _ size: Int = CountTable.size) -> Bench.Place {
          Bench.Place(contender, set, scenario, size)
        }
        var entry = Entry(
          set: set, scenario: scenario, tallies: try bench.count(place("syncstack")),
          smallTallies: try bench.count(place("syncstack", CountTable.smallSize)))
        if let sync = try bench.instructions(place("syncstack"), counter),
          let floor = try bench.instructions(place("floor"), counter)
        {
          entry.instructions = (sync, floor)
        }
        entries.append(entry)
      }
    }
  }

  func entry(_ set: DataSet, _ scenario: Scenario) -> Entry? {
    entries.first { $0.set == set && $0.scenario == scenario }
  }

  var text: String {
    let rows = entries.map { entry in
      [
        "", entry.set.rawValue, entry.scenario.rawValue, "\(entry.tallies.statements)",
        entry.tallies.heapRequests.map { "\($0)" } ?? "",
        entry.tallies.heapRequestsAgain.map { "\($0)" } ?? "",
        entry.smallTallies.heapRequestsAgain.map { "\($0)" } ?? "",
        entry.instructions.map { "\($0.sync / 100_000) / \($0.floor / 100_000)" } ?? "",
        entry.instructions.map { CountTable.number(Double($0.sync) / Double($0.floor)) } ?? "",
        "",
      ].joined(separator: " | ")
    }
    return """
      ### \(CountTable.size) objects

      | set | scenario | statements | heap requests | again | again, \(CountTable.smallSize) \
      | 100,000 instructions / floor | × floor |
      |---|---|---:|---:|---:|---:|---:|---:|
      \(rows.map { $0.drop { $0 == " " } }.joined(separator: "\n"))
      """
  }

  /// A number with two places.
  static func number(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}
