import SyncCore

/// What later parts ask about earlier ones.
extension PartMemory {
  func hasChanged(_ row: Int64, of column: Relationship) -> Bool {
    changed[column]?.contains(row) ?? false
  }

  /// Where a column led before the first part of the payload, of stored rows in which it changed.
  ///
  /// - Complexity: O(*n*) in what the parts said.
  func origins(
    of column: Relationship, among rows: RowSet, _ checkpoint: () throws -> Void
  ) rethrows -> [Int64: Int64] {
    var origins: [Int64: Int64] = [:]
    try log.forEachStatement(checkpoint) { _, statement in
      guard statement.kind == .column, statement.relationship == column,
        rows.contains(statement.row), origins[statement.row] == nil
      else { return }
      origins[statement.row] = statement.members[0]
    }
    return origins
  }

  func wasInserted(_ row: Int64, _ root: Int) -> Bool {
    inserted[root]?.contains(row) ?? false
  }

  func hasSpoken(_ row: Int64, of relationship: Relationship) -> Bool {
    spoken[relationship]?.contains(row) ?? false
  }

  func isNamed(_ row: Int64, in relationship: Relationship) -> Bool {
    named[relationship]?.contains(row) ?? false
  }
}
