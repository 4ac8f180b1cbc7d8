import SyncCore

/// What the parts of a payload said first of the to-one relationships that are asked for, among statements of one kind:
/// each part reads of the log only what came since.
///
/// Confined to its sync.
final class FirstStatements {
  private struct Column {
    var place = StatementLog.Place()
    var members: [Int64: Int64] = [:]
  }

  private let kind: StatementLog.Kind
  private var columns: [PartMemory.Relationship: Column] = [:]

  init(_ kind: StatementLog.Kind) {
    self.kind = kind
  }

  /// Whom the first statement about a relationship of a row named; nil when there is none.
  ///
  /// - Complexity: O(1) expected, besides what the parts said since the relationship was asked for last.
  func member(
    _ relationship: PartMemory.Relationship, of row: Int64, _ parts: PartMemory
  ) -> Int64? {
    // Taken out, so that it is changed in place.
    var column = columns.removeValue(forKey: relationship) ?? Column()
    parts.log.forEachStatement(after: &column.place) {
    } _: { _, statement in
      guard statement.kind == kind, statement.relationship == relationship,
        column.members[statement.row] == nil
      else { return }
      column.members[statement.row] = statement.members[0]
    }
    columns[relationship] = column
    return column.members[row]
  }
}

@available(*, unavailable, message: "An index is confined to its sync.")
extension FirstStatements: Sendable {}
