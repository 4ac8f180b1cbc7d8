import SyncCore
import SyncStore

/// One-to-many relationships, whose members say where they belong, or are said to.
extension LinkSettlement {
  /// The last list of an owner, as far as it is about members that are settled.
  private struct List {
    var position: Int
    var flags: StatementLog.Flags
    var members: [Int64]
  }

  private struct Member {
    var owner: Int64
    var entity: EntityDescription
    /// Whether no list of objects can name it (sync-behaviour, hazard H5).
    var isKeyless: Bool
  }

  func settleMembers(
    _ relationship: RelationshipDescription, of entity: EntityDescription
  ) throws {
    guard let column = entity.inverse(of: relationship) else { return }
    let destination = entity.destination(of: relationship)
    let key = Relationship(relationship)
    let relisted = parts.relisted[key] ?? RowSet()
    let rows = try affected(relationship, of: entity, column, relisted)
    var now: [Int64: Member] = [:]
    let keySlot = destination.primaryKey?.slot
    let slots = [column.slot] + (keySlot.map { [$0] } ?? [])
    try transaction.scan(destination, .rows(rows.rows), slots: slots) { cursor in
      now[cursor.row] = Member(
        owner: cursor.integer(column.slot) ?? 0, entity: cursor.entity,
        isKeyless: keySlot.map { cursor.cell($0).isEmpty } ?? false)
    }
    let origins = try origins(column, destination, of: rows)
    let origin = { (row: Int64) in origins[row] ?? now[row]?.owner ?? 0 }
    let own = try ownWords(column, of: rows)
    var watched = relisted
    for row in rows.rows { watched.insert(origin(row)) }
    let lists = try lists(relationship, watching: watched, rows)

    var last: [Int64: (owner: Int64, position: Int)] = [:]
    for (step, (owner, list)) in lists.enumerated() {
      try checkpoint(step)
      for member in list.members where list.position > last[member]?.position ?? -1 {
        last[member] = (owner, list.position)
      }
    }
    claims.unlisted.removeAll {
      $0.slot == column.slot && $0.entity.rootIndex == destination.rootIndex
        && (rows.contains($0.row) || relisted.contains($0.owner))
    }
    var changed = RowSet()
    for (step, row) in rows.rows.enumerated() {
      try checkpoint(step)
      guard let member = now[row] else { continue }
      var owner = last[row]?.owner ?? own[row] ?? origin(row)
      if last[row] == nil, own[row] == nil, owner > 0, let list = lists[owner],
        !list.flags.contains(.keepsAll)
      {
        let isMentioned = claims.isMentioned(row, destination)
        let deletes = list.flags.contains(.deletes) && !member.isKeyless
        if list.flags.contains(.keys) || (isMentioned && deletes) {
          owner = 0
        } else if deletes {
          claims.append(
            Claims.UnlistedMember(
              row: row, entity: destination, slot: column.slot, owner: owner))
        }
      }
      guard owner != member.owner else { continue }
      for owner in [owner, member.owner] where owner > 0 { changed.insert(owner) }
      try set(column, of: row, member.entity, from: member.owner, to: owner)
    }
    guard relationship.isOrdered else { return }
    for row in relisted.rows { changed.insert(row) }
    try order(
      relationship, of: entity, orders(relationship, changed, wholeLists(relationship, changed)))
  }

  /// The order of lists: who is named comes first; who is back where it was stands behind them as it stood.
  func orders(
    _ relationship: RelationshipDescription, _ owners: RowSet, _ named: [Int64: [Int64]]
  ) throws -> [Int64: [Int64]] {
    guard relationship.isOrdered else { return [:] }
    return try formerLists(relationship, owners).merging(named) { $1 + $0 }
  }

  /// What ordered lists held before the first part of the payload that changed them.
  private func formerLists(
    _ relationship: RelationshipDescription, _ owners: RowSet
  ) throws -> [Int64: [Int64]] {
    var lists: [Int64: [Int64]] = [:]
    let key = Relationship(relationship)
    try forEachStatement { _, statement in
      guard statement.kind == .order, statement.relationship == key,
        owners.contains(statement.row), lists[statement.row] == nil
      else { return }
      lists[statement.row] = statement.members
    }
    return lists
  }

  /// The members that have to be looked at: those that are contested, and whoever is, was or shall be in a
  /// list that was given again.
  private func affected(
    _ relationship: RelationshipDescription, of entity: EntityDescription,
    _ column: RelationshipDescription, _ relisted: RowSet
  ) throws -> RowSet {
    let key = Relationship(relationship)
    let columnKey = Relationship(column)
    var rows = parts.contested[key] ?? RowSet()
    guard !relisted.isEmpty else { return rows }
    try forEachStatement { _, statement in
      if statement.kind == .list, statement.relationship == key, relisted.contains(statement.row) {
        for member in statement.members { rows.insert(member) }
      } else if statement.kind == .column, statement.relationship == columnKey,
        relisted.contains(statement.members[0])
      {
        rows.insert(statement.row)
      }
    }
    for member in try transaction.members(of: relationship, in: entity, owners: relisted.rows) {
      rows.insert(member.row)
    }
    return rows
  }

  /// Where objects said last that a relationship of theirs leads; those whose last word nobody could
  /// follow are not among them.
  func ownWords(
    _ column: RelationshipDescription, of rows: RowSet
  ) throws -> [Int64: Int64] {
    var words: [Int64: Int64] = [:]
    let key = Relationship(column)
    try forEachStatement { _, statement in
      guard statement.kind == .reference, statement.relationship == key,
        rows.contains(statement.row)
      else { return }
      words[statement.row] = statement.members.first
    }
    return words
  }

  private func lists(
    _ relationship: RelationshipDescription, watching owners: RowSet, _ rows: RowSet
  ) throws -> [Int64: List] {
    var lists: [Int64: List] = [:]
    let key = Relationship(relationship)
    try forEachStatement { position, statement in
      guard statement.kind == .list, statement.relationship == key else { return }
      let members = statement.members.filter { rows.contains($0) }
      guard !members.isEmpty || owners.contains(statement.row) || lists[statement.row] != nil
      else { return }
      var list = List(position: position, flags: statement.flags, members: members)
      if let earlier = lists[statement.row] {
        if earlier.flags.contains(.keepsAll) { list.flags.insert(.keepsAll) }
        if statement.flags.contains(.goesOn) { list.members = earlier.members + members }
      }
      lists[statement.row] = list
    }
    return lists
  }

  /// The last lists of owners.
  func wholeLists(
    _ relationship: RelationshipDescription, _ owners: RowSet
  ) throws -> [Int64: [Int64]] {
    var lists: [Int64: [Int64]] = [:]
    let key = Relationship(relationship)
    try forEachStatement { _, statement in
      guard statement.kind == .list, statement.relationship == key,
        owners.contains(statement.row)
      else { return }
      lists[statement.row] =
        statement.flags.contains(.goesOn)
        ? (lists[statement.row] ?? []) + statement.members : statement.members
    }
    return lists
  }
}
