/// The table of a many-to-many relationship and its inverse, or of a to-many without inverse.
///
/// ```
/// source  target  source_position  target_position     primary key (source, target)
///                 └ order of the targets of a source   └ order of the sources of a target
/// ```
package final class LinkTable: Sendable {
  /// Position in ``TableLayout/links``.
  package let index: Int
  package let identifier: Identifier

  /// The side that was declared first, by its declaring entity and slot.
  package let sourceEntity: Int
  package let sourceSlot: Int

  /// The slot of the inverse; nil when there is none.
  package let targetSlot: Int?

  /// Whether targets are ordered for a source, and sources for a target.
  package let isSourceOrdered: Bool
  package let isTargetOrdered: Bool

  /// Whether the relationship is its own inverse: each pair is stored in both directions.
  package let isSymmetric: Bool

  /// Name of the index on (target, source).
  package let reverseIndex: Identifier

  init(
    index: Int, identifier: Identifier, sourceEntity: Int, sourceSlot: Int, targetSlot: Int?,
    isSourceOrdered: Bool, isTargetOrdered: Bool, isSymmetric: Bool, reverseIndex: Identifier
  ) {
    self.index = index
    self.identifier = identifier
    self.sourceEntity = sourceEntity
    self.sourceSlot = sourceSlot
    self.targetSlot = targetSlot
    self.isSourceOrdered = isSourceOrdered
    self.isTargetOrdered = isTargetOrdered
    self.isSymmetric = isSymmetric
    self.reverseIndex = reverseIndex
  }

  package var quoted: String { identifier.quoted }
}

/// A link table as one of its relationships sees it.
package struct LinkEnd: Sendable {
  package let table: LinkTable

  /// Whether the owner of the relationship is the source of the table.
  package let isForward: Bool

  /// Column with the row number of the owner.
  package var ownerColumn: String { isForward ? "source" : "target" }

  /// Column with the row number of the member.
  package var memberColumn: String { isForward ? "target" : "source" }

  /// Column with the position of the member among the owner's; nil when the relationship has no
  /// order.
  package var positionColumn: String? {
    if isForward { return table.isSourceOrdered ? "source_position" : nil }
    return table.isTargetOrdered ? "target_position" : nil
  }
}
