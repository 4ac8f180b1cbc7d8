import Floor
import Foundation
import Measuring
import Rivals
import Subject

/// ```
/// Benchmark run [options]        measures and prints the table
/// Benchmark scopes SIZE FOLDER   syncs that touch little of a large table
/// Benchmark parts SET SCENARIO SIZE FOLDER
///                                steps of the floor
/// ```
///
/// It runs itself with the commands of ``Bench``.
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
    if try Main.bench(FileManager.default.temporaryDirectory).run(arguments) { return }
    switch arguments.first {
    case "scopes" where arguments.count == 3:
      guard let size = Int(arguments[1]) else { throw usage }
      print(try ScopeTimes.Table(URL(filePath: arguments[2]), size).text)
    case "parts" where arguments.count == 5:
      guard let set = DataSet(rawValue: arguments[1]), let size = Int(arguments[3]),
        let scenario = Scenario(rawValue: arguments[2])
      else { throw usage }
      try PartTimes(
        scenario: scenario,
        payloads: Payloads(folder: URL(filePath: arguments[4]), set: set, count: size)
      ).run()
    case "run", nil:
      let options = try Options(Array(arguments.dropFirst()))
      guard try Runner(options).run() else { exit(1) }
    default:
      throw usage
    }
  }

  static func bench(_ folder: URL) -> Bench {
    Bench(folder: folder) { Contenders.type($0) }
  }

  private static let usage = MeasuringError(
    """
    usage: run [--sets users,documents,books] [--sizes 1000,10000,100000]
               [--scenarios cold,unchanged,onePercent,allChanged,churn,streamed] [--streamed 400000]
               [--contenders \(Contenders.names.joined(separator: ","))] [--rounds 5] [--counts]
               [--folder PATH] [--check]
    """)
}

/// Everything that takes part, by the name it has in tables and arguments. The first is the
/// measure.
enum Contenders {
  static let names = ["floor", "syncstack", "syncstack-plain", "grdb-best", "grdb"]

  static func type(_ name: String) -> (any Contender.Type)? {
    switch name {
    case "floor": FloorContender.self
    case "syncstack": SyncStackContender.self
    case "syncstack-plain": PlainSyncStackContender.self
    case "grdb-best": BestGRDB.self
    case "grdb": IdiomaticGRDB.self
    default: nil
    }
  }
}
