import SyncCore
import SyncStore

/// To-one columns that only their own objects speak of.
extension LinkSettlement {
  /// The last word counts; when it named nobody who is there, all is as it was.
  func settleReferences(
    _ relationship: RelationshipDescription, of entity: EntityDescription
  ) throws {
    let rows = parts.contested[Relationship(relationship)] ?? RowSet()
    let origins = try origins(relationship, entity, of: rows)
    let words = try ownWords(relationship, of: rows)
    var now: [(row: Int64, destination: Int64, entity: EntityDescription)] = []
    try transaction.scan(entity, .rows(rows.rows), slots: [relationship.slot]) { cursor in
      now.append((cursor.row, cursor.integer(relationship.slot) ?? 0, cursor.entity))
    }
    for (step, (row, destination, concrete)) in now.enumerated() {
      try checkpoint(step)
      let wanted = words[row] ?? origins[row] ?? destination
      guard wanted != destination else { continue }
      try set(relationship, of: row, concrete, from: destination, to: wanted)
    }
  }

  /// Writes a to-one column, and tells the owners at the other end that their members changed.
  func set(
    _ column: RelationshipDescription, of row: Int64, _ entity: EntityDescription,
    from old: Int64, to new: Int64
  ) throws {
    if let edits, edits.writable([column.slot], of: row, entity).isEmpty { return }
    if let list = entity.inverse(of: column), list.isToMany {
      try OrderNotes(claims: claims, transaction: transaction)
        .note([old, new], list, of: entity.destination(of: column))
    }
    claims.noteColumn(column, of: row, entity, from: old)
    let block = RowBlock(width: entity.properties.count, capacity: 1)
    block[block.append()][column.slot] = new > 0 ? .integer(new) : .null
    try transaction.update(block, index: 0, row: row, of: entity, slots: [column.slot])
    guard let inverse = column.inverseSlot, column.isInverseToMany else { return }
    for owner in [old, new] where owner > 0 {
      try transaction.touch(owner, of: entity.destination(of: column), slots: [inverse])
    }
  }
}
