import Foundation
import Measuring

/// The measurements that are asked for.
struct Options {
  var sets = DataSet.allCases
  var sizes = [1000, 10_000, 100_000]
  var scenarios = Scenario.allCases
  var contenders = Contenders.names
  /// Users of the payload that is read from a file: large enough that it is worked off in parts.
  var streamedSize = 400_000
  var rounds = 5
  /// Whether statements, heap requests and instructions are counted too.
  var counts = false
  var checks = false
  var folder = FileManager.default.temporaryDirectory.appending(path: "syncstack-benchmarks")

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      switch name {
      case "--check":
        checks = true
        continue
      case "--counts":
        counts = true
        continue
      default: break
      }
      guard let value = rest.popFirst() else { throw MeasuringError("\(name) needs a value.") }
      let list = value.split(separator: ",").map(String.init)
      switch name {
      case "--sets": sets = try list.map { try Options.value($0, DataSet.init) }
      case "--sizes": sizes = try list.map { try Options.value($0) { Int($0) } }
      case "--scenarios": scenarios = try list.map { try Options.value($0, Scenario.init) }
      case "--contenders":
        contenders = try list.map { name in
          try Options.value(name) { Contenders.type($0) == nil ? nil : $0 }
        }
      case "--streamed": streamedSize = try Options.value(value) { Int($0) }
      case "--rounds": rounds = try Options.value(value) { Int($0) }
      case "--folder": folder = URL(filePath: value)
      default: throw MeasuringError("There is no option \(name).")
      }
    }
    // Ratios are against the floor, so it always runs.
    if !contenders.contains(Contenders.names[0]) { contenders.insert(Contenders.names[0], at: 0) }
  }

  private static func value<T>(_ text: String, _ make: (String) -> T?) throws -> T {
    guard let value = make(text) else { throw MeasuringError("“\(text)” is not known.") }
    return value
  }
}
