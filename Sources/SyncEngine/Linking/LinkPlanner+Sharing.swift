import SyncCore
import SyncStore

/// Many-to-many lists of keys: of several stored objects of a key the one that the list has already
/// stays the one, else the oldest is meant.
extension LinkPlanner {
  /// Reads who was in the lists whose keys several stored objects have.
  func readShared() throws {
    for batch in batches {
      for (rule, relationship) in batch.node.relationships.enumerated()
      where relationship.relationship.kind == .manyToMany
        && !batches[relationship.node].referenceDuplicates.isEmpty
      {
        try readShared(rule, of: batch)
      }
    }
  }

  private func readShared(_ rule: Int, of batch: Batch) throws {
    let relationship = batch.node.relationships[rule].relationship
    let destination = batches[batch.node.relationships[rule].node]
    let mentions = batch.mentions[rule]
    let firstNew = firstNewRows[batch.entity.rootIndex] ?? .max
    var owners = Set<Int64>()
    activeMentions(rule, of: batch) { mention, owner in
      let row = batch.occurrences[owner].row
      guard row < firstNew,
        mentions.targets(of: mention).contains(where: {
          $0 < 0 && destination.referenceDuplicates[~$0] != nil
        })
      else { return }
      owners.insert(row)
    }
    guard !owners.isEmpty else { return }
    var members: [Int64: Set<Int64>] = [:]
    for member in try transaction.members(
      of: relationship, in: batch.entity, owners: owners.sorted())
    {
      members[member.owner, default: []].insert(member.row)
    }
    sharedBefore[RuleKey(batch: batch.number, rule: rule)] = members
  }

  /// The object of a key that a many-to-many list of the owner has already, or 0.
  func sharedMember(_ target: Int32, _ rule: Int, of batch: Batch, owner: Int32) -> Int64 {
    guard target < 0, !sharedBefore.isEmpty,
      let members = sharedBefore[RuleKey(batch: batch.number, rule: rule)]?[
        batch.occurrences[owner].row]
    else { return 0 }
    let destination = batches[batch.node.relationships[rule].node]
    let rows = destination.referenceDuplicates[~target]?.lazy.map {
      destination.stored.rows[$0]
    }
    return rows?.filter(members.contains).min() ?? 0
  }
}
