import SyncCore
import SyncStore

/// Takes out of the change set what one part of a payload changed and another one changed back: what is as it
/// was before the transaction did not change.
///
/// Looks only at what was written more than once. Has to happen before deletions, which change for good.
struct ChangeNetting {
  typealias Relationship = Claims.Relationship

  let parts: PartMemory
  let model: ManagedObjectModel
  let transaction: StoreTransaction
  let control: SyncControl

  func net() throws {
    for (root, rows) in parts.writtenAgain.sorted(by: { $0.key < $1.key }) {
      try netValues(of: rows, model.entities[root])
    }
    for (key, rows) in sorted(parts.changedAgain) { try netColumns(key, rows) }
    for (key, rows) in sorted(parts.pairedAgain) { try netPairs(key, rows) }
    for (key, rows) in sorted(parts.orderedAgain) { try netOrders(key, rows) }
  }

  private func sorted(_ rows: [Relationship: RowSet]) -> [(Relationship, RowSet)] {
    rows.map { ($0.key, $0.value) }
      .sorted { ($0.0.entity, $0.0.slot) < ($1.0.entity, $1.0.slot) }
  }

  /// A hash of what an attribute holds.
  static func hash(_ cursor: RowCursor, _ slot: Int) -> Int64 {
    // Folded into 62 bits, so that the distance between two never overflows.
    let cell = cursor.cell(slot)
    return cell.isEmpty ? -1 : Int64(KeyIndex.wideHash(cell) >> 2)
  }

  // MARK: - Attributes

  private func netValues(of rows: RowSet, _ root: EntityDescription) throws {
    var before: [Int64: [Int: Int64]] = [:]
    try parts.log.forEachStatement(control.checkpoint) { _, statement in
      guard statement.kind == .value, statement.relationship.entity == root.index,
        rows.contains(statement.row),
        before[statement.row]?[statement.relationship.slot] == nil
      else { return }
      before[statement.row, default: [:]][statement.relationship.slot] = statement.members[0]
    }
    var unchanged: [Int64: SlotSet] = [:]
    try transaction.scan(root, .rows(before.keys.sorted())) { cursor in
      for (slot, hash) in before[cursor.row] ?? [:]
      where ChangeNetting.hash(cursor, slot) == hash {
        unchanged[cursor.row, default: []].insert(slot)
      }
    }
    try transaction.forgetChanges(unchanged, of: root)
  }

  // MARK: - To-one columns

  private func netColumns(_ key: Relationship, _ rows: RowSet) throws {
    let entity = model.entities[key.entity]
    guard let column = entity.properties[key.slot].relationship else { return }
    let now = try destinations(column, of: rows, entity)
    let before = try origins(key, entity, of: rows)
    var unchanged: [Int64: SlotSet] = [:]
    for (row, destination) in now where before[row] == destination {
      unchanged[row] = [key.slot]
    }
    try transaction.forgetChanges(unchanged, of: entity)
    guard let inverse = entity.inverse(of: column), inverse.isToMany else { return }
    try netOwners(inverse, entity.destination(of: column), key, rows, entity, now, before)
  }

  /// Owners that lost members and got them back.
  private func netOwners(
    _ list: RelationshipDescription, _ owner: EntityDescription, _ key: Relationship,
    _ rows: RowSet, _ entity: EntityDescription, _ now: [Int64: Int64], _ before: [Int64: Int64]
  ) throws {
    var suspects = RowSet()
    var changed = RowSet()
    try parts.log.forEachStatement(control.checkpoint) { _, statement in
      guard statement.kind == .column, statement.relationship == key,
        rows.contains(statement.row), statement.members[0] > 0
      else { return }
      suspects.insert(statement.members[0])
    }
    for destination in now.values where destination > 0 { suspects.insert(destination) }
    for row in rows.rows where now[row] ?? 0 != before[row] ?? 0 {
      for owner in [now[row] ?? 0, before[row] ?? 0] { changed.insert(owner) }
    }
    // Members that changed once did change.
    try parts.log.forEachStatement(control.checkpoint) { _, statement in
      guard statement.kind == .column, statement.relationship == key,
        !rows.contains(statement.row)
      else { return }
      changed.insert(statement.members[0])
    }
    for member in try transaction.members(of: list, in: owner, owners: suspects.rows)
    where !rows.contains(member.row) {
      if parts.hasChanged(member.row, of: key) || parts.wasInserted(member.row, entity.rootIndex) {
        changed.insert(member.owner)
      }
    }
    try forget(list, of: owner, suspects, except: changed)
  }

  private func origins(
    _ key: Relationship, _ entity: EntityDescription, of rows: RowSet
  ) throws -> [Int64: Int64] {
    var origins: [Int64: Int64] = [:]
    try parts.log.forEachStatement(control.checkpoint) { _, statement in
      guard statement.kind == .column, statement.relationship == key, rows.contains(statement.row),
        origins[statement.row] == nil
      else { return }
      origins[statement.row] = statement.members[0]
    }
    for row in rows.rows where parts.wasInserted(row, entity.rootIndex) { origins[row] = 0 }
    return origins
  }

  private func destinations(
    _ column: RelationshipDescription, of rows: RowSet, _ entity: EntityDescription
  ) throws -> [Int64: Int64] {
    var result: [Int64: Int64] = [:]
    try transaction.scan(entity, .rows(rows.rows), slots: [column.slot]) { cursor in
      result[cursor.row] = cursor.integer(column.slot) ?? 0
    }
    return result
  }

  // MARK: - Pairs

  private func netPairs(_ key: Relationship, _ owners: RowSet) throws {
    let entity = model.entities[key.entity]
    guard let relationship = entity.properties[key.slot].relationship else { return }
    let inverse = entity.inverse(of: relationship).map(Relationship.init)
    var wasLinked: [Int64: [Int64: Bool]] = [:]
    func note(_ owner: Int64, _ member: Int64, _ isAdded: Bool) {
      if owners.contains(owner), wasLinked[owner]?[member] == nil {
        wasLinked[owner, default: [:]][member] = !isAdded
      }
    }
    try parts.log.forEachStatement(control.checkpoint) { _, statement in
      guard statement.kind == .pair else { return }
      let isAdded = statement.flags.contains(.isAdded)
      if statement.relationship == key { note(statement.row, statement.members[0], isAdded) }
      if statement.relationship == inverse { note(statement.members[0], statement.row, isAdded) }
    }
    var now: [Int64: Set<Int64>] = [:]
    for member in try transaction.members(of: relationship, in: entity, owners: owners.rows) {
      now[member.owner, default: []].insert(member.row)
    }
    var changed = RowSet()
    for (owner, pairs) in wasLinked {
      for (member, was) in pairs where was != (now[owner]?.contains(member) ?? false) {
        changed.insert(owner)
      }
    }
    try forget(relationship, of: entity, owners, except: changed)
  }

  // MARK: - Orders

  private func netOrders(_ key: Relationship, _ owners: RowSet) throws {
    let entity = model.entities[key.entity]
    guard let relationship = entity.properties[key.slot].relationship else { return }
    var before: [Int64: [Int64]] = [:]
    try parts.log.forEachStatement(control.checkpoint) { _, statement in
      guard statement.kind == .order, statement.relationship == key,
        owners.contains(statement.row)
      else { return }
      before[statement.row] = statement.members
    }
    let members = try transaction.members(of: relationship, in: entity, owners: owners.rows)
    let now = Dictionary(grouping: members, by: \.owner).mapValues { $0.map(\.row) }
    var unchanged: [Int64: SlotSet] = [:]
    for (owner, members) in before where members == now[owner] ?? [] {
      unchanged[owner] = [key.slot]
    }
    try transaction.forgetChanges(unchanged, of: entity)
  }

  private func forget(
    _ relationship: RelationshipDescription, of entity: EntityDescription, _ owners: RowSet,
    except changed: RowSet
  ) throws {
    // Ordered lists are compared as a whole.
    guard !relationship.isOrdered else { return }
    var unchanged: [Int64: SlotSet] = [:]
    for owner in owners.rows where !changed.contains(owner) {
      unchanged[owner] = [relationship.slot]
    }
    try transaction.forgetChanges(unchanged, of: entity)
  }
}
