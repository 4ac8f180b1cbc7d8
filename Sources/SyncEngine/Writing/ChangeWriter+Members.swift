import SyncCore
import SyncStore

/// Members of link tables.
extension ChangeWriter {
  /// Brings the members of link tables in step with the payload's lists: those of one owner after
  /// the other, as the stored pairs go by.
  func linkMembers(_ rule: Int, of batch: MatchedBatch) throws {
    let relationship = batch.node.relationships[rule].relationship
    var wanted = try planner.memberLists(rule, of: batch, notesMissing: true)
    if let parent = planner.givenParent(rule, of: batch),
      planner.isContinued(rule, of: batch, owner: parent),
      let index = wanted.owners.firstIndex(of: parent)
    {
      try MemberPairWriter(transaction: transaction, edits: edits)
        .link(wanted.members(of: index).map { (parent, $0) }, relationship, of: batch.entity)
      wanted.remove(at: index)
    }
    guard !wanted.owners.isEmpty else { return }
    let firstNew = planner.matches.firstNewRows[batch.entity.rootIndex] ?? .max
    let fromOtherSide = try planner.pairsFromOtherSide(rule, of: batch)
    // The other side may have linked new objects already.
    let count = wanted.owners.count
    let storedCount = fromOtherSide.isEmpty ? wanted.ownerCount(before: firstNew) : count
    if storedCount == 0, !relationship.isOrdered {
      return try linkNew(wanted, relationship, of: batch.entity)
    }
    var keeping = planner.suspendedOwners(rule, of: batch)
    // A parent's members are the scope of its sync: without deleting no member leaves it.
    if !planner.operations.contains(.delete) || planner.isPartOfList,
      let parent = planner.givenParent(rule, of: batch)
    {
      keeping.insert(parent)
    }
    var changes = MemberChanges(
      isOrdered: relationship.isOrdered, fromOtherSide: fromOtherSide, keeping: keeping,
      leaving: planner.removedMembers(rule, of: batch))
    if let kept = planner.keptMember, kept.relationship == Claims.Relationship(relationship) {
      changes.keptMember = kept.row
    }
    // Lists of new owners are new.
    let compared = relationship.isOrdered ? count : storedCount
    let different = try differences(
      wanted, relationship, of: batch.entity, count: compared, storedCount: storedCount)
    for (number, list) in different.owners.enumerated() {
      if number % SyncControl.stride == 0 { try control.checkpoint() }
      let index = Int(list)
      let owner = wanted.owners[index]
      let current = Array(different.members(of: number))
      let list = wanted.members(of: index)
      guard let edits, isEdited(current, list, relationship, batch.entity, owner) else {
        changes.compare(current, with: list, of: owner)
        continue
      }
      let isWithheld = changes.compareEdited(current, with: list, of: owner) {
        edits.protectsLink(
          relationship, of: batch.entity, owner: owner, member: $0, isThere: $1)
      }
      guard isWithheld else { continue }
      edits.withhold([relationship.slot], of: owner, batch.entity)
      try transaction.keepServerList(
        relationship, of: ManagedObjectID(entity: batch.entity, row: owner), is: Array(list),
        insteadOf: current)
    }
    let destination = planner.batches[batch.node.relationships[rule].node]
    if batch.node.relationships[rule].ownsKeyless, destination.isKeyless(among: planner.batches),
      planner.operations.contains(.deleteRelationships)
    {
      planner.claims.state.memberCount += changes.removed.count
      planner.claims.update(.nested(destination.entity.index)) { rows in
        for pair in changes.removed { rows.insert(pair.member) }
      }
    }
    try write(changes, NewPairs(wanted, from: compared), relationship, of: batch.entity)
  }

  /// Whether a list, or a link that a payload would make or take away, was edited here.
  private func isEdited(
    _ current: [Int64], _ list: UnsafeBufferPointer<Int64>,
    _ relationship: RelationshipDescription, _ entity: EntityDescription, _ owner: Int64
  ) -> Bool {
    guard let edits else { return false }
    if edits.protects(relationship.slot, of: owner, entity) { return true }
    guard edits.areMembersEdited(relationship, of: entity) else { return false }
    let (present, listed) = (Set(current), Set(list))
    return present.symmetricDifference(listed).contains {
      edits.protectsLink(
        relationship, of: entity, owner: owner, member: $0, isThere: present.contains($0))
    }
  }

  /// The stored members of lists that differ from the payload, by the index of the list.
  ///
  /// - Parameters:
  ///   - count: How many of the lists are compared.
  ///   - storedCount: How many of their owners are stored; they come first.
  private func differences(
    _ wanted: MemberLists, _ relationship: RelationshipDescription, of entity: EntityDescription,
    count: Int, storedCount: Int
  ) throws -> MemberLists {
    var comparison = ListComparison(wanted, count: count)
    var linkCount = 0
    try transaction.scanLinks(
      of: relationship, in: entity, owners: wanted.owners[..<storedCount]
    ) { owner, member in
      linkCount += 1
      if linkCount % SyncControl.stride == 0 { try control.checkpoint() }
      comparison.see(member, of: owner)
    }
    return comparison.finish()
  }

  /// Writes the lists of owners that are all new: nothing has to be compared with them.
  private func linkNew(
    _ lists: MemberLists, _ relationship: RelationshipDescription,
    of entity: EntityDescription
  ) throws {
    guard !lists.members.isEmpty else { return }
    try add([], NewPairs(lists, from: 0), relationship, of: entity)
  }

  /// Writes pairs of which none exists, a portion at a time: ascending, and those of new owners
  /// after the others.
  private func add(
    _ pairs: [(owner: Int64, member: Int64)], _ new: NewPairs,
    _ relationship: RelationshipDescription, of entity: EntityDescription
  ) throws {
    guard !pairs.isEmpty || new.count > 0 else { return }
    try transaction.prepareBulkLinks(relationship, of: entity, count: pairs.count + new.count)
    var rest = pairs[...]
    var new = new
    try transaction.addNewLinks(relationship, of: entity) { portion in
      try control.checkpoint()
      portion.append(contentsOf: rest.prefix(ChangeWriter.pairPortion))
      rest = rest.dropFirst(ChangeWriter.pairPortion)
      if rest.isEmpty { new.take(into: &portion, upTo: ChangeWriter.pairPortion) }
    }
  }

  /// Pairs between two checkpoints.
  private static let pairPortion = 4096

  private func write(
    _ changes: MemberChanges, _ new: NewPairs, _ relationship: RelationshipDescription,
    of entity: EntityDescription
  ) throws {
    try transaction.removeLinks(relationship, of: entity, pairs: changes.removed)
    if !relationship.isOrdered {
      try add(changes.added, new, relationship, of: entity)
    } else if !changes.added.isEmpty {
      try transaction.prepareBulkLinks(relationship, of: entity, count: changes.added.count)
      try transaction.addLinks(
        relationship, of: entity, pairs: changes.added, positions: changes.addedPositions,
        areNew: true)
    }
    try transaction.addLinks(relationship, of: entity, pairs: changes.appended)
    try transaction.setPositions(relationship, of: entity, positions: changes.positions)
  }
}

/// The pairs of the last of some lists, whose owners are new, ascending.
private struct NewPairs {
  private let lists: MemberLists
  private var next: Int

  /// How many pairs there are.
  let count: Int

  init(_ lists: MemberLists, from index: Int) {
    self.lists = lists
    next = index
    count = lists.memberCount(from: index)
  }

  /// Appends the pairs of the next owners, until a portion is full.
  mutating func take(into portion: inout [(owner: Int64, member: Int64)], upTo limit: Int) {
    while next < lists.owners.count, portion.count < limit {
      let owner = lists.owners[next]
      for member in lists.members(of: next) { portion.append((owner, member)) }
      next += 1
    }
  }
}

/// Links and unlinks pairs of a many-to-many relationship one by one, where no list is compared
/// with stored members.
struct MemberPairWriter {
  typealias Pair = (owner: Int64, member: Int64)

  let transaction: StoreTransaction

  /// The edits that the sync has to leave alone; nil when there are none.
  let edits: UnsentEdits?

  /// Links those that are not linked yet.
  func link(
    _ pairs: [Pair], _ relationship: RelationshipDescription, of entity: EntityDescription
  ) throws {
    let missing = try transaction.missingLinks(relationship, of: entity, among: pairs)
    try transaction.addLinks(
      relationship, of: entity,
      pairs: withoutEdited(missing, relationship, of: entity, areThere: false), areNew: true)
  }

  func unlink(
    _ pairs: [Pair], _ relationship: RelationshipDescription, of entity: EntityDescription
  ) throws {
    try transaction.removeLinks(
      relationship, of: entity,
      pairs: withoutEdited(pairs, relationship, of: entity, areThere: true))
  }

  /// Leaves out pairs that were edited here.
  private func withoutEdited(
    _ pairs: [Pair], _ relationship: RelationshipDescription, of entity: EntityDescription,
    areThere: Bool
  ) -> [Pair] {
    var pairs = pairs
    if let edits {
      pairs.removeAll { pair in
        guard
          edits.protectsLink(
            relationship, of: entity, owner: pair.owner, member: pair.member, isThere: areThere)
        else { return false }
        edits.withhold([relationship.slot], of: pair.owner, entity)
        return true
      }
    }
    return pairs
  }
}
