import Foundation
import Measuring
import TestPayloads

/// Runs every job in a process of its own, one contender after the other in each round, so that
/// other work of the machine meets all of them alike.
struct Runner {
  let options: Options
  private let bench: Bench
  private let counter = InstructionCounter()

  init(_ options: Options) {
    self.options = options
    bench = Main.bench(options.folder)
  }

  /// - Returns: False when a limit was checked and not kept.
  func run() throws -> Bool {
    var results: [Result] = []
    var scopes: [ScopeTimes.Table] = []
    for set in options.sets {
      for size in options.sizes {
        for contender in contenders(of: set) { try bench.make(contender, set, size) }
        print(Table.title(set, size))
        for scenario in options.scenarios where scenario != .streamed {
          results.append(try printed(measure(set, size, scenario)))
        }
        if set == .users, options.contenders.contains("syncstack") {
          scopes.append(try ScopeTimes.Table(options.folder, size))
        }
      }
    }
    if options.sets.contains(.users), options.scenarios.contains(.streamed) {
      results.append(try printed(measureStreamed(options.streamedSize)))
    }
    for table in scopes { print(table.text, terminator: "") }
    print(Growth.text(results), terminator: "")
    guard options.checks else { return true }
    let keepsLimits = try Limits.load().check(results)
    return ScopeCheck(scopes).check() && keepsLimits
  }

  private func printed(_ result: Result) -> Result {
    print(Table.rows(result), terminator: "")
    return result
  }

  /// Imports of a file that should not be in memory.
  private func measureStreamed(_ size: Int) throws -> Result {
    try Payloads(folder: options.folder, set: .users, count: size).write([.base])
    print(Table.title(.users, size))
    return try measure(.users, size, .streamed)
  }

  /// The figures of one contender.
  struct Measurement {
    let contender: String
    var rounds: [Figures] = []
    var tallies: Tallies?
    /// Of a sync alone.
    var instructions: Int?
  }

  /// The measurements of one scenario.
  struct Result {
    let set: DataSet
    let size: Int
    let scenario: Scenario
    var measurements: [Measurement]

    func rounds(_ contender: String) -> [Figures]? {
      measurements.first { $0.contender == contender }?.rounds
    }

    /// Median over the rounds of a figure of one contender against the floor in the same round.
    func ratio(_ contender: String, _ figure: (Figures) -> Double) -> Double? {
      guard let rounds = rounds(contender), let floor = self.rounds(Contenders.names[0]) else {
        return nil
      }
      return zip(rounds, floor).map { figure($0) / max(figure($1), 1e-9) }.median
    }
  }

  private func measure(_ set: DataSet, _ size: Int, _ scenario: Scenario) throws -> Result {
    let contenders = contenders(of: set)
    var result = Result(
      set: set, size: size, scenario: scenario,
      measurements: contenders.map { Measurement(contender: $0) })
    func place(_ index: Int) -> Bench.Place {
      Bench.Place(contenders[index], set, scenario, size)
    }
    for _ in 0..<options.rounds {
      for index in contenders.indices {
        result.measurements[index].rounds.append(try bench.measure(place(index)))
      }
    }
    if options.counts {
      for index in contenders.indices {
        result.measurements[index].tallies = try bench.count(place(index))
        result.measurements[index].instructions = try bench.instructions(place(index), counter)
      }
    }
    return result
  }

  private func contenders(of set: DataSet) -> [String] {
    options.contenders.filter { Contenders.type($0)?.takesPart(in: set) ?? false }
  }
}
