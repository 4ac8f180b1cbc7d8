import SyncCore
import SyncStore

/// Links that are no column of an object's own row: members of link tables, orders, and the other
/// side of one-to-one relationships.
extension ChangeWriter {
  /// How many relationships there are to write.
  var linkCount: Int { batches.reduce(0) { $0 + $1.node.relationships.count } }

  /// Writes memberships and orders.
  func link(_ planner: LinkPlanner) throws {
    let rules = batches.flatMap { batch in batch.node.relationships.indices.map { (batch, $0) } }
    for (position, (batch, rule)) in rules.enumerated() {
      let relationship = batch.node.relationships[rule].relationship
      switch relationship.kind {
      case .toOne:
        if relationship.inverseSlot != nil, !relationship.isInverseToMany {
          try pairUp(relationship, of: batch)
        }
      case .oneToMany:
        if relationship.isOrdered { try order(rule, of: batch, planner) }
      case .manyToMany:
        if batch.mentions[rule].count > 0 { try linkMembers(rule, of: batch, planner) }
      }
      try control.advance(.link, to: position + 1, of: rules.count)
    }
  }

  // MARK: - One-to-one

  /// Makes both columns of a one-to-one relationship say the same: an object that is linked leaves the
  /// one it was linked to before.
  private func pairUp(_ relationship: RelationshipDescription, of batch: Batch) throws {
    guard let inverse = relationship.inverseSlot else { return }
    let destination = batch.entity.destination(of: relationship)
    var partners: [Int64: Int64] = [:]
    var changed: [Int64] = []
    for index in batch.occurrences.indices {
      let occurrence = batch.occurrences[index]
      let cell = batch.block[index][relationship.slot]
      guard occurrence.flags.contains(.active), !occurrence.flags.contains(.folded),
        !cell.isAbsent, hasChanged(occurrence, relationship.slot, in: batch)
      else { continue }
      changed.append(occurrence.row)
      if !cell.isEmpty { partners[cell.integer] = occurrence.row }
    }
    guard !changed.isEmpty else { return }
    // Whoever pointed to one of the partners before, and whoever the owners were the partner of.
    try clear(relationship.slot, of: batch.entity, leadingTo: Array(partners.keys)) {
      row, partner in
      partners[partner] != row
    }
    try clear(inverse, of: destination, leadingTo: changed) { row, owner in
      partners[row] != owner
    }
    for (partner, owner) in partners.sorted(by: { $0.key < $1.key }) {
      try write(.integer(owner), to: inverse, of: partner, entity: destination)
    }
  }

  private func hasChanged(_ occurrence: Occurrence, _ slot: Int, in batch: Batch) -> Bool {
    occurrence.flags.contains(.inserted)
      || (occurrence.link >= 0 && batch.differences[Int(occurrence.link)].contains(slot))
  }

  private func clear(
    _ slot: Int, of entity: EntityDescription, leadingTo rows: [Int64],
    where condition: (_ row: Int64, _ destination: Int64) -> Bool
  ) throws {
    var stale: [(row: Int64, entity: EntityDescription)] = []
    try transaction.scan(entity, .references(slot: slot, rows)) { cursor in
      if let destination = cursor.integer(slot), condition(cursor.row, destination) {
        stale.append((cursor.row, cursor.entity))
      }
    }
    for (row, entity) in stale { try write(.null, to: slot, of: row, entity: entity) }
  }

  private func write(_ cell: Cell, to slot: Int, of row: Int64, entity: EntityDescription) throws {
    var differs = false
    var concrete = entity
    try transaction.scan(entity, .rows([row])) { cursor in
      differs = (cursor.integer(slot) ?? 0) != (cell.isEmpty ? 0 : cell.integer)
      concrete = cursor.entity
    }
    guard differs else { return }
    let block = RowBlock(width: concrete.properties.count, capacity: 1)
    block[block.append()][slot] = cell
    try transaction.update(block, index: 0, row: row, of: concrete, slots: [slot])
  }

  // MARK: - Orders

  /// Puts the members of ordered one-to-many lists into the order of the payload. Members that are
  /// still linked and not mentioned keep their order, at the end.
  private func order(_ rule: Int, of batch: Batch, _ planner: LinkPlanner) throws {
    let relationship = batch.node.relationships[rule].relationship
    let wanted = planner.lists(rule, of: batch)
    guard !wanted.isEmpty else { return }
    let owners = wanted.keys.sorted()
    let now = Dictionary(
      grouping: try transaction.members(of: relationship, in: batch.entity, owners: owners),
      by: \.owner
    ).mapValues { $0.map(\.row) }
    let before = planner.ordersBefore[LinkPlanner.RuleKey(batch: batch.number, rule: rule)] ?? [:]
    var positions: [(owner: Int64, member: Int64, position: Int64)] = []
    for owner in owners {
      let members = now[owner] ?? []
      let sequence = ordered(members, by: wanted[owner] ?? [])
      if sequence == before[owner] ?? [] { continue }
      for (position, member) in sequence.enumerated() {
        positions.append((owner, member, Int64(position)))
      }
    }
    if !positions.isEmpty {
      try transaction.setPositions(relationship, of: batch.entity, positions: positions)
    }
  }

  /// The members in the wanted order, those that are not wanted at the end in their own.
  private func ordered(_ members: [Int64], by wanted: [Int64]) -> [Int64] {
    let present = Set(members)
    let first = wanted.filter { present.contains($0) }
    let listed = Set(first)
    return first + members.filter { !listed.contains($0) }
  }
}
