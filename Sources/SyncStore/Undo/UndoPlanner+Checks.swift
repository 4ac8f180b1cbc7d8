import SyncCore

/// What cannot be as it was is taken out of the plan, and named.
extension UndoPlanner {
  /// An object and a to-one relationship of it that leads to another one.
  private struct Referrer {
    let id: ManagedObjectID
    let slot: Int
    let target: ManagedObjectID
  }

  mutating func check() throws {
    try readPresence()
    let referrers = try referrers()
    var isStable = false
    while !isStable {
      try transaction.token.checkpoint()
      isStable = true
      for change in try obstacles(referrers) {
        isStable = false
        apply(change)
      }
      if isStable {
        for change in try takenValues() {
          isStable = false
          apply(change)
        }
      }
    }
  }

  private mutating func apply(_ change: LeftAlone) {
    let id = change.id
    leave(id, change.slot, change.reason)
    if made.remove(id) != nil { return }
    guard let slot = change.slot else {
      returning[id] = nil
      updates[id] = nil
      return
    }
    let property = id.entity.properties[slot]
    if returning[id] != nil {
      // Without it the object can come back only where it may be empty.
      returning[id] = property.isOptional ? returning[id] : nil
      returning[id]?[slot] = .null
    } else {
      updates[id]?[slot] = nil
      if updates[id]?.isEmpty == true { updates[id] = nil }
    }
  }

  // MARK: - References

  private typealias Written = (id: ManagedObjectID, slot: Int, value: Value)

  /// Everything that is to be written.
  private var written: [Written] {
    [returning, updates].flatMap { values in
      values.sorted { $0.key < $1.key }.flatMap { id, values in
        values.inKeyOrder.map { (id, $0.key, $0.value) }
      }
    }
  }

  private func target(_ written: Written) -> ManagedObjectID? {
    guard case .int(let row) = written.value,
      let relationship = written.id.entity.properties[written.slot].relationship
    else { return nil }
    return ManagedObjectID(entity: written.id.entity.destination(of: relationship), row: row)
  }

  private mutating func readPresence() throws {
    var rows: [Int: Set<Int64>] = [:]
    for target in written.lazy.compactMap(target) + lists.ends(of: before, layout) {
      rows[target.entity.rootIndex, default: []].insert(target.row)
    }
    for (root, rows) in rows.inKeyOrder {
      let entity = layout.entities[root].entity
      let missing = try Set(transaction.missing(rows.sorted(), of: entity))
      for row in rows {
        presence[ManagedObjectID(entity: entity, row: row)] = !missing.contains(row)
      }
    }
  }

  /// The objects that refer to those that go.
  private func referrers() throws -> [Referrer] {
    var result: [Referrer] = []
    for table in layout.tables {
      for column in table.columns where column.type == nil {
        let owner = layout.entities[column.declaringIndex].entity
        guard let relationship = owner.properties[column.slot].relationship else { continue }
        let destination = owner.destination(of: relationship)
        let rows = made.filter { $0.entity.rootIndex == destination.rootIndex }.map(\.row)
        guard !rows.isEmpty else { continue }
        try transaction.scan(
          owner, .references(slot: column.slot, rows.sorted()), slots: [column.slot]
        ) { cursor in
          guard let row = cursor.integer(column.slot) else { return }
          result.append(
            Referrer(
              id: ManagedObjectID(entity: cursor.entity, row: cursor.row), slot: column.slot,
              target: ManagedObjectID(entity: destination, row: row)))
        }
      }
    }
    return result
  }

  /// Whether the present partner in a one-to-one relationship goes on leading to an object that
  /// would lead elsewhere.
  private func isHeld(_ written: Written) throws -> Bool {
    let entity = written.id.entity
    guard let relationship = entity.properties[written.slot].relationship,
      relationship.isOneToOne, let inverse = relationship.inverseSlot,
      case .int(let row)? = now[written.id]?[written.slot], written.value != .int(row)
    else { return false }
    let partner = ManagedObjectID(entity: entity.destination(of: relationship), row: row)
    return try willBeThere(partner)
      && (coming(partner, inverse) ?? transaction.value(inverse, of: partner))
        == .int(written.id.row)
  }

  /// What stands in the way at the moment.
  private func obstacles(_ referrers: [Referrer]) throws -> [LeftAlone] {
    var result: [LeftAlone] = []
    for written in written {
      let property = written.id.entity.properties[written.slot]
      if try isHeld(written) {
        result.append(LeftAlone(id: written.id, slot: written.slot, reason: .partnerTaken))
        continue
      }
      if written.value.isNull {
        // A relationship that is empty by now was named when it became so.
        if !property.isOptional, property.attribute != nil {
          result.append(LeftAlone(id: written.id, slot: written.slot, reason: .required))
        }
        continue
      }
      guard let target = target(written) else { continue }
      if !willBeThere(target) {
        result.append(LeftAlone(id: written.id, slot: written.slot, reason: .targetGone))
      } else if let relationship = property.relationship, relationship.isOneToOne,
        let inverse = relationship.inverseSlot,
        try (coming(target, inverse) ?? transaction.value(inverse, of: target))
          != .int(written.id.row)
      {
        result.append(LeftAlone(id: written.id, slot: written.slot, reason: .partnerTaken))
      }
    }
    for referrer in referrers
    where made.contains(referrer.target) && !made.contains(referrer.id)
      && (coming(referrer.id, referrer.slot) ?? .int(referrer.target.row))
        == .int(referrer.target.row)
    {
      result.append(LeftAlone(id: referrer.target, slot: nil, reason: .referredTo))
    }
    return result
  }

  // MARK: - Values that one object may have

  /// Values that another object has by now. Of primary keys, which may repeat, those count that
  /// came since.
  private func takenValues() throws -> [LeftAlone] {
    var result: [LeftAlone] = []
    for target in layout.entities {
      let entity = target.entity
      let key = entity.primaryKey.map { [$0.name] }
      for names in entity.uniquenessConstraints + [key].compactMap(\.self) {
        let slots = names.compactMap { entity.property(named: $0)?.slot }
        guard slots.count == names.count, slots.allSatisfy({ target.column($0) != nil }) else {
          continue
        }
        let isConstraint = entity.uniquenessConstraints.contains(names)
        result += try takenValues(entity, slots, isConstraint: isConstraint)
      }
    }
    return result
  }

  private func takenValues(
    _ entity: EntityDescription, _ slots: [Int], isConstraint: Bool
  ) throws -> [LeftAlone] {
    var wanted: [[Value]: [ManagedObjectID]] = [:]
    for (id, values) in [returning, updates].joined()
    where (isConstraint ? id.entity.isKind(of: entity) : id.entity == entity)
      && slots.contains(where: { values[$0] != nil })
    {
      let tuple = slots.compactMap { coming(id, $0) }
      if !tuple.contains(where: \.isNull) { wanted[tuple, default: []].append(id) }
    }
    guard !wanted.isEmpty else { return [] }
    let arena = CellArena()
    let type = entity.properties[slots[0]].attribute?.type
    let keys = Set(wanted.keys.map { $0[0] }).map { arena.cell($0, as: type) }
    var result: [LeftAlone] = []
    try transaction.scan(entity, .keys(slot: slots[0], keys), slots: nil) { cursor in
      let other = ManagedObjectID(entity: cursor.entity, row: cursor.row)
      guard !made.contains(other), updates[other] == nil else { return }
      let tuple = slots.map { cursor.value($0) }
      let isLater =
        after.objects[other].map { state in
          !state.isThere || slots.contains { state.values[$0] != nil }
        } ?? false
      guard isConstraint || isLater else { return }
      for id in wanted[tuple] ?? [] where id != other {
        let slot = returning[id] == nil ? slots.first { updates[id]?[$0] != nil } : nil
        result.append(LeftAlone(id: id, slot: slot, reason: .valueTaken))
      }
    }
    return withExtendedLifetime(arena) { result }
  }
}
