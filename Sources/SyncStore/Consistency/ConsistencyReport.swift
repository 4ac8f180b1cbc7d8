/// What a check of a store found.
public struct ConsistencyReport: Sendable, Hashable {
  /// What is wrong with the file, after repairs. Empty when nothing is.
  public let problems: [ConsistencyProblem]

  /// What a repair mended.
  public let repaired: [ConsistencyProblem]

  package init(problems: [ConsistencyProblem], repaired: [ConsistencyProblem] = []) {
    self.problems = problems
    self.repaired = repaired
  }

  /// Whether nothing is wrong.
  public var isConsistent: Bool { problems.isEmpty }

  /// The kinds of problems that a repair does something about.
  public var repairableKinds: Set<ConsistencyProblem.Kind> {
    Set(problems.filter(\.isRepairable).map(\.kind))
  }
}

extension ConsistencyReport: CustomStringConvertible {
  /// A line for each problem, or that there is none.
  public var description: String {
    let mended = repaired.map { "Repaired: \($0)" }
    return (mended + (problems.isEmpty ? ["Nothing is wrong."] : problems.map(\.description)))
      .joined(separator: "\n")
  }
}
