import CCallgrind
import Foundation
import Measuring
import Shapes

/// How the costs of shapes grow with their size.
///
/// Instructions are counted by callgrind in one process for all shapes: it counts only while a
/// shape says so, and the preparations run almost as fast as without it.
enum Growth {
  /// The costs of a shape at its three sizes.
  struct Costs {
    let shape: Shape
    let costs: [Double]

    var exponent: Double { Shape.exponent(costs) }
  }

  /// The shapes of these names; all when there are none.
  static func shapes(_ names: [String]) throws -> [Shape] {
    try names.isEmpty
      ? Shape.all
      : names.map { name in
        guard let shape = Shape.all.first(where: { $0.name == name }) else {
          throw MeasuringError("There is no shape \(name).")
        }
        return shape
      }
  }

  // MARK: - From outside

  /// Counts instructions; nil where callgrind is not installed.
  static func instructions(_ shapes: [Shape]) throws -> [Costs]? {
    guard let callgrind = InstructionCounter.find("valgrind") else { return nil }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "growth-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let log = folder.appending(path: "log")
    _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    _ = try Subprocess.output(
      of: callgrind,
      [
        "--tool=callgrind", "--instr-atstart=no",
        "--callgrind-out-file=\(folder.path)/counts", Subprocess.program, "count-shapes",
      ] + shapes.map(\.name), error: try FileHandle(forWritingTo: log))
    var counts: [String: Double] = [:]
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where file.hasPrefix("counts.") {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      let lines = text.split(separator: "\n", maxSplits: 60)
      let trigger = "desc: Trigger: Client Request: "
      guard let name = lines.first(where: { $0.hasPrefix(trigger) })?.dropFirst(trigger.count)
      else { continue }
      let total = text.split(separator: "\n").last { $0.hasPrefix("totals: ") }
      counts[String(name)] = total.flatMap { Double($0.dropFirst(8)) }
    }
    return try shapes.map { shape in
      Costs(
        shape: shape,
        costs: try Shape.sizes(from: shape.counted).map { size in
          guard let count = counts["\(shape.name) \(size)"] else {
            throw MeasuringError("There is no count of “\(shape.name)” with \(size).")
          }
          return count
        })
    }
  }

  /// Measures processor time in milliseconds, the least of some runs, each in a process of its own.
  static func times(_ shapes: [Shape], rounds: Int) throws -> [Costs] {
    try shapes.map { shape in
      Costs(
        shape: shape,
        costs: try Shape.sizes(from: shape.timed).map { size in
          try (0..<rounds).map { _ in
            let output = try Subprocess.output(
              of: Subprocess.program, ["time-shape", shape.name, "\(size)"])
            let text = String(decoding: output, as: UTF8.self)
            return Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? .infinity
          }.min() ?? .infinity
        })
    }
  }

  static func text(_ costs: [Costs], unit: String, sizes: (Shape) -> Int) -> String {
    let rows = costs.map { entry in
      let figures = entry.costs.map { CountTable.number($0) }.joined(separator: " / ")
      return "| \(entry.shape.name) | \(sizes(entry.shape)) | \(figures) "
        + "| \(CountTable.number(entry.exponent)) |"
    }
    return """
      | shape | *n* | \(unit) at *n* / 2 *n* / 4 *n* | exponent |
      |---|---:|---:|---:|
      \(rows.joined(separator: "\n"))
      """
  }

  // MARK: - Inside

  /// Runs the command of the arguments.
  ///
  /// - Returns: False when they say nothing of the kind.
  static func run(_ arguments: [String]) throws -> Bool {
    switch arguments.first {
    case "count-shapes":
      for shape in try shapes(Array(arguments.dropFirst())) { try count(shape) }
    case "time-shape" where arguments.count == 3:
      guard let shape = try shapes([arguments[1]]).first, let size = Int(arguments[2]) else {
        return false
      }
      let clock = ProcessorClock()
      try shape.run(size, Scene(clock))
      print(clock.seconds * 1000)
    default: return false
    }
    return true
  }

  private static func count(_ shape: Shape) throws {
    // The costs of a first use do not grow.
    try shape.run(shape.counted, Scene(Pause()))
    for size in Shape.sizes(from: shape.counted) {
      try shape.run(size, Scene(Callgrind()))
      callgrind_write("\(shape.name) \(size)")
    }
  }

  private final class Pause: Meter {
    func begin() {}
    func pause() {}
  }

  private final class Callgrind: Meter {
    func begin() { callgrind_begin() }
    func pause() { callgrind_pause() }
  }

  private final class ProcessorClock: Meter {
    var seconds = 0.0
    private var start = 0.0

    func begin() { start = ProcessFigures.processorSeconds }
    func pause() { seconds += ProcessFigures.processorSeconds - start }
  }
}
