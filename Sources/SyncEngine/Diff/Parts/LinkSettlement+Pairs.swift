import SyncCore
import SyncStore

/// Many-to-many relationships: a pair is linked when a list at either end names it; it is taken apart when
/// one end has a list and neither names it.
extension LinkSettlement {
  private struct List {
    var members: [Int64] = []
    var keepsAll = false
  }

  func settlePairs(_ relationship: RelationshipDescription, of entity: EntityDescription) throws {
    let key = Relationship(relationship)
    guard let owners = parts.relisted[key] else { return }
    let inverse = entity.inverse(of: relationship)
    let inverseKey = inverse.map(Relationship.init)
    let destination = entity.destination(of: relationship)
    var lists: [Int64: List] = [:]
    var wasLinked: [Int64: [Int64: Bool]] = [:]
    var candidates: [Int64: Set<Int64>] = [:]
    try forEachStatement { _, statement in
      switch statement.kind {
      case .list where statement.relationship == key && owners.contains(statement.row):
        lists[statement.row] = list(statement, after: lists[statement.row])
      case .pair:
        let isAdded = statement.flags.contains(.isAdded)
        if statement.relationship == key, owners.contains(statement.row) {
          note(statement.row, statement.members[0], isAdded, in: &wasLinked)
        }
        if statement.relationship == inverseKey, owners.contains(statement.members[0]) {
          note(statement.members[0], statement.row, isAdded, in: &wasLinked)
        }
      default: break
      }
      if statement.kind == .list, statement.relationship == inverseKey {
        for owner in statement.members where owners.contains(owner) {
          candidates[owner, default: []].insert(statement.row)
        }
      }
    }
    var now: [Int64: Set<Int64>] = [:]
    for member in try transaction.members(of: relationship, in: entity, owners: owners.rows) {
      now[member.owner, default: []].insert(member.row)
    }
    for (step, owner) in owners.rows.enumerated() {
      try checkpoint(step)
      candidates[owner, default: []].formUnion(now[owner] ?? [])
      candidates[owner]?.formUnion(lists[owner]?.members ?? [])
      candidates[owner]?.formUnion((wasLinked[owner] ?? [:]).keys)
    }
    let others = try inverse.map { try self.lists($0, RowSet(candidates.values.joined())) }
    var added: [(owner: Int64, member: Int64)] = []
    var removed: [(owner: Int64, member: Int64)] = []
    for (step, owner) in owners.rows.enumerated() {
      try checkpoint(step)
      let list = lists[owner]
      for member in (candidates[owner] ?? []).sorted() {
        let other = others?[member]
        let isLinked = now[owner]?.contains(member) ?? false
        var isWanted =
          list?.members.contains(member) ?? false || other?.members.contains(owner) ?? false
        if !isWanted {
          let areKnown =
            !parts.wasInserted(owner, entity.rootIndex)
            && !parts.wasInserted(member, destination.rootIndex)
          isWanted =
            (wasLinked[owner]?[member] ?? (isLinked && areKnown)) && list?.keepsAll ?? true
            && other?.keepsAll ?? true
        }
        guard isWanted != isLinked,
          edits?.protectsPair(relationship, of: entity, owner: owner, member: member) != true
        else { continue }
        if isWanted { added.append((owner, member)) } else { removed.append((owner, member)) }
      }
    }
    let notes = OrderNotes(claims: claims, transaction: transaction)
    try notes.note(removed + added, relationship, of: entity)
    if !removed.isEmpty { try transaction.removeLinks(relationship, of: entity, pairs: removed) }
    if !added.isEmpty { try transaction.addLinks(relationship, of: entity, pairs: added) }
    claims.parts?.notePairs(removed, areAdded: false, relationship, of: entity)
    claims.parts?.notePairs(added, areAdded: true, relationship, of: entity)
    try order(
      relationship, of: entity, orders(relationship, owners, lists.mapValues(\.members)))
    guard let inverse, inverse.isOrdered, !added.isEmpty else { return }
    let changed = RowSet(added.map(\.member))
    try order(
      inverse, of: destination,
      orders(inverse, changed, self.lists(inverse, changed).mapValues(\.members)))
  }

  private func note(
    _ owner: Int64, _ member: Int64, _ isAdded: Bool, in wasLinked: inout [Int64: [Int64: Bool]]
  ) {
    if wasLinked[owner]?[member] == nil { wasLinked[owner, default: [:]][member] = !isAdded }
  }

  private func list(_ statement: StatementLog.Statement, after earlier: List?) -> List {
    List(
      members: statement.flags.contains(.goesOn)
        ? (earlier?.members ?? []) + statement.members : statement.members,
      keepsAll: statement.flags.contains(.keepsAll) || earlier?.keepsAll ?? false)
  }

  /// The last lists of owners.
  private func lists(_ relationship: RelationshipDescription, _ owners: RowSet) throws -> [Int64:
    List]
  {
    var lists: [Int64: List] = [:]
    let key = Relationship(relationship)
    try forEachStatement { _, statement in
      guard statement.kind == .list, statement.relationship == key, owners.contains(statement.row)
      else { return }
      lists[statement.row] = list(statement, after: lists[statement.row])
    }
    return lists
  }
}
