/// Something that a file holds and no store writes, because another program did or the disk failed.
public struct ConsistencyProblem: Sendable, Hashable {
  /// The kinds of problems, in the order in which they are looked for.
  public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
    /// Findings of SQLite's own check. Repair makes indexes anew; it can mend nothing else.
    case file
    /// Row numbers beyond those that are given out. Other rows refer to them, so they cannot be
    /// changed.
    case rows
    /// Versions of rows that are none. Repair begins to count anew.
    case versions
    /// Numbers of entities that the table of the row does not hold.
    case entities
    /// Generations and other counts of the file about itself. Repair goes on behind the largest
    /// that is known.
    case counters
    /// The next number of a table is none, or was given out before. Repair goes on behind the last
    /// row.
    case sequences
    /// To-one relationships that lead to nothing, or to an object of another entity. Repair empties
    /// them.
    case references
    /// Pairs of a to-many relationship of which one object is not there. Repair removes them.
    case links
    /// Relationships whose other side says something else. Repair completes the other side where
    /// that is empty and only one object claims it.
    case inverses
    /// Two members of a list at one place, or one at a place that is none. Repair numbers the list
    /// anew, in the order in which it was read until now. A gap is no fault: deletions leave them.
    case orders
    /// Values that the model says occur once, and do not.
    case keys
    /// Fingerprints of stored items that contradict the file. Repair forgets all of them: the next
    /// sync reads everything once.
    case fingerprints
    /// Rows of sessions that cannot go on. Repair forgets these sessions;
    /// nothing is deleted.
    case sessions
    /// Entries of the history that cannot be read. `DataStack.stopTrackingChanges()` forgets all of
    /// it.
    case history
    /// The state of records that remote sync keeps.
    case remote
  }

  /// Which fault it is.
  public let kind: Kind

  /// Name of the table.
  public let table: String

  /// The property it is about, as `Entity.name`; nil when it is about whole rows.
  public let property: String?

  /// How many there are.
  public let count: Int

  /// Row numbers of some of them, at most five; empty where they have none.
  public let examples: [Int64]

  /// A sentence that tells the problem.
  public let message: String

  /// Whether a repair of the kind does something about it.
  public let isRepairable: Bool

  init(
    _ kind: Kind, _ table: String, property: String? = nil, count: Int, examples: [Int64] = [],
    isRepairable: Bool = true, _ message: String
  ) {
    self.kind = kind
    self.table = table
    self.property = property
    self.count = count
    self.examples = examples
    self.isRepairable = isRepairable
    self.message = message
  }

  /// The same problem, so many times.
  func counted(_ count: Int) -> ConsistencyProblem {
    ConsistencyProblem(
      kind, table, property: property, count: count, examples: examples,
      isRepairable: isRepairable, message)
  }

  /// Whether another check found the same problem.
  func isSame(as other: ConsistencyProblem) -> Bool {
    (kind, table, property) == (other.kind, other.table, other.property)
      && message == other.message
  }
}

extension ConsistencyProblem: CustomStringConvertible {
  /// The message, with how many there are and where.
  public var description: String {
    let place = property.map { "\($0) (table “\(table)”)" } ?? "Table “\(table)”"
    let rows = examples.map(String.init).joined(separator: ", ")
    let more = count > examples.count && !examples.isEmpty ? ", …" : ""
    return "\(place): \(message), \(count == 1 ? "once" : "\(count) times")"
      + (examples.isEmpty ? "." : ": \(rows)\(more).")
  }
}

/// The findings of a check of a store.
public struct ConsistencyReport: Sendable, Hashable {
  /// The problems of the file, after repairs. Empty when there are none.
  public let problems: [ConsistencyProblem]

  /// The problems that a repair mended.
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
