import Floor
import Foundation
import Measuring
import Shapes
import Subject

/// Counts the costs of syncs that need no clock: statements, heap requests and instructions, the
/// same on every machine and at any load.
///
/// ```
/// Counts [--check] [--scenarios cold,unchanged,onePercent,allChanged,churn] [--folder PATH]
/// Counts --growth [--check] [--shapes NAME,NAME]
/// Counts --times [--shapes NAME,NAME] [--rounds 3]
/// ```
///
/// With `--check` it fails when a count exceeds its limit in `limits.json`, or a shape grows faster
/// than `growth.json` allows. Without `--growth` it counts the costs of syncs, with it how shapes
/// of use grow, in instructions; with `--times` in time, which is for people to look at.
@main
struct Main {
  static func main() {
    do {
      guard try run(Array(CommandLine.arguments.dropFirst())) else { exit(1) }
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ arguments: [String]) throws -> Bool {
    var folder = FileManager.default.temporaryDirectory.appending(path: "syncstack-counts")
    var checks = false
    var shapes: [String] = []
    var countsGrowth = false
    var takesTimes = false
    var rounds = 1
    var scenarios = Scenario.inMemory
    let bench = Bench(folder: folder, contender: contender)
    if try bench.run(arguments) || Growth.run(arguments) { return true }
    var rest = arguments[...]
    while let name = rest.popFirst() {
      switch name {
      case "--check": checks = true
      case "--growth": countsGrowth = true
      case "--times": takesTimes = true
      case "--rounds": rounds = Int(rest.popFirst() ?? "") ?? 1
      case "--shapes": shapes = (rest.popFirst() ?? "").split(separator: ",").map(String.init)
      case "--scenarios":
        scenarios = try (rest.popFirst() ?? "").split(separator: ",").map { name in
          guard let scenario = Scenario(rawValue: String(name)) else {
            throw MeasuringError("There is no scenario \(name).")
          }
          return scenario
        }
      case "--folder":
        guard let path = rest.popFirst() else { throw MeasuringError("--folder needs a value.") }
        folder = URL(filePath: path)
      default: throw MeasuringError("There is no option \(name).")
      }
    }
    if takesTimes {
      let times = try Growth.times(Growth.shapes(shapes), rounds: rounds)
      print(Growth.text(times, unit: "ms", sizes: \.timed))
      return true
    }
    if countsGrowth {
      guard let counts = try Growth.instructions(Growth.shapes(shapes)) else {
        print("Not counted here: how costs grow. Install valgrind to count it.")
        return true
      }
      print(Growth.text(counts, unit: "instructions", sizes: \.counted))
      return try !checks || GrowthLimits.load().check(counts)
    }
    let counted = Bench(folder: folder, contender: contender)
    let table = try CountTable(counted, scenarios)
    print(table.text)
    let mappings = try MappingCounts(counted, scenarios)
    if !mappings.rows.isEmpty { print("\n" + mappings.text) }
    return try !checks || CountLimits.load().check(table, mappings)
  }

  private static let contender: @Sendable (String) -> (any Contender.Type)? = { name in
    switch name {
    case "floor": FloorContender.self
    case "syncstack": SyncStackContender.self
    case "syncstack-plain": PlainSyncStackContender.self
    case "serializer": SerializerContender.self
    case "serializer-plain": PlainSerializerContender.self
    case "serializer-validator": ValidatorContender.self
    case "serializer-custom": CustomRuleContender.self
    default: nil
    }
  }
}
