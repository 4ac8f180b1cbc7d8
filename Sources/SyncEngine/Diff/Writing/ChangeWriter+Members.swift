import SyncCore
import SyncStore

/// Members of link tables.
extension ChangeWriter {
  /// Brings the members of link tables in step with the payload's lists: those of one owner after the
  /// other, as the stored pairs go by.
  func linkMembers(_ rule: Int, of batch: Batch, _ planner: LinkPlanner) throws {
    let relationship = batch.node.relationships[rule].relationship
    var wanted = try planner.memberLists(rule, of: batch, notesMissing: true)
    if let parent = planner.givenParent(rule, of: batch),
      planner.isContinued(rule, of: batch, owner: parent),
      let index = wanted.owners.firstIndex(of: parent)
    {
      try PairWriter(transaction: transaction, claims: claims, edits: edits)
        .link(wanted.members(of: index).map { (parent, $0) }, relationship, of: batch.entity)
      wanted.remove(at: index)
    }
    guard !wanted.owners.isEmpty else { return }
    let firstNew = firstNewRows[batch.entity.rootIndex] ?? .max
    let mutual = try planner.pairsFromOtherSide(rule, of: batch)
    // The other side may have linked new objects already.
    let end = mutual.isEmpty ? firstNew : .max
    let stored =
      wanted.owners.last ?? 0 < end ? wanted.owners : wanted.owners.filter { $0 < end }
    if stored.isEmpty, !relationship.isOrdered {
      return try linkNew(wanted, relationship, of: batch.entity)
    }
    var keepers = planner.suspendedOwners(rule, of: batch)
    // A parent's members are the scope of its sync: without deleting nobody leaves it.
    if !planner.operations.contains(.delete) || planner.isPartOfList,
      let parent = planner.givenParent(rule, of: batch)
    {
      keepers.insert(parent)
    }
    var changes = MemberChanges(
      isOrdered: relationship.isOrdered, mutual: mutual, keepers: keepers)
    if let kept = planner.keptMember, kept.relationship == Claims.Relationship(relationship) {
      changes.keptMember = kept.row
    }
    let different = try ListReading(
      relationship: relationship, entity: batch.entity, wanted: wanted, storedCount: stored.count,
      transaction: transaction, control: control
    ).differences(helper)
    for (number, list) in different.owners.enumerated() {
      if number % SyncControl.stride == 0 { try control.checkpoint() }
      let index = Int(list)
      let owner = wanted.owners[index]
      let current = Array(different.members(of: number))
      guard let edits, edits.protects(relationship.slot, of: owner, batch.entity) else {
        changes.compare(current, with: wanted.members(of: index), of: owner)
        continue
      }
      let isWithheld = changes.compareEdited(current, with: wanted.members(of: index), of: owner) {
        edits.protectsPair(relationship, of: batch.entity, owner: owner, member: $0)
      }
      if isWithheld { edits.withhold([relationship.slot], of: owner, batch.entity) }
    }
    try write(changes, relationship, of: batch.entity)
  }

  /// Writes the lists of owners that are all new, a portion at a time: nothing has to be compared with
  /// them.
  private func linkNew(
    _ lists: MemberLists, _ relationship: RelationshipDescription,
    of entity: EntityDescription
  ) throws {
    guard !lists.members.isEmpty else { return }
    if claims.parts != nil { try noteNew(lists, relationship, of: entity) }
    try transaction.prepareBulkLinks(relationship, of: entity, count: lists.members.count)
    var next = 0
    var members: [Int64] = []
    try transaction.addNewLinks(relationship, of: entity) { pairs in
      try control.checkpoint()
      while next < lists.owners.count, pairs.count < ChangeWriter.pairPortion {
        let owner = lists.owners[next]
        members.append(contentsOf: lists.members(of: next))
        members.sort()
        for member in members { pairs.append((owner, member)) }
        members.removeAll(keepingCapacity: true)
        next += 1
      }
    }
  }

  /// Remembers the pairs of new owners: a later part of the payload may take stored members out again.
  private func noteNew(
    _ lists: MemberLists, _ relationship: RelationshipDescription,
    of entity: EntityDescription
  ) throws {
    var pairs: [(owner: Int64, member: Int64)] = []
    pairs.reserveCapacity(lists.members.count)
    for (index, owner) in lists.owners.enumerated() {
      for member in lists.members(of: index) { pairs.append((owner, member)) }
    }
    try OrderNotes(claims: claims, transaction: transaction).note(pairs, relationship, of: entity)
    claims.parts?.notePairs(pairs, areAdded: true, relationship, of: entity)
  }

  /// Pairs between two checkpoints.
  private static let pairPortion = 4096

  private func write(
    _ changes: MemberChanges, _ relationship: RelationshipDescription, of entity: EntityDescription
  ) throws {
    if claims.parts != nil {
      let notes = OrderNotes(claims: claims, transaction: transaction)
      try notes.note(changes.removed + changes.added + changes.appended, relationship, of: entity)
      try notes.note(changes.positions.lazy.map(\.owner), relationship, of: entity)
      claims.parts?.notePairs(changes.removed, areAdded: false, relationship, of: entity)
      claims.parts?.notePairs(
        changes.added + changes.appended, areAdded: true, relationship, of: entity)
    }
    if !changes.removed.isEmpty {
      try transaction.removeLinks(relationship, of: entity, pairs: changes.removed)
    }
    if !changes.added.isEmpty {
      try transaction.prepareBulkLinks(relationship, of: entity, count: changes.added.count)
      if relationship.isOrdered {
        try transaction.addLinks(
          relationship, of: entity, pairs: changes.added, positions: changes.addedPositions,
          areNew: true)
      } else {
        var rest = changes.added[...]
        try transaction.addNewLinks(relationship, of: entity) { pairs in
          try control.checkpoint()
          pairs.append(contentsOf: rest.prefix(ChangeWriter.pairPortion))
          rest = rest.dropFirst(ChangeWriter.pairPortion)
        }
      }
    }
    if !changes.appended.isEmpty {
      try transaction.addLinks(relationship, of: entity, pairs: changes.appended)
    }
    if !changes.positions.isEmpty {
      try transaction.setPositions(relationship, of: entity, positions: changes.positions)
    }
  }
}
