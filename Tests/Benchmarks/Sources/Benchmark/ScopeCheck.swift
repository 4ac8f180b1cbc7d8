import Measuring

/// Checks that syncs of one object, of one parent's children and of a predicate do not take longer because
/// the table is larger.
struct ScopeCheck {
  private let options: Options

  init(_ options: Options) {
    self.options = options
  }

  /// How much longer a sync may take in the largest table than in the smallest. It touches the same, but more
  /// of it is not in a cache of SQLite's or of the processor.
  private static let limit = 2.0

  /// Prints what is kept and what is exceeded; says nothing when users of one size alone were measured.
  ///
  /// - Returns: False when something was exceeded.
  func check() throws -> Bool {
    guard options.sets.contains(.users), options.contenders.contains("syncstack"),
      let small = options.sizes.min(), let large = options.sizes.max(), small < large
    else { return true }
    var isKept = true
    for (before, after) in zip(try times(small), try times(large)) {
      let ratio = after.milliseconds / before.milliseconds
      let isMet = ratio <= ScopeCheck.limit
      if !isMet { isKept = false }
      print(
        "\(isMet ? "kept    " : "EXCEEDED") \(after.name), \(small) and \(large) in the table: "
          + "\(Table.number(before.milliseconds, 3)) and \(Table.number(after.milliseconds, 3)) ms, "
          + "\(Table.number(ratio, 2)), at most \(Table.number(ScopeCheck.limit, 2))")
    }
    return isKept
  }

  private func times(_ size: Int) throws -> [ScopeTimes.Time] {
    try ScopeTimes(Payloads(folder: options.folder, set: .users, count: size)).measure()
  }
}
