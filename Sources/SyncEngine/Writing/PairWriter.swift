import SyncCore
import SyncStore

/// Links and unlinks pairs of a many-to-many relationship one by one, where no list is compared with what is stored.
struct PairWriter {
  typealias Pair = (owner: Int64, member: Int64)

  let transaction: StoreTransaction

  /// What the sync has to leave alone; nil when that is nothing.
  let edits: UnsentEdits?

  /// Links those that are not linked yet.
  func link(
    _ pairs: [Pair], _ relationship: RelationshipDescription, of entity: EntityDescription
  ) throws {
    let missing = try transaction.missingLinks(relationship, of: entity, among: pairs)
    try transaction.addLinks(
      relationship, of: entity, pairs: withoutEdited(missing, relationship, of: entity),
      areNew: true)
  }

  func unlink(
    _ pairs: [Pair], _ relationship: RelationshipDescription, of entity: EntityDescription
  ) throws {
    try transaction.removeLinks(
      relationship, of: entity, pairs: withoutEdited(pairs, relationship, of: entity))
  }

  /// Leaves out what was edited here.
  private func withoutEdited(
    _ pairs: [Pair], _ relationship: RelationshipDescription, of entity: EntityDescription
  ) -> [Pair] {
    var pairs = pairs
    if let edits {
      pairs.removeAll { pair in
        guard
          edits.protectsPair(relationship, of: entity, owner: pair.owner, member: pair.member)
        else { return false }
        edits.withhold([relationship.slot], of: pair.owner, entity)
        return true
      }
    }
    return pairs
  }
}
