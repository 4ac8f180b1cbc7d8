import Foundation
import Measuring

/// Measures objects and contexts, side by side with GRDB and with prepared statements:
///
/// ```
/// ObjectBenchmark [--objects 100000] [--edited 10000] [--rounds 7] [--folder PATH] [--check] [--only NAME]
/// ```
///
/// Everything in one process, one contender after the other in each round; ratios are medians over
/// the rounds. `--check` fails when a ratio or a time exceeds its limit.
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
    var options = Options()
    try options.read(arguments)
    let folder = options.folder.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var isKept = true
    let scene = try options.only == "one" ? nil : Scene(options, folder)
    let scenarios =
      [("one", { try OneObject(options, folder).measure() })] + (scene?.scenarios ?? [])
    for (name, measure) in scenarios where options.only == nil || options.only == name {
      let table = try measure()
      print(table.text)
      isKept = table.isKept && isKept
    }
    if options.checks, !isKept { exit(1) }
  }
}

struct Options {
  var objects = 100_000
  var edited = 10_000
  var rounds = 7
  var checks = false

  /// The only scenario to measure; nil is all.
  var only: String?
  var folder = FileManager.default.temporaryDirectory

  mutating func read(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      if name == "--check" {
        checks = true
        continue
      }
      guard let value = rest.popFirst() else { throw MeasuringError("\(name) needs a value.") }
      switch name {
      case "--objects": objects = Int(value) ?? objects
      case "--edited": edited = Int(value) ?? edited
      case "--rounds": rounds = Int(value) ?? rounds
      case "--only": only = value
      case "--folder": folder = URL(filePath: value)
      default: throw MeasuringError("There is no option \(name).")
      }
    }
  }
}
