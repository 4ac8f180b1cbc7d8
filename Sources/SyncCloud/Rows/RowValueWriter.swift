import SyncCore
import SyncStore

/// Writes values of objects of one entity. Confined to the body of a write.
struct RowValueWriter {
  private let transaction: StoreTransaction
  private let entity: EntityDescription

  /// Hears of lists whose members change; nil for edits.
  private let writing: CloudWriting?

  init(_ writing: CloudWriting, _ entity: EntityDescription) {
    transaction = writing.transaction
    self.writing = writing
    self.entity = entity
  }

  /// For values that are edits.
  init(edits transaction: StoreTransaction, _ entity: EntityDescription) {
    self.transaction = transaction
    writing = nil
    self.entity = entity
  }

  /// Inserts objects under the numbers that were reserved for them, ascending.
  func insert(_ objects: [(row: Int64, values: [(slot: Int, value: Value)])]) throws {
    let arena = CellArena()
    let block = RowBlock(width: entity.properties.count, capacity: objects.count)
    for object in objects { fill(block, block.append(), object.values, arena) }
    let rows = objects.map(\.row)
    try withExtendedLifetime(arena) {
      try rows.withUnsafeBufferPointer { rows in
        guard let start = rows.baseAddress else { return }
        try transaction.insert(
          block, of: entity, indexes: (0..<Int32(objects.count)).map { $0 }, rows: start)
      }
    }
    for object in objects {
      for (slot, value) in object.values { try touch(value, slot) }
    }
  }

  /// Writes values of an object.
  func update(_ row: Int64, _ values: [(slot: Int, value: Value)]) throws {
    let arena = CellArena()
    let block = RowBlock(width: entity.properties.count, capacity: 1)
    let index = block.append()
    fill(block, index, values, arena)
    var slots = SlotSet()
    for (slot, _) in values { slots.insert(slot) }
    if values.contains(where: { entity.properties[$0.slot].relationship != nil }),
      let before = try transaction.rows(entity, rows: [row]).first
    {
      for (slot, _) in values { try touch(before.values[slot], slot) }
    }
    _ = try withExtendedLifetime(arena) {
      try transaction.update(block, index: index, row: row, of: entity, slots: slots)
    }
    for (slot, value) in values { try touch(value, slot) }
  }

  private func fill(
    _ block: RowBlock, _ index: Int, _ values: [(slot: Int, value: Value)], _ arena: CellArena
  ) {
    for (slot, value) in values {
      block[index][slot] = arena.cell(value, as: entity.properties[slot].attribute?.type)
    }
  }

  /// Says of the object at the other end of a to-one relationship that its list changed.
  private func touch(_ value: Value, _ slot: Int) throws {
    guard case .int(let row) = value, let relationship = entity.properties[slot].relationship,
      let inverse = relationship.inverseSlot, relationship.isInverseToMany
    else { return }
    let owner = entity.destination(of: relationship)
    if let list = owner.properties[inverse].relationship { writing?.touchList(row, owner, list) }
  }
}
