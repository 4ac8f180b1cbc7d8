import SyncCore

/// Numbers in a file that no version of the library writes: another program did, or the disk
/// failed.
extension StoreError {
  /// - Parameters:
  ///   - table: Name of the table.
  ///   - place: Which row it is: `row 7`, `source 1, target 2`.
  ///   - column: Where the number stands.
  @inline(never)
  static func damaged(
    _ table: String, _ place: String, _ column: String, _ value: Int64, entity: String? = nil
  ) -> StoreError {
    damaged(table, place, "\(column) is \(value), which no store writes", entity: entity)
  }

  /// - Parameter what: What is wrong, as the end of a sentence.
  static func damaged(
    _ table: String, _ place: String, _ what: String, entity: String? = nil
  ) -> StoreError {
    StoreError(
      .damaged,
      message:
        "Table “\(table)” is damaged: in \(place), \(what). Another program wrote to the file, or "
        + "its disk failed. Restore it from a copy, or let stack.checkConsistency() or “syncstack check” say "
        + "what is wrong with it and what can be repaired.",
      entity: entity)
  }
}

extension Int64 {
  /// The number, where it is so far from the ends of its type that it can be counted on: versions,
  /// positions, generations.
  var isCountable: Bool { self >= 0 && self <= .max / 2 }
}
