import SyncCore
import SyncStore

/// Who is in the many-to-many lists of keys that several stored objects have: of those the one that a list has already
/// stays the one, else the oldest is meant.
struct SharedMembers {
  /// The members by their owner.
  private var lists: [LinkPlanner.RuleKey: [Int64: Set<Int64>]] = [:]

  init() {}

  /// Reads who was in the lists of the payload, where it matters.
  init(of planner: LinkPlanner) throws {
    for batch in planner.batches {
      for (rule, relationship) in batch.node.relationships.enumerated()
      where relationship.kind == .manyToMany
        && !planner.batches[relationship.node].references.duplicates.isEmpty
      {
        try read(rule, of: batch, planner)
      }
    }
  }

  private mutating func read(_ rule: Int, of batch: MatchedBatch, _ planner: LinkPlanner) throws {
    let relationship = batch.node.relationships[rule]
    let duplicates = planner.batches[relationship.node].references.duplicates
    let mentions = batch.mentions[rule]
    let firstNew = planner.matches.firstNewRows[batch.entity.rootIndex] ?? .max
    var owners = Set<Int64>()
    planner.activeMentions(rule, of: batch) { mention, owner in
      let row = batch.occurrences[owner].row
      guard row < firstNew,
        mentions.targets(of: mention).contains(where: { $0 < 0 && duplicates[~$0] != nil })
      else { return }
      owners.insert(row)
    }
    guard !owners.isEmpty else { return }
    var members: [Int64: Set<Int64>] = [:]
    for member in try planner.transaction.members(
      of: relationship.relationship, in: batch.entity, owners: owners.sorted())
    {
      members[member.owner, default: []].insert(member.row)
    }
    lists[LinkPlanner.RuleKey(batch: batch.number, rule: rule)] = members
  }

  /// The object of a key that a list of the owner has already, or 0.
  func member(
    _ target: Int32, _ rule: Int, of batch: MatchedBatch, owner: Int32, in destination: MatchedBatch
  ) -> Int64 {
    guard target < 0, !lists.isEmpty,
      let members = lists[LinkPlanner.RuleKey(batch: batch.number, rule: rule)]?[
        batch.occurrences[owner].row]
    else { return 0 }
    let rows = destination.references.duplicates[~target]?.lazy.map { destination.stored.rows[$0] }
    return rows?.filter(members.contains).min() ?? 0
  }
}
