import SyncCore

/// Where stored objects belonged before the first part of a payload: what a key means, and which objects of
/// one key may be folded, does not depend on what earlier parts did.
extension Batch {
  /// Where a column of a stored object led, 0 for nowhere.
  ///
  /// - Parameter column: Position among the node's to-one slots.
  func origin(_ column: Int, ofStored index: Int32, _ parts: PartMemory?) -> Int64 {
    let present = stored.references[column][Int(index)]
    guard parts != nil, let relationship = entity.properties[node.toOneSlots[column]].relationship
    else { return present }
    return origin(of: relationship, row: stored.rows[Int(index)], present: present, parts)
  }

  /// Where a to-one relationship of a stored object led, 0 for nowhere.
  ///
  /// - Parameter present: Where it leads now.
  func origin(
    of relationship: RelationshipDescription, row: Int64, present: Int64, _ parts: PartMemory?
  ) -> Int64 {
    guard let parts else { return present }
    if parts.wasInserted(row, entity.rootIndex) { return 0 }
    guard let changed = parts.changed[.init(relationship)], changed.contains(row) else {
      return present
    }
    return originIndex?.member(.init(relationship), of: row, parts) ?? present
  }
}
