import SyncCore
import SyncStore

/// Single references, written from outside a sync.
extension StoreTransaction {
  /// What an object has in a slot; null when it is gone.
  func value(_ slot: Int, of id: ManagedObjectID) throws -> Value {
    try rows(id.entity, rows: [id.row]).first?.values[slot] ?? .null
  }

  /// Writes where a to-one relationship leads, and says so to the lists at its other end.
  func lead(_ slot: Int, of id: ManagedObjectID, to target: Value) throws {
    let before = try value(slot, of: id)
    try write([slot: target], to: id)
    try touchOwners(slot, of: id.entity, [before, target])
  }

  /// Writes columns of an object.
  func write(_ values: [Int: Value], to id: ManagedObjectID) throws {
    guard !values.isEmpty else { return }
    let arena = CellArena()
    let block = RowBlock(width: id.entity.properties.count, capacity: 1)
    let index = block.append()
    var slots = SlotSet()
    for (slot, value) in values {
      block[index][slot] = arena.cell(value, as: id.entity.properties[slot].attribute?.type)
      slots.insert(slot)
    }
    _ = try withExtendedLifetime(arena) {
      try update(block, index: index, row: id.row, of: id.entity, slots: slots)
    }
  }

  /// Says to the lists at the other end of a to-one relationship that they have other members now.
  func touchOwners(_ slot: Int, of entity: EntityDescription, _ owners: [Value]) throws {
    guard let relationship = entity.properties[slot].relationship,
      let inverse = relationship.inverseSlot, relationship.isInverseToMany
    else { return }
    let destination = entity.destination(of: relationship)
    for case .int(let row) in owners { try touch(row, of: destination, slots: [inverse]) }
  }
}
