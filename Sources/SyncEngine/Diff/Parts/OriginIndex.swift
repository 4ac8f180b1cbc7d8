import SyncCore

/// Where to-one columns led before the first part of a payload, for those that are asked for: each part reads of the
/// log only what came since.
///
/// Confined to its sync.
final class OriginIndex {
  private struct Column {
    var place = StatementLog.Place()
    var origins: [Int64: Int64] = [:]
  }

  private var columns: [PartMemory.Relationship: Column] = [:]

  /// Where a column of a stored object led; nil when it did not change.
  ///
  /// - Complexity: O(1) expected, besides what the parts said since the column was asked for last.
  func origin(
    _ relationship: PartMemory.Relationship, of row: Int64, _ parts: PartMemory
  ) -> Int64? {
    // Taken out, so that it is changed in place.
    var column = columns.removeValue(forKey: relationship) ?? Column()
    parts.log.forEachStatement(after: &column.place) {
    } _: { _, statement in
      guard statement.kind == .column, statement.relationship == relationship,
        column.origins[statement.row] == nil
      else { return }
      column.origins[statement.row] = statement.members[0]
    }
    columns[relationship] = column
    return column.origins[row]
  }
}

@available(*, unavailable, message: "An index is confined to its sync.")
extension OriginIndex: Sendable {}
