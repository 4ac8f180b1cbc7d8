import Foundation
import Measuring

/// The table of the results, as Markdown.
enum Table {
  static func title(_ set: DataSet, _ size: Int) -> String {
    """

    ### \(set.rawValue), \(size)

    | scenario | contender | wall s | with closing s | processor s | × floor wall | × floor processor \
    | memory × payload | instructions M |
    |---|---|---:|---:|---:|---:|---:|---:|---:|
    """
  }

  static func rows(_ result: Runner.Result) -> String {
    result.measurements.map { entry in
      let rounds = entry.rounds
      let cells = [
        result.scenario.rawValue, entry.contender, number(rounds.map(\.wall).median, 3),
        number(rounds.map(\.total).median, 3), number(rounds.map(\.processor).median, 3),
        number(result.ratio(entry.contender, \.wall) ?? 0, 2),
        number(result.ratio(entry.contender, \.processor) ?? 0, 2),
        number(rounds.map(\.memoryShare).median, 2),
        entry.instructions.map { "\($0 / 1_000_000)" } ?? "",
      ]
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
        for (contender, _, _) in last.measurements {
          guard let exponent = exponent(contender, first, last) else { continue }
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

  private static func exponent(
    _ contender: String, _ first: Runner.Result, _ last: Runner.Result
  ) -> Double? {
    guard let small = first.rounds(contender)?.map(\.processor).median,
      let large = last.rounds(contender)?.map(\.processor).median, small > 0
    else { return nil }
    return log(large / small) / log(Double(last.size) / Double(first.size))
  }
}
