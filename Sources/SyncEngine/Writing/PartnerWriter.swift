import SyncCore
import SyncStore

/// Writes references of stored objects that the payload does not describe.
struct PartnerWriter {
  let transaction: StoreTransaction

  /// Writes references; those that are as they should be are left alone.
  func write(_ writes: [LinkPlanner.PartnerWrite]) throws {
    for write in writes { try self.write(write) }
  }

  /// Links two stored objects by a one-to-one relationship: both leave the partners they had.
  func pair(
    _ relationship: RelationshipDescription, of entity: EntityDescription, row: Int64,
    with partner: Int64
  ) throws {
    guard let inverse = relationship.inverseSlot else { return }
    let destination = entity.destination(of: relationship)
    let old = try reference(relationship.slot, of: row, entity)
    guard old != partner else { return }
    let rival = try reference(inverse, of: partner, destination)
    if old > 0 { try write(.init(entity: destination, slot: inverse, row: old, partner: 0)) }
    if rival > 0 {
      try write(.init(entity: entity, slot: relationship.slot, row: rival, partner: 0))
    }
    try write(.init(entity: destination, slot: inverse, row: partner, partner: row))
    try write(.init(entity: entity, slot: relationship.slot, row: row, partner: partner))
  }

  private func reference(_ slot: Int, of row: Int64, _ entity: EntityDescription) throws -> Int64 {
    var result: Int64 = 0
    try transaction.scan(entity, .rows([row]), slots: [slot]) { result = $0.integer(slot) ?? 0 }
    return result
  }

  private func write(_ write: LinkPlanner.PartnerWrite) throws {
    var found: (entity: EntityDescription, partner: Int64)?
    try transaction.scan(write.entity, .rows([write.row]), slots: [write.slot]) { cursor in
      found = (cursor.entity, cursor.integer(write.slot) ?? 0)
    }
    guard let (concrete, old) = found, old != write.partner else { return }
    let block = RowBlock(width: concrete.properties.count, capacity: 1)
    block[block.append()][write.slot] = write.partner > 0 ? .integer(write.partner) : .null
    try transaction.update(block, index: 0, row: write.row, of: concrete, slots: [write.slot])
  }
}
