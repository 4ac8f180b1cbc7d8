import Floor
import Foundation
import Measuring
import Subject

/// Counts what syncs cost where no clock is needed: statements, heap requests and instructions, the same on
/// every machine and at any load.
///
/// ```
/// Counts [--check] [--scenarios cold,unchanged,onePercent,churn] [--folder PATH]
/// ```
///
/// With `--check` it fails when a count exceeds its limit in `limits.json`.
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
    var scenarios = Scenario.inMemory
    let bench = Bench(folder: folder, contender: contender)
    if try bench.run(arguments) { return true }
    var rest = arguments[...]
    while let name = rest.popFirst() {
      switch name {
      case "--check": checks = true
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
    let table = try CountTable(Bench(folder: folder, contender: contender), scenarios)
    print(table.text)
    return try !checks || CountLimits.load().check(table)
  }

  private static let contender: @Sendable (String) -> (any Contender.Type)? = { name in
    switch name {
    case "floor": FloorContender.self
    case "syncstack": SyncStackContender.self
    default: nil
    }
  }
}
