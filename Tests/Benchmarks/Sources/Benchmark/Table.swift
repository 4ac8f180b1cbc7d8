import Foundation
import Measuring

/// The table of the results, as Markdown.
enum Table {
  static func title(_ set: DataSet, _ size: Int) -> String {
    """

    ### \(set.rawValue), \(size)

    | scenario | contender | wall s | with closing s | processor s | × floor wall | × floor processor \
    | memory × payload | statements | heap requests | again | instructions M |
    |---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
    """
  }

  static func rows(_ result: Runner.Result) -> String {
    result.measurements.map { (entry: Runner.Measurement) -> String in
      let rounds = entry.rounds
      var cells: [String] = [result.scenario.rawValue, entry.contender]
      for figure: (Figures) -> Double in [\.wall, \.total, \.processor] {
        cells.append(number(rounds.map(figure).median, 3))
      }
      for figure: (Figures) -> Double in [\.wall, \.processor] {
        cells.append(number(result.ratio(entry.contender, figure) ?? 0, 2))
      }
      cells.append(number(rounds.map(\.memoryShare).median, 2))
      let counts = [
        entry.tallies?.statements, entry.tallies?.heapRequests, entry.tallies?.heapRequestsAgain,
        entry.instructions.map { $0 / 1_000_000 },
      ]
      cells += counts.map { $0.map { "\($0)" } ?? "" }
      return "| \(cells.joined(separator: " | ")) |\n"
    }.joined()
  }

  static func number(_ value: Double, _ places: Int) -> String {
    String(format: "%.\(places)f", value)
  }
}

extension Figures {
  /// Memory beyond the payload, as a multiple of it.
  var memoryShare: Double { Double(peak) / Double(max(payload, 1)) }
}

/// How processor time grows with the size.
enum Growth {
  /// Exponents between the smallest and the largest size of each contender.
  static func text(_ results: [Runner.Result]) -> String {
    var text = ""
    for set in DataSet.allCases {
      for scenario in Scenario.allCases {
        let series = results.filter { $0.set == set && $0.scenario == scenario }
        guard let first = series.first, let last = series.last, first.size < last.size else {
          continue
        }
        for measurement in last.measurements {
          let contender = measurement.contender
          guard let exponent = Growth.exponent(contender, first, last) else { continue }
          text +=
            "| \(set.rawValue) | \(scenario.rawValue) | \(contender) "
            + "| \(Table.number(exponent, 2)) |\n"
        }
      }
    }
    guard !text.isEmpty else { return "" }
    return "\n### growth of processor time\n\n| set | scenario | contender | exponent |\n"
      + "|---|---|---|---:|\n" + text
  }

  static func exponent(
    _ contender: String, _ first: Runner.Result, _ last: Runner.Result
  ) -> Double? {
    guard let small = first.rounds(contender)?.map(\.processor).median,
      let large = last.rounds(contender)?.map(\.processor).median, small > 0
    else { return nil }
    return log(large / small) / log(Double(last.size) / Double(first.size))
  }
}
