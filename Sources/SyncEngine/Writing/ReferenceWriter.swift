import SyncCore
import SyncStore

/// Writes to-one columns of stored objects that the payload does not describe.
struct ReferenceWriter {
  let transaction: StoreTransaction

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
    if old > 0 { try set(inverse, of: old, destination, to: 0) }
    if rival > 0 { try set(relationship.slot, of: rival, entity, to: 0) }
    try set(inverse, of: partner, destination, to: row)
    try set(relationship.slot, of: row, entity, to: partner)
  }

  private func reference(_ slot: Int, of row: Int64, _ entity: EntityDescription) throws -> Int64 {
    var result: Int64 = 0
    try transaction.scan(entity, .rows([row]), slots: [slot]) { result = $0.integer(slot) ?? 0 }
    return result
  }

  /// Lets a column lead to a row, 0 for none. One that does already is left alone.
  func set(_ slot: Int, of row: Int64, _ entity: EntityDescription, to destination: Int64) throws {
    var found: (entity: EntityDescription, before: Int64)?
    try transaction.scan(entity, .rows([row]), slots: [slot]) { cursor in
      found = (cursor.entity, cursor.integer(slot) ?? 0)
    }
    guard let (concrete, before) = found, before != destination else { return }
    try write(slot, of: row, concrete, to: destination)
  }

  /// Writes a column of an object of a concrete entity.
  func write(
    _ slot: Int, of row: Int64, _ entity: EntityDescription, to destination: Int64
  ) throws {
    let block = RowBlock(width: entity.properties.count, capacity: 1)
    block[block.append()][slot] = destination > 0 ? .integer(destination) : .null
    try transaction.update(block, index: 0, row: row, of: entity, slots: [slot])
  }
}
