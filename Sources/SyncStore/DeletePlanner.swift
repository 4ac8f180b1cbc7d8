import SyncCore

/// Delete rules as set operations on rows: finds everything that goes, checks that it may, then
/// removes it together with what leads to it.
///
/// 1. *collect*: the rows, then wave after wave what cascades from them. A row that is doomed is
///    never looked at again, so cycles end.
/// 2. *check*: a relationship with the rule Deny must lead to doomed rows only.
/// 3. *apply*: references from rows that stay are cleared and recorded, links removed, rows deleted.
///
/// Memory grows with the number of doomed rows (their numbers and keys, which the change set needs
/// anyway), not with what they hold.
struct DeletePlanner {
  let transaction: StoreTransaction

  /// Doomed rows by table.
  private var doomed: [RowSet]

  /// Doomed rows by concrete entity, with their keys.
  private var rows: [[Int64]]
  private var keys: [[Value]]

  /// Says of an object that a cascade reaches whether it stays.
  private let survives: ((_ row: Int64, _ entity: EntityDescription) -> Bool)?

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

  private var layout: TableLayout { transaction.layout }
  private var connection: Connection { transaction.connection }

  func isDoomed(_ row: Int64, in table: Table) -> Bool { doomed[table.index].contains(row) }

  /// Entities that have doomed rows.
  private var entities: [EntityLayout] {
    layout.entities.filter { !rows[$0.entity.index].isEmpty }
  }

  // MARK: - Collecting

  mutating func collect(_ first: [Int64], of entity: EntityDescription) throws {
    var wave: [Int: [Int64]] = [entity.index: first]
    while !wave.isEmpty {
      let added = try doom(wave)
      wave = [:]
      for (index, rows) in added.sorted(by: { $0.key < $1.key }) {
        try cascade(from: layout.entities[index].entity, rows: rows, into: &wave)
      }
    }
  }

  /// Dooms rows that exist and were not doomed yet.
  ///
  /// - Parameter wave: rows by an entity they are a kind of.
  /// - Returns: those, by concrete entity.
  private mutating func doom(_ wave: [Int: [Int64]]) throws -> [Int: [Int64]] {
    let keepsHistory = try transaction.keepsHistory
    var added: [Int: [Int64]] = [:]
    for (index, candidates) in wave.sorted(by: { $0.key < $1.key }) {
      let target = layout.entities[index]
      let fresh = candidates.filter { !isDoomed($0, in: target.table) }
      let preserved = keepsHistory ? preservedSlots(below: target.entity) : []
      let keySlots = target.keySlot.map { [$0] } ?? []
      let slots = target.table.hasEntityColumn || !preserved.isEmpty ? nil : keySlots
      var found: [(row: Int64, entity: Int, key: Value)] = []
      try transaction.scan(target.entity, .rows(fresh), slots: slots) { cursor in
        let key = cursor.layout.keySlot.map(cursor.value) ?? .null
        found.append((cursor.row, cursor.entityIndex, key))
        if !preserved.isEmpty { bury(cursor) }
      }
      try transaction.token.checkpoint()
      for (row, entity, key) in found {
        doomed[target.table.index].insert(row)
        rows[entity].append(row)
        keys[entity].append(key)
        added[entity, default: []].append(row)
      }
    }
    return added
  }

  /// Slots whose values the history keeps, of an entity or one below it.
  private func preservedSlots(below entity: EntityDescription) -> [Int] {
    entity.familyEntities.flatMap { $0.attributes.filter(\.preservesValueInHistory).map(\.slot) }
  }

  /// Notes for the history what the model says is to be kept of a row.
  private func bury(_ cursor: RowCursor) {
    let kept = cursor.entity.attributes.filter(\.preservesValueInHistory)
    guard !kept.isEmpty else { return }
    transaction.tombstones[ManagedObjectID(entity: cursor.entity, row: cursor.row)] =
      Dictionary(uniqueKeysWithValues: kept.map { ($0.name, cursor.value($0.slot)) })
  }

  private func cascade(
    from entity: EntityDescription, rows: [Int64], into wave: inout [Int: [Int64]]
  ) throws {
    for relationship in entity.relationships where relationship.deleteRule == .cascade {
      for member in try transaction.members(of: relationship, in: entity, owners: rows) {
        let table = layout.table(of: member.entity)
        if !isDoomed(member.row, in: table), !(survives?(member.row, member.entity) ?? false) {
          wave[member.entity.index, default: []].append(member.row)
        }
      }
    }
  }

  // MARK: - Checking

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

  // MARK: - Applying

  /// Clears what leads to the doomed rows, deletes them and records it.
  mutating func apply() throws -> DeletionSummary {
    for owner in entities {
      for relationship in owner.entity.relationships {
        try release(relationship, of: owner)
      }
    }
    for link in layout.links { try removeLinks(link) }
    try clearOneWayReferences()
    return try deleteRows()
  }

  /// The objects at the other end of a to-one or one-to-many relationship forget the doomed ones.
  private func release(_ relationship: RelationshipDescription, of owner: EntityLayout) throws {
    guard let inverseSlot = relationship.inverseSlot, relationship.kind != .manyToMany else {
      return
    }
    // What cascades is doomed as well by now, unless it may survive, and Deny let nothing through that
    // is not.
    guard relationship.deleteRule != .cascade || survives != nil, relationship.deleteRule != .deny
    else { return }
    // With the rule No Action the other side may keep pointing nowhere; a to-many has nothing to
    // point with, its members are simply gone.
    guard relationship.deleteRule != .noAction || relationship.isInverseToMany else { return }
    let destination = layout.entities[relationship.destinationIndex]
    let members = try transaction.members(
      of: relationship, in: owner.entity, owners: rows[owner.entity.index]
    ).filter { !isDoomed($0.row, in: destination.table) }
    guard !members.isEmpty else { return }
    if relationship.isInverseToMany {
      for member in members {
        transaction.recorder.update(member.row, in: destination.table, slots: [inverseSlot])
      }
    } else {
      try clear(inverseSlot, of: destination, in: members)
    }
  }

  /// Sets a to-one relationship of rows to nothing where it leads to a doomed row.
  private func clear(
    _ slot: Int, of entity: EntityLayout, in members: [StoredMember]
  ) throws {
    guard let column = entity.column(slot) else { return }
    let table = entity.table
    let position = table.position(beside: column.ordinal).map { ", \($0.quoted) = NULL" } ?? ""
    let statement = try connection.statement(
      "UPDATE \(table.quoted) SET \(column.quoted) = NULL\(position), _version = _version + 1 "
        + "WHERE _row = ? AND \(column.quoted) = ?")
    for member in members {
      statement.bind(1, member.row)
      statement.bind(2, member.owner)
      try statement.run()
      if connection.changes > 0 {
        transaction.recorder.update(
          member.row, in: table, slots: [slot], entity: member.entity.index)
      }
    }
  }

  private func removeLinks(_ link: LinkTable) throws {
    let sourceEntity = EntityDescription(model: layout.model, index: link.sourceEntity)
    guard let relationship = sourceEntity.properties[link.sourceSlot].relationship else { return }
    let targetEntity = sourceEntity.destination(of: relationship)
    let sources = layout.entities[sourceEntity.index].table
    let targets = layout.entities[targetEntity.index].table
    try removeLinks(
      link, doomedColumn: "source", owners: doomedRows(below: sourceEntity), otherColumn: "target",
      otherTable: targets, otherSlot: link.targetSlot)
    try removeLinks(
      link, doomedColumn: "target", owners: doomedRows(below: targetEntity), otherColumn: "source",
      otherTable: sources, otherSlot: link.sourceSlot)
  }

  private func doomedRows(below entity: EntityDescription) -> [Int64] {
    RowSet(entity.familyEntities.lazy.flatMap { rows[$0.index] }).rows
  }

  /// Removes the links of doomed rows on one side; objects on the other side that stay and see the
  /// link through a relationship are recorded.
  private func removeLinks(
    _ link: LinkTable, doomedColumn: String, owners: [Int64], otherColumn: String,
    otherTable: Table, otherSlot: Int?
  ) throws {
    guard !owners.isEmpty else { return }
    try transaction.prepareToLookUp(link)
    try KeyChunks.forEach(owners.count) { start, count, parameters in
      let condition = "\(doomedColumn) IN \(KeyChunks.placeholders(parameters))"
      if let otherSlot {
        let select = try connection.statement(
          "SELECT \(otherColumn) FROM \(link.quoted) WHERE \(condition)")
        KeyChunks.bind(owners, from: start, count: count, parameters: parameters, to: select)
        defer { select.reset() }
        while try select.step() {
          let row = select.integer(0)
          if !isDoomed(row, in: otherTable) {
            transaction.recorder.update(row, in: otherTable, slots: [otherSlot])
          }
        }
      }
      let delete = try connection.statement("DELETE FROM \(link.quoted) WHERE \(condition)")
      KeyChunks.bind(owners, from: start, count: count, parameters: parameters, to: delete)
      try delete.run()
    }
  }

  /// To-one relationships without inverse have no rule at the other end; they are cleared, so that
  /// nothing points at a row that is gone.
  private func clearOneWayReferences() throws {
    for table in layout.tables {
      for column in table.columns where column.type == nil {
        let owner = layout.entities[column.declaringIndex]
        guard let relationship = owner.entity.properties[column.slot].relationship,
          relationship.inverseSlot == nil
        else { continue }
        let destination = layout.entities[relationship.destinationIndex]
        let gone = doomedRows(below: destination.entity)
        guard !gone.isEmpty else { continue }
        var members: [StoredMember] = []
        try transaction.scan(
          owner.entity, .references(slot: column.slot, gone), slots: [column.slot]
        ) { cursor in
          guard let target = cursor.integer(column.slot), !isDoomed(cursor.row, in: table) else {
            return
          }
          members.append(StoredMember(owner: target, row: cursor.row, entity: cursor.entity))
        }
        try clear(column.slot, of: owner, in: members)
      }
    }
  }

  private mutating func deleteRows() throws -> DeletionSummary {
    for table in layout.tables {
      let gone = doomed[table.index].rows
      try KeyChunks.forEach(gone.count) { start, count, parameters in
        let statement = try connection.statement(
          "DELETE FROM \(table.quoted) WHERE _row IN \(KeyChunks.placeholders(parameters))")
        KeyChunks.bind(gone, from: start, count: count, parameters: parameters, to: statement)
        try statement.run()
      }
    }
    var summary = DeletionSummary()
    for entity in entities {
      let index = entity.entity.index
      for position in RowOrder.ascending(rows[index]) {
        transaction.recorder.delete(
          rows[index][position], key: keys[index][position], entity: entity)
      }
      summary.deleted.append((entity.entity, RowSet(rows[index]).rows))
      try transaction.token.checkpoint()
    }
    return summary
  }
}
