import SyncCore
import SyncStore

/// Objects that the payload says are gone.
struct GoneObjects: PartPhase {
  let work: PartWork

  /// Notes the objects of a part that it says are gone, once it is written: values that it gives
  /// for them elsewhere count before. They go at the end, because a later part may bring them
  /// again, or move an object elsewhere that would go along.
  func note(of matches: Matches) throws {
    if claims.hasGone {
      for batch in matches.batches {
        for match in batch.matches
        where match.row > 0 && !match.traits.contains(.referenceOnly) {
          claims.bringBack(match.row, batch.entity)
        }
      }
    }
    for batch in matches.batches {
      guard let items = batch.staged.goneItems else { continue }
      claims.state.hasTombstones = true
      for row in try storedRows(of: items, in: batch, matches) {
        claims.giveUp(row, batch.entity)
      }
    }
  }

  /// Deletes the objects of which the latest item says that they are gone, all of them as one. An
  /// object that goes along by a delete rule stays where the payload mentions it.
  func delete(_ model: ManagedObjectModel) throws {
    let keeper = edits.map { Keeper(edits: $0, transaction: transaction) }
    let gone = try claims.gone.map { root, rows in
      let entity = model.entities[root]
      return (entity: entity, rows: try keeper?.deletable(rows, of: entity) ?? rows)
    }
    try transaction.delete(gone) { [claims] row, entity in
      keeper?.survives(row, entity) == true
        || claims.isMentioned(row, entity) && !claims.isGone(row, entity)
    }
  }

  /// The rows that gone items are about.
  private func storedRows(
    of items: GoneItems, in batch: MatchedBatch, _ matches: Matches
  ) throws -> [Int64] {
    let slot = batch.node.identity[0]
    let members = try group(of: batch)
    var rows: [Int64] = []
    try transaction.scan(
      batch.entity, .keys(slot: slot, items.keys(in: slot)), slots: nil
    ) { cursor in
      let owners = items.owners { cursor.cell($0) }
      guard owners.contains(where: { isOwner($0, of: cursor, matches) }),
        members?.contains(cursor.row) != false
      else { return }
      rows.append(cursor.row)
    }
    return rows
  }

  /// Whether a row belongs to the owner in whose list a gone item stands, where keys are unique
  /// among those only.
  private func isOwner(_ owner: Owner?, of cursor: RowCursor, _ matches: Matches) -> Bool {
    guard let owner else { return true }
    let owners = matches.batches[owner.batch]
    let rule = owners.node.relationships[owner.rule]
    guard rule.keyScopeIsOwner, let slot = rule.relationship.inverseSlot else { return true }
    return cursor.integer(slot) == owners.matches[owners.representative(owner.owner)].row
  }

  /// The rows that a mapping by hand knows about; nil is all.
  private func group(of batch: MatchedBatch) throws -> Set<Int64>? {
    guard let group = batch.node.group, batch.node.policy.identityScope == .group else {
      return nil
    }
    var rows: Set<Int64> = []
    try transaction.scan(batch.entity, .filter(group), slots: []) { rows.insert($0.row) }
    return rows
  }
}
