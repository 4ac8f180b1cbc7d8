import SyncCore

/// The stored rows that the items which were read have to do with: which they describe, take, or
/// have among the members of their lists.
///
/// An item that was not read is passed over without changing anything only when no other item
/// mentions its objects. Keys that others only refer to do not matter, unless a relationship is
/// mentioned from both ends (``SpokenRelationships``).
struct FingerprintConflicts {
  private let batches: [MatchedBatch]

  /// By the root entity of their table.
  private(set) var rows: [RowSet]

  init(_ batches: [MatchedBatch], _ model: ManagedObjectModel) {
    self.batches = batches
    rows = Array(repeating: RowSet(), count: model.entities.count)
    for batch in batches { addDescribed(batch) }
    for batch in batches {
      for rule in batch.node.relationships.indices where batch.mentions[rule].count > 0 {
        addTaken(rule, of: batch)
        addMembers(rule, of: batch)
      }
    }
  }

  private mutating func addDescribed(_ batch: MatchedBatch) {
    let (matches, stored) = (batch.matches, batch.stored.rows)
    let table = batch.entity.rootIndex
    rows[table].insert(matches.count) { index in
      let match = matches[index]
      if match.traits.contains(.referenceOnly) { return 0 }
      return match.stored >= 0 ? stored[match.stored] : match.row
    }
    for index in batch.forgotten { rows[table].insert(stored[index]) }
    for indexes in batch.contested.values {
      for index in indexes { rows[table].insert(stored[index]) }
    }
  }

  /// Adds those that lists and one-to-one relationships name by their keys.
  private mutating func addTaken(_ rule: Int, of batch: MatchedBatch) {
    let relationship = batch.node.relationships[rule]
    guard relationship.kind == .oneToMany || relationship.isOneToOne else { return }
    let destination = batches[relationship.node]
    let mentions = batch.mentions[rule]
    for mention in 0..<mentions.count {
      for target in mentions.targets(of: mention) where target < 0 {
        let first = destination.references.first[Int(~target)]
        for index in (destination.references.duplicates[~target] ?? []) + [first] where index >= 0 {
          rows[destination.entity.rootIndex].insert(destination.stored.rows[index])
        }
      }
    }
  }

  private mutating func addMembers(_ rule: Int, of batch: MatchedBatch) {
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    let table = destination.entity.rootIndex
    guard relationship.relationship.kind == .oneToMany,
      let inverse = relationship.relationship.inverseSlot,
      let references = destination.destinations(of: inverse)
    else { return }
    var owners = RowSet()
    for owner in batch.mentions[rule].owners {
      let row = batch.matches[batch.representative(owner)].row
      if row > 0 { owners.insert(row) }
    }
    let stored = destination.stored.rows
    rows[table].insert(stored.count) { owners.contains(references[$0]) ? stored[$0] : 0 }
  }
}
