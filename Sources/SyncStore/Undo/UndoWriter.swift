import SyncCore

/// Writes what a plan decided.
struct UndoWriter {
  let transaction: StoreTransaction
  let plan: UndoPlanner

  /// The commits, from the first to the last.
  let first: Int64
  let last: Int64

  var layout: TableLayout { transaction.layout }
  var connection: Connection { transaction.connection }

  /// Objects come back before others refer to them, and go when nothing does any more.
  func run() throws {
    let edits = try UndoneEdits(transaction, plan, from: first, through: last)
    try bringBack()
    try update()
    try place()
    try link()
    try partPlaces()
    try delete()
    try edits.settle()
  }

  private func bringBack() throws {
    for (entity, ids) in Dictionary(grouping: plan.returning.keys, by: \.entity).sorted(
      by: { $0.key.index < $1.key.index })
    {
      let ids = ids.sorted()
      let arena = CellArena()
      let block = RowBlock(width: entity.properties.count, capacity: ids.count)
      for id in ids { block.append(values(plan.returning[id] ?? [:]), of: entity, arena) }
      let rows = ids.map(\.row)
      try withExtendedLifetime(arena) {
        try rows.withUnsafeBufferPointer { buffer in
          guard let start = buffer.baseAddress else { return }
          try transaction.insert(
            block, of: entity, indexes: (0..<Int32(ids.count)).map { $0 }, rows: start)
        }
      }
    }
  }

  private func values(_ values: [Int: Value]) -> [(slot: Int, value: Value)] {
    values.inKeyOrder.map { ($0.key, $0.value) }
  }

  private func update() throws {
    struct Shape: Hashable {
      let entity: EntityDescription
      let slots: SlotSet
    }
    var shapes: [Shape: [ManagedObjectID]] = [:]
    for (id, values) in plan.updates.sorted(by: { $0.key < $1.key }) {
      var slots = SlotSet()
      for slot in values.keys { slots.insert(slot) }
      shapes[Shape(entity: id.entity, slots: slots), default: []].append(id)
    }
    for (shape, ids) in shapes.sorted(by: { $0.value[0] < $1.value[0] }) {
      let arena = CellArena()
      let block = RowBlock(width: shape.entity.properties.count, capacity: ids.count)
      for id in ids { block.append(values(plan.updates[id] ?? [:]), of: shape.entity, arena) }
      try withExtendedLifetime(arena) {
        try transaction.update(
          block, indexes: (0..<Int32(ids.count)).map { $0 }, rows: ids.map(\.row),
          of: shape.entity, slots: shape.slots)
      }
    }
  }

  /// Deletes the objects that the commits made. Nothing that stays refers to them by now; what they
  /// refer to themselves stays, whatever the delete rules say: it was there before them.
  private func delete() throws {
    let made = plan.made
    for (entity, ids) in Dictionary(grouping: made, by: \.entity).sorted(
      by: { $0.key.index < $1.key.index })
    {
      try release(ids.map(\.row).sorted(), of: entity)
    }
    for (root, ids) in Dictionary(grouping: made, by: \.entity.rootIndex).inKeyOrder {
      try transaction.delete(
        ids.map(\.row).sorted(), of: layout.entities[root].entity,
        survives: { !made.contains(ManagedObjectID(entity: $1, row: $0)) })
    }
  }

  private func release(_ rows: [Int64], of entity: EntityDescription) throws {
    for relationship in entity.relationships where relationship.deleteRule == .deny {
      switch relationship.kind {
      case .toOne: try transaction.write([(relationship.slot, .null)], to: rows, of: entity)
      case .manyToMany:
        let members = try transaction.members(of: relationship, in: entity, owners: rows)
        try transaction.removeLinks(
          relationship, of: entity, pairs: members.map { ($0.owner, $0.row) })
      case .oneToMany:
        // All of them go, too.
        guard let inverse = relationship.inverseSlot else { continue }
        let members = try transaction.members(of: relationship, in: entity, owners: rows)
        for (member, group) in Dictionary(grouping: members, by: \.entity) {
          try transaction.write([(inverse, .null)], to: group.map(\.row).sorted(), of: member)
        }
      }
    }
  }
}
