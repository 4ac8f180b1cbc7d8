import Foundation
import Measuring

/// Runs every job in a process of its own, one contender after the other in each round, so that what
/// else the machine does meets all of them alike.
struct Runner {
  let options: Options
  private let counter = InstructionCounter()

  init(_ options: Options) {
    self.options = options
  }

  /// - Returns: False when a limit was checked and not kept.
  func run() throws -> Bool {
    var results: [Result] = []
    for set in options.sets {
      for size in options.sizes {
        for contender in options.contenders {
          _ = try Runner.output(
            of: Runner.program, ["make", contender, set.rawValue, "\(size)", options.folder.path])
        }
        print(Table.title(set, size))
        for scenario in options.scenarios {
          let result = try measure(set, size, scenario)
          print(Table.rows(result), terminator: "")
          results.append(result)
        }
      }
    }
    print(Growth.text(results), terminator: "")
    return try !options.checks || Limits.load().check(results)
  }

  /// What was measured of one scenario.
  struct Result {
    let set: DataSet
    let size: Int
    let scenario: Scenario
    var measurements: [(contender: String, rounds: [Figures], instructions: Int?)]

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
    var result = Result(
      set: set, size: size, scenario: scenario,
      measurements: options.contenders.map { ($0, [], nil) })
    for _ in 0..<options.rounds {
      for index in result.measurements.indices {
        let job = arguments(result.measurements[index].contender, result)
        let output = try Runner.output(of: Runner.program, job)
        result.measurements[index].rounds.append(
          try JSONDecoder().decode(Figures.self, from: output))
      }
    }
    if options.countsInstructions {
      for index in result.measurements.indices {
        let job = arguments(result.measurements[index].contender, result)
        result.measurements[index].instructions = try counter.count(Runner.program, job)
      }
    }
    return result
  }

  private func arguments(_ contender: String, _ result: Result) -> [String] {
    [
      "job", contender, result.set.rawValue, result.scenario.rawValue, "\(result.size)",
      options.folder.path,
    ]
  }

  private static var program: String {
    Bundle.main.executablePath ?? CommandLine.arguments[0]
  }

  /// Runs a program to its end.
  static func output(
    of program: String, _ arguments: [String], error: FileHandle? = nil
  ) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    if let error { process.standardError = error }
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkError("\(program) \(arguments.joined(separator: " ")) failed.")
    }
    return output
  }
}

extension [Double] {
  /// The middle one; zero when there is none.
  var median: Double {
    let sorted = sorted()
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
