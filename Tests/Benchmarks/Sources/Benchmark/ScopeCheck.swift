/// Checks that syncs of one object, of one parent's children and of a predicate do not take longer
/// because the table is larger.
struct ScopeCheck {
  private let tables: [ScopeTimes.Table]

  init(_ tables: [ScopeTimes.Table]) {
    self.tables = tables
  }

  /// How much longer a sync may take in the largest table than in the smallest. It touches the
  /// same, but more of it is not in a cache of SQLite's or of the processor.
  private static let limit = 2.0

  /// Prints the limits that are kept and exceeded; says nothing when users of one size alone were
  /// measured.
  ///
  /// - Returns: False when something was exceeded.
  func check() -> Bool {
    guard let small = tables.min(by: { $0.size < $1.size }),
      let large = tables.max(by: { $0.size < $1.size }), small.size < large.size
    else { return true }
    var isKept = true
    for (before, after) in zip(small.times, large.times) {
      let ratio = after.milliseconds / before.milliseconds
      let isMet = ratio <= ScopeCheck.limit
      if !isMet { isKept = false }
      print(
        "\(isMet ? "kept    " : "EXCEEDED") \(after.name), \(small.size) and \(large.size) in the table: "
          + "\(Table.number(before.milliseconds, 3)) and \(Table.number(after.milliseconds, 3)) ms, "
          + "\(Table.number(ratio, 2)), at most \(Table.number(ScopeCheck.limit, 2))")
    }
    return isKept
  }
}
