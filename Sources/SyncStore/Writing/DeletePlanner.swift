import SyncCore

/// Delete rules as set operations on rows: finds all rows that go, checks that they may, then
/// removes them together with references to them.
///
/// 1. *collect*: the rows, then wave after wave the rows that cascade from them. A row that is
///    doomed is never looked at again, so cycles end.
/// 2. *check*: a relationship with the rule Deny must lead to doomed rows only.
/// 3. *apply*: references from rows that stay are cleared and recorded, links removed, rows
///   deleted.
///
/// Memory grows with the number of doomed rows (their numbers and keys, which the change set needs
/// anyway), not with their values.
struct DeletePlanner {
  let transaction: StoreTransaction

  /// Doomed rows by table.
  private(set) var doomed: [RowSet]

  /// Doomed rows by concrete entity, with their keys.
  private(set) var rows: [[Int64]]
  private(set) var keys: [[Value]]

  /// Rows that stay although a cascade along a one-to-many relationship reached them, by the
  /// relationship as it was declared. Among them some perhaps that another cascade doomed later.
  private(set) var survivors: [PropertyKey: [StoredMember]] = [:]

  /// Where the to-one relationships of doomed rows lead that have a to-many inverse, by concrete
  /// entity: as far as that was not doomed yet.
  private(set) var owners: [PropertyKey: [Int64]] = [:]

  /// Says of an object that a cascade reaches whether it stays.
  let survives: ((_ row: Int64, _ entity: EntityDescription) -> Bool)?

  init(
    transaction: StoreTransaction,
    survives: ((_ row: Int64, _ entity: EntityDescription) -> Bool)? = nil
  ) {
    self.transaction = transaction
    self.survives = survives
    doomed = Array(repeating: RowSet(), count: transaction.layout.tables.count)
    rows = Array(repeating: [], count: transaction.layout.entities.count)
    keys = Array(repeating: [], count: transaction.layout.entities.count)
  }

  var layout: TableLayout { transaction.layout }

  func isDoomed(_ row: Int64, in table: Table) -> Bool { doomed[table.index].contains(row) }

  /// Entities that have doomed rows.
  var entities: [EntityLayout] {
    layout.entities.filter { !rows[$0.entity.index].isEmpty }
  }

  // MARK: - Collecting

  mutating func collect(_ first: [Int64], of entity: EntityDescription) throws {
    var wave: [Int: [Int64]] = [:]
    try doom(.rows(first), of: entity, into: &wave)
    while !wave.isEmpty {
      var next: [Int: [Int64]] = [:]
      for (index, rows) in wave.inKeyOrder {
        try cascade(from: layout.entities[index].entity, rows: rows, into: &next)
      }
      wave = next
    }
  }

  /// Dooms rows that exist and were not doomed yet, and notes the objects they lead to: they
  /// are not read again before they are deleted.
  ///
  /// - Parameters:
  ///   - entity: the entity of the rows or one above it.
  ///   - path: the one-to-many relationship that a cascade came along; rows that survive it stay.
  ///   - wave: takes the rows, by concrete entity.
  private mutating func doom(
    _ selection: RowSelection, of entity: EntityDescription,
    along path: RelationshipDescription? = nil, into wave: inout [Int: [Int64]]
  ) throws {
    let target = layout[entity]
    let preserved = try transaction.keepsHistory ? preservedSlots(below: entity) : []
    let toOwners = ownerReferences(below: entity)
    let known = [target.keySlot, path?.inverseSlot].compactMap(\.self)
    let needsAll = target.table.hasEntityColumn || !preserved.isEmpty
    let slots = Set(known + (toOwners[entity.index] ?? []).map(\.slot)).sorted()
    var found: [(row: Int64, entity: Int, key: Value)] = []
    try transaction.scan(entity, selection, slots: needsAll ? nil : slots, isOrdered: false) {
      cursor in
      let row = cursor.row
      guard !isDoomed(row, in: target.table) else { return }
      if let path, let survives, survives(row, cursor.entity) {
        let owner = path.inverseSlot.flatMap(cursor.integer) ?? 0
        survivors[PropertyKey(path), default: []].append(
          StoredMember(owner: owner, row: row, entity: cursor.entity))
        return
      }
      found.append((row, cursor.entityIndex, cursor.layout.keySlot.map(cursor.value) ?? .null))
      for reference in toOwners[cursor.entityIndex] ?? [] {
        guard let owner = cursor.integer(reference.slot), !isDoomed(owner, in: reference.table)
        else { continue }
        owners[PropertyKey(entity: cursor.entityIndex, slot: reference.slot), default: []]
          .append(owner)
      }
      if !preserved.isEmpty { bury(cursor) }
    }
    try transaction.token.checkpoint()
    for (row, entity, key) in found where doomed[target.table.index].insert(row) {
      rows[entity].append(row)
      keys[entity].append(key)
      wave[entity, default: []].append(row)
    }
  }

  /// To-one relationships with a to-many inverse, by concrete entity, and where they lead.
  private func ownerReferences(
    below entity: EntityDescription
  ) -> [Int: [(slot: Int, table: Table)]] {
    var result: [Int: [(slot: Int, table: Table)]] = [:]
    for member in entity.familyEntities {
      for relationship in member.relationships
      where relationship.kind == .toOne && relationship.isInverseToMany
        && layout[member].column(relationship.slot) != nil
      {
        let table = layout.entities[relationship.destinationIndex].table
        result[member.index, default: []].append((relationship.slot, table))
      }
    }
    return result
  }

  /// Slots whose values the history keeps, of an entity or one below it.
  private func preservedSlots(below entity: EntityDescription) -> [Int] {
    entity.familyEntities.flatMap { $0.attributes.filter(\.preservesValueInHistory).map(\.slot) }
  }

  /// Notes for the history the values of a row that the model preserves.
  private func bury(_ cursor: RowCursor) {
    let kept = cursor.entity.attributes.filter(\.preservesValueInHistory)
    guard !kept.isEmpty else { return }
    transaction.tombstones[ManagedObjectID(entity: cursor.entity, row: cursor.row)] =
      Dictionary(uniqueKeysWithValues: kept.map { ($0.name, cursor.value($0.slot)) })
  }

  private mutating func cascade(
    from entity: EntityDescription, rows: [Int64], into wave: inout [Int: [Int64]]
  ) throws {
    for relationship in entity.relationships where relationship.deleteRule == .cascade {
      let destination = entity.destination(of: relationship)
      if relationship.kind == .oneToMany, let slot = relationship.inverseSlot {
        try doom(.references(slot: slot, rows), of: destination, along: relationship, into: &wave)
        continue
      }
      let members = try transaction.members(of: relationship, in: entity, owners: rows).filter {
        !isDoomed($0.row, in: layout.table(of: $0.entity))
          && !(survives?($0.row, $0.entity) ?? false)
      }
      if !members.isEmpty { try doom(.rows(members.map(\.row)), of: destination, into: &wave) }
    }
  }

  /// Throws when a relationship with the rule Deny leads to an object that stays.
  func checkDenyRules() throws {
    for owner in entities {
      for relationship in owner.entity.relationships where relationship.deleteRule == .deny {
        let members = try transaction.members(
          of: relationship, in: owner.entity, owners: rows[owner.entity.index])
        let blocking = members.filter { !isDoomed($0.row, in: layout.table(of: $0.entity)) }
        if let first = blocking.first {
          throw try denial(owner, relationship, first.owner, blocking)
        }
      }
    }
  }

  private func denial(
    _ owner: EntityLayout, _ relationship: RelationshipDescription, _ row: Int64,
    _ blocking: [StoredMember]
  ) throws -> StoreError {
    let index = owner.entity.index
    let ownerKey = rows[index].firstIndex(of: row).map { keys[index][$0] } ?? .null
    let ownerName = name(owner, row: row, key: ownerKey)
    var names: [String] = []
    var blockingKeys: [Value] = []
    for member in blocking.prefix(10) {
      let layout = layout[member.entity]
      let key = try transaction.rows(member.entity, rows: [member.row]).first
        .flatMap { stored in layout.keySlot.map { stored.values[$0] } }
      names.append(name(layout, row: member.row, key: key ?? .null))
      if let key { blockingKeys.append(key) }
    }
    let more = blocking.count > 10 ? " and \(blocking.count - 10) more" : ""
    return StoreError(
      .deletionDenied,
      message: "\(ownerName) cannot be deleted: the delete rule of “\(relationship.name)” is Deny "
        + "and there are \(names.joined(separator: ", "))\(more). Delete them first, or take them "
        + "out of the relationship.",
      entity: owner.entity.name, keys: blockingKeys)
  }

  private func name(_ layout: EntityLayout, row: Int64, key: Value) -> String {
    "\(layout.entity.name) \(key.isNull ? "in row \(row)" : key.description)"
  }
}
