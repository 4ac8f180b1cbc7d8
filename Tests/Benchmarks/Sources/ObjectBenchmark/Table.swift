import Foundation
import Measuring

/// Times of several contenders over the rounds of one scenario.
struct Table {
  /// The limit of a contender's median.
  enum Limit {
    case ratio(Double, to: String)
    case milliseconds(Double)
  }

  let title: String
  var times: [(name: String, seconds: [Double])]
  var limits: [(name: String, limit: Limit)] = []
  /// Parts of a second that the times are printed in.
  private let unit: Double

  init(_ title: String, _ names: [String], unit: Double = 1000) {
    self.title = title
    self.unit = unit
    times = names.map { ($0, []) }
  }

  /// Runs a body and adds its time.
  @discardableResult
  mutating func measure<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
    let clock = ContinuousClock()
    let start = clock.now
    let result = try body()
    add(name, start.duration(to: clock.now))
    return result
  }

  mutating func add(_ name: String, _ duration: Duration) {
    guard let index = times.firstIndex(where: { $0.name == name }) else { return }
    let (seconds, attoseconds) = duration.components
    times[index].seconds.append(Double(seconds) + Double(attoseconds) / 1e18)
  }

  private func seconds(_ name: String) -> [Double] {
    times.first { $0.name == name }?.seconds ?? []
  }

  /// Median over the rounds of one contender's time against another's in the same round.
  private func ratio(_ name: String, to other: String) -> Double {
    zip(seconds(name), seconds(other)).map { $0 / max($1, 1e-9) }.median
  }

  private func value(_ name: String, _ limit: Limit) -> (text: String, isKept: Bool) {
    switch limit {
    case .ratio(let most, let other):
      let value = ratio(name, to: other)
      return ("\(number(value)) × \(other), at most \(number(most))", value <= most)
    case .milliseconds(let most):
      let value = seconds(name).median * 1000
      return ("\(number(value)) ms, at most \(number(most))", value <= most)
    }
  }

  var isKept: Bool { limits.allSatisfy { value($0.name, $0.limit).isKept } }

  var text: String {
    var lines = [
      "", "### \(title)", "", "| | \(unit == 1000 ? "ms" : "µs") | least |", "|---|---|---|",
    ]
    for (name, seconds) in times {
      lines.append(
        "| \(name) | \(number(seconds.median * unit)) | \(number((seconds.min() ?? 0) * unit)) |")
    }
    lines.append("")
    for (name, limit) in limits {
      let value = value(name, limit)
      lines.append("\(value.isKept ? "kept    " : "EXCEEDED") \(name): \(value.text)")
    }
    return lines.joined(separator: "\n")
  }

  private func number(_ value: Double) -> String { String(format: "%.2f", value) }
}
