import SyncCore
import SyncStore

/// A reference to write beside the objects of the payload: an object that lost its partner, or got
/// one, without being described.
struct PartnerWrite {
  let entity: EntityDescription
  let slot: Int
  let row: Int64
  /// Row of the partner, 0 for none.
  let partner: Int64
}

/// Plans one-to-one relationships: both sides are columns, and both sides may be in the payload.
///
/// Mentions are played through in the order of the payload, from the stored pairs: an object that
/// is linked leaves the partner it had, and so does its new partner. The last mention counts, from
/// either side.
struct PartnerPlanner {
  let planner: LinkPlanner

  /// One end of the relationship: 0 and 1, or 0 for both when it is its own inverse.
  private struct End: Hashable {
    let side: Int
    let row: Int64
  }

  private struct Event {
    let order: UInt32
    let owner: End
    let other: Int
    let partner: Int64
  }

  private struct Couple {
    var sides: [(entity: EntityDescription, slot: Int)]
    var events: [Event] = []
    var objects: [End: MatchedObject] = [:]
    var changes = false
  }

  /// Decides the references of one-to-one relationships on both sides.
  ///
  /// - Returns: The writes that are needed beside; nil when no such relationship changes.
  func plan() throws -> [PartnerWrite]? {
    var couples: [Claims.Relationship: Couple] = [:]
    for batch in planner.batches {
      for (rule, relationship) in batch.node.relationships.enumerated()
      where relationship.isOneToOne && batch.mentions[rule].count > 0 {
        collect(rule, of: batch, into: &couples)
      }
    }
    let changed = couples.sorted { ($0.key.entity, $0.key.slot) < ($1.key.entity, $1.key.slot) }
      .map(\.value).filter(\.changes)
    guard !changed.isEmpty else { return nil }
    var writes: [PartnerWrite] = []
    for couple in changed { try play(couple, into: &writes) }
    return writes
  }

  private func collect(
    _ rule: Int, of batch: MatchedBatch, into couples: inout [Claims.Relationship: Couple]
  ) {
    let relationship = batch.node.relationships[rule].relationship
    let destination = planner.batches[batch.node.relationships[rule].node]
    guard let inverse = batch.entity.inverse(of: relationship) else { return }
    let keys = (Claims.Relationship(relationship), Claims.Relationship(inverse))
    let isFirst = (keys.0.entity, keys.0.slot) <= (keys.1.entity, keys.1.slot)
    let own = (entity: declaring(relationship), slot: relationship.slot)
    let far = (entity: declaring(inverse), slot: inverse.slot)
    let side = isFirst ? 0 : 1
    let other = keys.0 == keys.1 ? side : 1 - side
    let key = isFirst ? keys.0 : keys.1
    var couple = couples[key] ?? Couple(sides: isFirst ? [own, far] : [far, own])
    let mentions = batch.mentions[rule]
    planner.noteContradictions(rule, of: batch)
    planner.activeMentions(rule, of: batch) { mention, owner in
      let match = batch.matches[owner]
      let stored = batch.linkedRow(of: match, by: relationship.slot)
      var partner: Int64 = 0
      if let target = mentions.targets(of: mention).first {
        if let row = planner.row(
          of: target, in: destination, isLinked: { destination.stored.rows[$0] == stored })
        {
          partner = row
          if target >= 0 {
            couple.objects[End(side: other, row: row)] = planner.matches.object(
              target, in: destination)
          }
        } else {
          let rule = batch.node.relationships[rule]
          planner.noteUnresolved(target, rule, owner, batch)
          guard planner.emptiesUnresolved(rule, owner, batch) else { return }
        }
      }
      planner.replaceKeyless(rule, mention, of: owner, in: batch, by: partner)
      let end = End(side: side, row: match.row)
      couple.objects[end] = MatchedObject(batch: batch, number: owner)
      couple.events.append(
        Event(order: mentions.orders[mention], owner: end, other: other, partner: partner))
      if stored != partner { couple.changes = true }
    }
    couples[key] = couple
  }

  private func declaring(_ relationship: RelationshipDescription) -> EntityDescription {
    EntityDescription(model: planner.batches[0].entity.model, index: relationship.declaringIndex)
  }

  private func play(_ couple: Couple, into writes: inout [PartnerWrite]) throws {
    let stored = try readPartners(couple)
    var now = stored
    var said: [End: Int64] = [:]
    for event in couple.events.sorted(on: \.order) {
      let old = now[event.owner] ?? 0
      noteContradiction(event, said, couple)
      said[event.owner] = event.partner
      if event.partner > 0 {
        said[End(side: event.other, row: event.partner)] = event.owner.row
      }
      guard old != event.partner, !isEdited(event, old: old, now, couple) else { continue }
      if old > 0 { now[End(side: event.other, row: old)] = 0 }
      if event.partner > 0 {
        let partner = End(side: event.other, row: event.partner)
        if let rival = now[partner], rival > 0 { now[End(side: event.owner.side, row: rival)] = 0 }
        now[partner] = event.owner.row
      }
      now[event.owner] = event.partner
    }
    for (end, partner) in now.sorted(by: { ($0.key.side, $0.key.row) < ($1.key.side, $1.key.row) })
    where partner != stored[end] ?? 0 || (partner == 0 && stored[end] == nil) {
      let (entity, slot) = couple.sides[end.side]
      if let object = couple.objects[end] {
        planner.references[object.batch.number].column(slot)[object.number] = partner
      } else {
        writes.append(PartnerWrite(entity: entity, slot: slot, row: end.row, partner: partner))
      }
    }
  }

  /// Counts an earlier mention that gave one of the two another partner.
  private func noteContradiction(_ event: Event, _ said: [End: Int64], _ couple: Couple) {
    let partner = End(side: event.other, row: event.partner)
    let (end, earlier, later) =
      if let earlier = said[event.owner], earlier != event.partner, earlier > 0 || event.partner > 0
      {
        (event.owner, End(side: event.other, row: earlier), partner)
      } else if event.partner > 0, let earlier = said[partner], earlier > 0,
        earlier != event.owner.row
      {
        (partner, End(side: event.owner.side, row: earlier), event.owner)
      } else {
        (event.owner, partner, partner)
      }
    guard earlier != later else { return }
    let (entity, slot) = couple.sides[end.side]
    planner.contradictions[entity.index, default: Contradictions()].add(
      entity.properties[slot].name, key: name(end, couple),
      values: (name(earlier, couple), name(later, couple)))
  }

  /// The key of an object, where the payload describes it.
  private func name(_ end: End, _ couple: Couple) -> String {
    guard end.row > 0 else { return "none" }
    guard let object = couple.objects[end] else { return "the one in row \(end.row)" }
    return object.batch.key(object.batch.cells(object.number)).description
  }

  /// Whether a pair that an event would change was edited here at one of its ends.
  private func isEdited(_ event: Event, old: Int64, _ now: [End: Int64], _ couple: Couple) -> Bool {
    guard let edits = planner.edits else { return false }
    let partner = End(side: event.other, row: event.partner)
    let ends = [
      event.owner, partner, End(side: event.other, row: old),
      End(side: event.owner.side, row: now[partner] ?? 0),
    ]
    var isEdited = false
    for end in ends where end.row > 0 {
      let (entity, slot) = couple.sides[end.side]
      guard edits.protects(slot, of: end.row, entity) else { continue }
      edits.withhold([slot], of: end.row, entity)
      isEdited = true
    }
    return isEdited
  }

  /// The stored partners of everything that is spoken of.
  private func readPartners(_ couple: Couple) throws -> [End: Int64] {
    var rows: [[Int64]] = [[], []]
    for event in couple.events {
      for end in [event.owner, End(side: event.other, row: event.partner)] where end.row > 0 {
        if let object = couple.objects[end],
          object.match.flags.contains(.inserted)
        {
          continue
        }
        rows[end.side].append(end.row)
      }
    }
    var result: [End: Int64] = [:]
    for side in [0, 1] where !rows[side].isEmpty {
      let (entity, slot) = couple.sides[side]
      try planner.transaction.scan(entity, .rows(Array(Set(rows[side]))), slots: [slot]) { cursor in
        result[End(side: side, row: cursor.row)] = cursor.integer(slot) ?? 0
      }
    }
    return result
  }
}
