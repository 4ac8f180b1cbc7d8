import SyncCore
import SyncStore

/// One-to-one relationships of which an end spoke more than once: everything that was said around it is
/// played through again, from what was stored, without what was said before its last word.
extension LinkSettlement {
  /// One end: 0 and 1, or 0 for both when the relationship is its own inverse.
  private struct End: Hashable {
    let side: Int
    let row: Int64
  }

  private struct Event {
    let position: Int
    let owner: End
    let partner: End
  }

  /// Both sides of a relationship.
  private struct Couple {
    let sides: [(relationship: RelationshipDescription, entity: EntityDescription)]

    func side(_ key: Relationship) -> Int? {
      sides.firstIndex { Relationship($0.relationship) == key }
    }

    func other(_ side: Int) -> Int { sides.count == 1 ? side : 1 - side }
  }

  func settlePartners(_ relationship: RelationshipDescription, of entity: EntityDescription) throws
  {
    guard let inverse = entity.inverse(of: relationship) else { return }
    let isOwnInverse = Relationship(relationship) == Relationship(inverse)
    let couple = Couple(
      sides: [(relationship, entity)]
        + (isOwnInverse ? [] : [(inverse, entity.destination(of: relationship))]))
    let (ends, events) = try around(couple)
    let origins = try origins(of: ends, couple)
    var now = origins
    for (step, event) in events.values.sorted(by: { $0.position < $1.position }).enumerated() {
      try checkpoint(step)
      let (owner, partner) = (event.owner, event.partner)
      let old = now[owner] ?? 0
      guard old != partner.row, !isEdited(owner, partner, couple) else { continue }
      if old > 0 { now[End(side: partner.side, row: old)] = 0 }
      if partner.row > 0 {
        if let rival = now[partner], rival > 0 { now[End(side: owner.side, row: rival)] = 0 }
        now[partner] = owner.row
      }
      now[owner] = partner.row
    }
    for (end, partner) in now.sorted(by: { ($0.key.side, $0.key.row) < ($1.key.side, $1.key.row) })
    {
      let (relationship, entity) = couple.sides[end.side]
      var stored: (partner: Int64, entity: EntityDescription)?
      try transaction.scan(entity, .rows([end.row]), slots: [relationship.slot]) { cursor in
        stored = (cursor.integer(relationship.slot) ?? 0, cursor.entity)
      }
      guard let stored, stored.partner != partner else { continue }
      try set(relationship, of: end.row, stored.entity, from: stored.partner, to: partner)
    }
  }

  /// The ends that are contested with everyone they had to do with, and the last word of each.
  private func around(_ couple: Couple) throws -> (Set<End>, [End: Event]) {
    var ends: Set<End> = []
    for (side, (relationship, _)) in couple.sides.enumerated() {
      for row in parts.contested[Relationship(relationship)]?.rows ?? [] {
        ends.insert(End(side: side, row: row))
      }
    }
    var events: [End: Event] = [:]
    var count = -1
    while count != ends.count {
      count = ends.count
      events = [:]
      try forEachStatement { position, statement in
        guard statement.kind == .reference || statement.kind == .column,
          let side = couple.side(statement.relationship)
        else { return }
        let owner = End(side: side, row: statement.row)
        let row = statement.members.first
        let partner = End(side: couple.other(side), row: row ?? 0)
        guard ends.contains(owner) || (partner.row > 0 && ends.contains(partner)) else { return }
        ends.insert(owner)
        if partner.row > 0 { ends.insert(partner) }
        guard statement.kind == .reference else { return }
        // A last word that nobody can follow leaves all as it was.
        events[owner] =
          row == nil ? nil : Event(position: position, owner: owner, partner: partner)
      }
      for end in ends where !parts.wasInserted(end.row, couple.sides[end.side].entity.rootIndex) {
        let (relationship, entity) = couple.sides[end.side]
        try transaction.scan(entity, .rows([end.row]), slots: [relationship.slot]) { cursor in
          if let row = cursor.integer(relationship.slot), row > 0 {
            ends.insert(End(side: couple.other(end.side), row: row))
          }
        }
      }
    }
    return (ends, events)
  }

  private func origins(of ends: Set<End>, _ couple: Couple) throws -> [End: Int64] {
    var result: [End: Int64] = [:]
    for (side, (relationship, entity)) in couple.sides.enumerated() {
      let rows = RowSet(ends.lazy.filter { $0.side == side }.map(\.row))
      let origins = try origins(relationship, entity, of: rows)
      try transaction.scan(entity, .rows(rows.rows), slots: [relationship.slot]) { cursor in
        result[End(side: side, row: cursor.row)] =
          origins[cursor.row] ?? cursor.integer(relationship.slot) ?? 0
      }
    }
    // What a batch wrote that was forgotten, because the sync was stopped after it, is known at one end only.
    for (end, partner) in result where partner > 0 {
      let other = End(side: couple.other(end.side), row: partner)
      if let back = result[other], back != end.row { result[end] = 0 }
    }
    return result
  }

  /// Whether either end was edited here.
  private func isEdited(_ owner: End, _ partner: End, _ couple: Couple) -> Bool {
    guard let edits else { return false }
    return [owner, partner].contains { end in
      end.row > 0
        && edits.protects(
          couple.sides[end.side].relationship.slot, of: end.row, couple.sides[end.side].entity)
    }
  }
}
