import SyncCore
import SyncStore

/// Members of link tables.
extension ChangeWriter {
  /// Brings the members of link tables in step with the payload's lists: those of one owner after the
  /// other, as the stored pairs go by.
  func linkMembers(_ rule: Int, of batch: Batch, _ planner: LinkPlanner) throws {
    let relationship = batch.node.relationships[rule].relationship
    var wanted = try planner.memberLists(rule, of: batch)
    if let parent = planner.givenParent(rule, of: batch),
      planner.isContinued(rule, of: batch, owner: parent),
      let index = wanted.owners.firstIndex(where: { $0.row == parent })
    {
      try PairWriter(transaction: transaction, claims: claims, edits: edits)
        .link(wanted.members(of: index).map { (parent, $0) }, relationship, of: batch.entity)
      wanted.owners.remove(at: index)
    }
    guard !wanted.owners.isEmpty else { return }
    let firstNew = firstNewRows[batch.entity.rootIndex] ?? .max
    let mutual = try planner.pairsFromOtherSide(rule, of: batch)
    // The other side may have linked new objects already.
    let stored = wanted.owners.map(\.row).filter { $0 < firstNew || !mutual.isEmpty }
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
    var next = 0
    var current: [Int64] = []
    func finish(upTo row: Int64) throws {
      while next < wanted.owners.count, wanted.owners[next].row <= row {
        if next % SyncControl.stride == 0 { try control.checkpoint() }
        let owner = wanted.owners[next].row
        if let edits, edits.protects(relationship.slot, of: owner, batch.entity) {
          let isWithheld = changes.compareEdited(
            current, with: wanted.members(of: next), of: owner
          ) {
            edits.protectsPair(relationship, of: batch.entity, owner: owner, member: $0)
          }
          if isWithheld { edits.withhold([relationship.slot], of: owner, batch.entity) }
        } else {
          changes.compare(current, with: wanted, next)
        }
        current.removeAll(keepingCapacity: true)
        next += 1
      }
    }
    try transaction.scanLinks(of: relationship, in: batch.entity, owners: stored) { owner, member in
      if wanted.owners[next].row != owner { try finish(upTo: owner - 1) }
      current.append(member)
    }
    try finish(upTo: .max)
    try write(changes, relationship, of: batch.entity)
  }

  /// Writes the lists of owners that are all new, a portion at a time: nothing has to be compared with
  /// them.
  private func linkNew(
    _ lists: LinkPlanner.MemberLists, _ relationship: RelationshipDescription,
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
        let owner = lists.owners[next].row
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
    _ lists: LinkPlanner.MemberLists, _ relationship: RelationshipDescription,
    of entity: EntityDescription
  ) throws {
    var pairs: [(owner: Int64, member: Int64)] = []
    pairs.reserveCapacity(lists.members.count)
    for (index, owner) in lists.owners.enumerated() {
      for member in lists.members(of: index) { pairs.append((owner.row, member)) }
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
      try transaction.addLinks(
        relationship, of: entity, pairs: changes.added,
        positions: relationship.isOrdered ? changes.addedPositions : nil, areNew: true)
    }
    if !changes.appended.isEmpty {
      try transaction.addLinks(relationship, of: entity, pairs: changes.appended)
    }
    if !changes.positions.isEmpty {
      try transaction.setPositions(relationship, of: entity, positions: changes.positions)
    }
  }
}

/// What the lists of one relationship change.
struct MemberChanges {
  let isOrdered: Bool

  /// Pairs that the other side lists, so that they stay.
  let mutual: Set<LinkPlanner.Pair>

  /// Owners that keep whom they do not list.
  let keepers: Set<Int64>
  /// Whom every owner keeps.
  var keptMember: Int64 = 0
  /// Pairs that come without a place in the order.
  var appended: [(owner: Int64, member: Int64)] = []
  var added: [(owner: Int64, member: Int64)] = []
  var addedPositions: [Int64] = []
  var removed: [(owner: Int64, member: Int64)] = []
  var positions: [(owner: Int64, member: Int64, position: Int64)] = []
  private var sorted: [Int64] = []

  init(isOrdered: Bool, mutual: Set<LinkPlanner.Pair>, keepers: Set<Int64>) {
    self.isOrdered = isOrdered
    self.mutual = mutual
    self.keepers = keepers
  }

  func keeps(_ member: Int64, of owner: Int64) -> Bool {
    member == keptMember || keepers.contains(owner)
      || mutual.contains(LinkPlanner.Pair(owner: owner, member: member))
  }

  /// Compares the stored members of an owner, in order, with its list in the payload.
  mutating func compare(
    _ current: [Int64], with wanted: LinkPlanner.MemberLists, _ index: Int
  ) {
    let owner = wanted.owners[index].row
    let list = wanted.members(of: index)
    if isOrdered {
      if !current.elementsEqual(list) { compareOrdered(current, with: list, of: owner) }
      return
    }
    sorted.removeAll(keepingCapacity: true)
    sorted.append(contentsOf: list)
    sorted.sort()
    var position = 0
    for member in current {
      while position < sorted.count, sorted[position] < member {
        added.append((owner, sorted[position]))
        position += 1
      }
      if position < sorted.count, sorted[position] == member {
        position += 1
      } else if !keeps(member, of: owner) {
        removed.append((owner, member))
      }
    }
    for member in sorted[position...] { added.append((owner, member)) }
  }

  private mutating func compareOrdered(
    _ current: [Int64], with list: UnsafeBufferPointer<Int64>, of owner: Int64
  ) {
    let present = Set(current)
    let listed = Set(list)
    if list.allSatisfy(present.contains) {
      // Who stays beside the list stands behind it; when that is so already, nothing moves.
      let staying = current.filter { listed.contains($0) || keeps($0, of: owner) }
      let wanted = list + current.filter { !listed.contains($0) && keeps($0, of: owner) }
      for member in current where !listed.contains(member) && !keeps(member, of: owner) {
        removed.append((owner, member))
      }
      guard staying != wanted else { return }
      for (position, member) in wanted.enumerated() {
        positions.append((owner, member, Int64(position)))
      }
      return
    }
    var position: Int64 = 0
    for member in list {
      if present.contains(member) {
        positions.append((owner, member, position))
      } else {
        added.append((owner, member))
        addedPositions.append(position)
      }
      position += 1
    }
    for member in current where !listed.contains(member) {
      if keeps(member, of: owner) {
        positions.append((owner, member, position))
        position += 1
      } else {
        removed.append((owner, member))
      }
    }
  }
}
