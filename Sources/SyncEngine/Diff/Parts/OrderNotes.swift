import SyncCore
import SyncStore

/// Notes what ordered lists hold before a part of a payload changes them, so that at the end it can be told
/// whether they changed.
struct OrderNotes {
  let claims: Claims
  let transaction: StoreTransaction

  /// Has to be called before anything is written to the lists.
  func note(
    _ owners: some Sequence<Int64>, _ relationship: RelationshipDescription,
    of entity: EntityDescription
  ) throws {
    guard relationship.isOrdered, claims.parts != nil else { return }
    let owners = claims.parts?.ownersToNote(owners, relationship, of: entity) ?? []
    guard !owners.isEmpty else { return }
    let members = try transaction.members(of: relationship, in: entity, owners: owners)
    let lists = Dictionary(grouping: members, by: \.owner)
    for owner in owners {
      claims.parts?.noteOrder((lists[owner] ?? []).map(\.row), of: owner, relationship)
    }
  }

  /// Notes the lists at both ends of pairs.
  func note(
    _ pairs: [(owner: Int64, member: Int64)], _ relationship: RelationshipDescription,
    of entity: EntityDescription
  ) throws {
    guard claims.parts != nil else { return }
    try note(pairs.lazy.map(\.owner), relationship, of: entity)
    if let inverse = entity.inverse(of: relationship) {
      try note(pairs.lazy.map(\.member), inverse, of: entity.destination(of: relationship))
    }
  }

  /// Notes the lists that a linked part is about to change.
  func note(_ batches: [Batch]) throws {
    guard claims.parts != nil else { return }
    for batch in batches {
      for (rule, relationship) in batch.node.relationships.enumerated()
      where relationship.relationship.kind == .oneToMany && relationship.relationship.isOrdered {
        let owners = batch.mentions[rule].owners.map {
          batch.occurrences[Int(batch.representative($0))].row
        }
        try note(owners, relationship.relationship, of: batch.entity)
      }
      for (column, slot) in batch.node.toOneSlots.enumerated() {
        guard let relationship = batch.entity.properties[slot].relationship,
          let inverse = batch.entity.inverse(of: relationship), inverse.isToMany, inverse.isOrdered
        else { continue }
        try note(
          owners(column, slot, of: batch), inverse, of: batch.entity.destination(of: relationship))
      }
    }
  }

  /// The owners that members of a batch leave and join.
  private func owners(_ column: Int, _ slot: Int, of batch: Batch) -> Set<Int64> {
    var owners: Set<Int64> = []
    for (index, occurrence) in batch.occurrences.enumerated()
    where !occurrence.flags.contains(.folded) {
      let cell = batch.block[index][slot]
      guard !cell.isAbsent else { continue }
      let new = cell.isEmpty ? 0 : cell.integer
      let old =
        occurrence.stored >= 0 ? batch.stored.references[column][Int(occurrence.stored)] : 0
      if old != new { owners.formUnion([old, new]) }
    }
    return owners
  }
}
