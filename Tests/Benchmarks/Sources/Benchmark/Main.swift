import Foundation
import Measuring

/// ```
/// Benchmark run [options]                                   measures and prints the table
/// Benchmark job  CONTENDER SET SCENARIO SIZE FOLDER         one measurement, as JSON
/// Benchmark make CONTENDER SET SIZE FOLDER                  the database that jobs begin with
/// Benchmark scopes SIZE FOLDER                              syncs that touch little of a large table
/// ```
@main
struct Main {
  static func main() {
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ arguments: [String]) throws {
    switch arguments.first {
    case "job" where arguments.count == 6:
      let payloads = try payloads(arguments[2], arguments[4], arguments[5])
      guard let scenario = Scenario(rawValue: arguments[3]) else { throw usage }
      let measurement = try Job(scenario, payloads).measure(
        arguments[1], try contender(arguments[1]))
      let expected = scenario.expected(payloads)
      guard measurement.counts == expected else {
        throw BenchmarkError("\(arguments[1]) found \(measurement.counts), not \(expected).")
      }
      print(String(decoding: try JSONEncoder().encode(measurement), as: UTF8.self))
    case "make" where arguments.count == 5:
      let payloads = try payloads(arguments[2], arguments[3], arguments[4])
      try payloads.write()
      try Job(.cold, payloads).makeDatabase(arguments[1], try contender(arguments[1]))
    case "scopes" where arguments.count == 3:
      try ScopeTimes(payloads("users", arguments[1], arguments[2])).run()
    case "run", nil:
      let options = try Options(Array(arguments.dropFirst()))
      guard try Runner(options).run() else { exit(1) }
    default:
      throw usage
    }
  }

  private static func contender(_ name: String) throws -> any Contender.Type {
    guard let type = Contenders.type(name) else { throw usage }
    return type
  }

  private static func payloads(
    _ set: String, _ count: String, _ folder: String
  ) throws -> Payloads {
    guard let set = DataSet(rawValue: set), let count = Int(count) else { throw usage }
    return Payloads(folder: URL(filePath: folder), set: set, count: count)
  }

  private static let usage = BenchmarkError(
    """
    usage: run [--sets users,documents] [--sizes 1000,10000,100000]
               [--scenarios cold,unchanged,onePercent,churn]
               [--contenders \(Contenders.names.joined(separator: ","))] [--rounds 5] [--instructions]
               [--folder PATH] [--check]
    """)
}

struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
