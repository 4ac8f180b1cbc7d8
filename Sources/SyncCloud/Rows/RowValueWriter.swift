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
    for object in objects { block.append(object.values, of: entity, arena) }
    try withExtendedLifetime(arena) {
      try transaction.insert(
        block, of: entity, indexes: Array(0..<Int32(objects.count)), rows: objects.map(\.row))
    }
    for object in objects {
      for (slot, value) in object.values { touch(value, slot) }
    }
  }

  /// Writes values of an object.
  func update(_ row: Int64, _ values: [(slot: Int, value: Value)]) throws {
    let id = ManagedObjectID(entity: entity, row: row)
    var columns: [(slot: Int, value: Value)] = []
    for (slot, value) in values {
      let relationship = entity.properties[slot].relationship
      if let relationship, relationship.isOneToOne {
        try pair(relationship, of: id, value.row)
        continue
      }
      if relationship != nil, writing != nil { touch(try transaction.value(slot, of: id), slot) }
      touch(value, slot)
      columns.append((slot, value))
    }
    try transaction.write(columns, to: [row], of: entity)
  }

  /// Each half of a one-to-one relationship travels with its own object. Where they do not say the
  /// same, the half that was edited later counts.
  private func pair(
    _ relationship: RelationshipDescription, of id: ManagedObjectID, _ partner: Int64?
  ) throws {
    var target = partner
    if let writing, let partner, let inverse = entity.inverse(of: relationship),
      let own = try transaction.remoteRecord(of: id.row, entity),
      let other = try transaction.remoteRecord(of: partner, entity.destination(of: relationship)),
      let kind = writing.model.entity(named: other.entity),
      writing.fields.rules(of: kind).taken.contains(inverse.name),
      other.stamp(of: inverse.name) > own.stamp(of: relationship.name)
    {
      let there = ManagedObjectID(entity: kind, row: partner)
      if try transaction.value(inverse.slot, of: there).row != id.row { target = nil }
    }
    try transaction.lead(relationship, of: entity, row: id.row, to: target)
  }

  /// Says of the object at the other end of a to-one relationship that its list changed.
  private func touch(_ value: Value, _ slot: Int) {
    guard let row = value.row, let relationship = entity.properties[slot].relationship,
      let inverse = relationship.inverseSlot, relationship.isInverseToMany
    else { return }
    let owner = entity.destination(of: relationship)
    if let list = owner.properties[inverse].relationship { writing?.touchList(row, owner, list) }
  }
}

extension Value {
  /// Where a reference leads.
  fileprivate var row: Int64? { if case .int(let row) = self { row } else { nil } }
}
