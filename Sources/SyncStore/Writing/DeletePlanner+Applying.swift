import SyncCore

extension DeletePlanner {
  private var connection: Connection { transaction.connection }

  /// Clears references to the doomed rows, deletes them and records it.
  func apply() throws -> DeletionSummary {
    for owner in entities {
      try transaction.keepBase(of: rows[owner.entity.index], in: owner.entity)
    }
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
    // Cascading rows are doomed as well by now, unless they may survive, and Deny let none through
    // that is not.
    guard relationship.deleteRule != .cascade || survives != nil, relationship.deleteRule != .deny
    else { return }
    // With the rule No Action the other side may keep pointing nowhere; a to-many has nothing to
    // point with, its members are simply gone.
    guard relationship.deleteRule != .noAction || relationship.isInverseToMany else { return }
    let destination = layout.entities[relationship.destinationIndex]
    if relationship.kind == .toOne, relationship.isInverseToMany {
      return try touchOwners(relationship, of: owner, in: destination, inverseSlot)
    }
    let members = try reached(relationship, from: owner).filter {
      !isDoomed($0.row, in: destination.table)
    }
    if !members.isEmpty { try clear(inverseSlot, of: destination, in: members) }
  }

  /// The members of a relationship of doomed rows. Those of a cascade were all seen: it noted those
  /// that it did not doom.
  private func reached(
    _ relationship: RelationshipDescription, from owner: EntityLayout
  ) throws -> [StoredMember] {
    if relationship.kind == .oneToMany, relationship.deleteRule == .cascade {
      return survivors[PropertyKey(relationship)] ?? []
    }
    return try transaction.members(
      of: relationship, in: owner.entity, owners: rows[owner.entity.index])
  }

  /// Records that the objects that doomed ones belong to have one member less each; there may be
  /// none where a reference leads.
  private func touchOwners(
    _ relationship: RelationshipDescription, of member: EntityLayout,
    in destination: EntityLayout, _ inverseSlot: Int
  ) throws {
    let key = PropertyKey(entity: member.entity.index, slot: relationship.slot)
    let left = (owners[key] ?? []).filter { !isDoomed($0, in: destination.table) }
    guard !left.isEmpty else { return }
    try transaction.scan(destination.entity, .rows(left), slots: []) { cursor in
      transaction.recorder.update(cursor.row, in: destination.table, slots: [inverseSlot])
    }
  }

  /// Sets a to-one relationship of rows to nothing where it leads to a doomed row.
  private func clear(_ slot: Int, of entity: EntityLayout, in members: [StoredMember]) throws {
    guard let column = entity.column(slot) else { return }
    let table = entity.table
    let position = table.position(beside: column.ordinal).map { ", \($0.quoted) = NULL" } ?? ""
    let statement = try connection.statement(
      "UPDATE \(table.quoted) SET \(column.quoted) = NULL\(position), _version = _version + 1 "
        + "WHERE _row = ? AND \(column.quoted) = ?")
    try transaction.keepBase(of: members.map(\.row), in: entity.entity, slots: [slot])
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
    try removeLinks(
      link, doomedColumn: "source", owners: doomedRows(below: sourceEntity), otherColumn: "target",
      other: targetEntity, otherSlot: link.targetSlot)
    try removeLinks(
      link, doomedColumn: "target", owners: doomedRows(below: targetEntity), otherColumn: "source",
      other: sourceEntity, otherSlot: link.sourceSlot)
  }

  private func doomedRows(below entity: EntityDescription) -> [Int64] {
    RowSet(entity.familyEntities.lazy.flatMap { rows[$0.index] }).rows
  }

  /// Removes the links of doomed rows on one side; objects on the other side that stay and see the
  /// link through a relationship are recorded.
  ///
  /// - Parameter other: the entity of the objects on the other side, which has that relationship.
  private func removeLinks(
    _ link: LinkTable, doomedColumn: String, owners: [Int64], otherColumn: String,
    other: EntityDescription, otherSlot: Int?
  ) throws {
    guard !owners.isEmpty else { return }
    try transaction.prepareToLookUp(link)
    // Each once: one of thousands of doomed rows' partners may be the partner of all.
    var left = RowSet()
    let otherTable = layout.table(of: other)
    if let otherSlot {
      let list = try transaction.isKeepingEdits() ? other.properties[otherSlot].relationship : nil
      try KeyChunks(
        connection,
        "SELECT \(otherColumn), \(doomedColumn) FROM \(link.quoted) WHERE \(doomedColumn) IN",
        .rows(owners)
      ).eachRow { select in
        let row = select.integer(0)
        guard !isDoomed(row, in: otherTable) else { return }
        left.insert(row)
        if let list {
          transaction.keepEdit(of: list, in: other, owner: row, member: select.integer(1))
        }
      }
      try transaction.keepBase(of: left.rows, in: other, slots: [otherSlot])
    }
    var chunks = KeyChunks(
      connection, "DELETE FROM \(link.quoted) WHERE \(doomedColumn) IN", .rows(owners))
    while let delete = try chunks.next() { try delete.run() }
    guard let otherSlot else { return }
    for row in left.rows { transaction.recorder.update(row, in: otherTable, slots: [otherSlot]) }
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

  private func deleteRows() throws -> DeletionSummary {
    for table in layout.tables {
      let gone = doomed[table.index].rows
      try transaction.lateIndexes.prepareDeletion(table, count: gone.count)
      var chunks = KeyChunks(connection, "DELETE FROM \(table.quoted) WHERE _row IN", .rows(gone))
      while let delete = try chunks.next() { try delete.run() }
    }
    var summary = DeletionSummary()
    for entity in entities {
      let index = entity.entity.index
      for position in RowOrder.ascending(rows[index]).lazy.map({ Int($0) }) {
        transaction.recorder.delete(
          rows[index][position], key: keys[index][position], entity: entity)
      }
      summary.deleted.append((entity.entity, RowSet(rows[index]).rows))
      try transaction.token.checkpoint()
    }
    return summary
  }
}
