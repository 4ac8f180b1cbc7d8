package import SyncCore

/// Single objects, by slot. A ``RowBlock`` writes different values to many.
extension StoreTransaction {
  /// Writes the same values to objects; see ``update(_:indexes:rows:of:slots:)``.
  ///
  /// - Parameter entity: the concrete entity of all of them.
  package func write(
    _ values: [(slot: Int, value: Value)], to rows: [Int64], of entity: EntityDescription
  ) throws {
    guard !values.isEmpty, !rows.isEmpty else { return }
    try filled(values, of: entity) { block in
      try update(
        block, indexes: Array(repeating: 0, count: rows.count), rows: rows, of: entity,
        slots: values.reduce(into: SlotSet()) { $0.insert($1.slot) })
    }
  }

  /// Writes an object that was deleted back under its own number: everything that knew it knows it
  /// again.
  ///
  /// - Throws: ``StoreError`` when the object is there.
  package func restore(_ values: [(slot: Int, value: Value)], as id: ManagedObjectID) throws {
    try filled(values, of: id.entity) {
      try insert($0, of: id.entity, indexes: [0], rows: [id.row])
    }
  }

  private func filled(
    _ values: [(slot: Int, value: Value)], of entity: EntityDescription,
    _ body: (RowBlock) throws -> Void
  ) throws {
    let arena = CellArena()
    let block = RowBlock(width: entity.properties.count, capacity: 1)
    block.append(values, of: entity, arena)
    try withExtendedLifetime(arena) { try body(block) }
  }
}

extension StoreReader {
  /// The value of an object in a slot: a reference as a row. Null when it is gone.
  package func value(_ slot: Int, of id: ManagedObjectID) throws -> Value {
    var result = Value.null
    try scan(id.entity, .rows([id.row]), slots: [slot]) { result = $0.value(slot) }
    return result
  }

  /// The object as a sentence says it: `Team 10`; by its row where it has no primary key.
  package func name(of id: ManagedObjectID) -> String {
    guard let slot = id.entity.primaryKey?.slot, let key = try? value(slot, of: id), !key.isNull
    else { return "\(id)" }
    return "\(id.entity.name) \(key)"
  }
}

extension RowBlock {
  /// Adds a row of values by slot.
  ///
  /// - Parameter arena: Has to live as long as the row is used.
  package func append(
    _ values: [(slot: Int, value: Value)], of entity: EntityDescription, _ arena: CellArena
  ) {
    let cells = self[append()]
    for (slot, value) in values {
      cells[slot] = arena.cell(value, as: entity.properties[slot].attribute?.type)
    }
  }
}
