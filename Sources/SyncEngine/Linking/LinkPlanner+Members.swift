import SyncCore
import SyncStore

/// One-to-many lists: members that join an owner, and members that are not listed any more.
extension LinkPlanner {
  func setMemberReferences(_ rule: Int, of batch: MatchedBatch) throws {
    let relationship = batch.node.relationships[rule]
    guard let inverse = relationship.relationship.inverseSlot else { return }
    let destination = batches[relationship.node]
    let mentions = batch.mentions[rule]
    guard mentions.count > 0 else { return }
    let column = references[destination.number].column(inverse)
    let deeper = destination.deeperBatches(among: batches)
    try activeMentions(rule, of: batch) { mention, owner in
      if mention % SyncControl.stride == 0 { try control.checkpoint() }
      let row = batch.matches[owner].row
      for (position, target) in mentions.targets(of: mention).enumerated() {
        guard
          let member = written(
            target, in: destination, deeper: deeper,
            isLinked: { isMember($0, of: row, rule, of: batch) })
        else {
          noteUnresolved(target, relationship, owner, batch, position: position)
          continue
        }
        if member.batch === destination {
          column[member.number] = row
        } else {
          references[member.batch.number].column(inverse)[member.number] = row
        }
        // A listed member does not wait for another owner any more.
        if claims.hasUnresolved {
          claims.drop(
            UnresolvedReference.Place(
              owner: references[member.batch.number].id(of: member.number), slot: inverse))
        }
      }
    }
  }

  /// Members that an owner's list does not mention: unlinked, or deleted when nothing else in the
  /// payload claims them and deleting is allowed.
  ///
  /// - Throws: `CancellationError`: the stored members of 100,000 owners take 30 ms.
  func releaseUnlisted(_ rule: Int, of batch: MatchedBatch) throws {
    let relationship = batch.node.relationships[rule]
    guard let inverse = relationship.relationship.inverseSlot else { return }
    let destination = batches[relationship.node]
    guard let owners = destination.destinations(of: inverse) else { return }
    let parent = givenParent(rule, of: batch)
    let suspended = suspendedOwners(rule, of: batch)
    let removed = removedMembers(rule, of: batch)
    var kinds = ListKinds(rule, of: batch, self)
    guard !kinds.isEmpty else { return }
    var unnamed: [Int] = []
    let scopeOwner = scopeOwner(relationship.relationship)
    let now = references[destination.number]
    let column = now.column(inverse)
    let deeper = destination.deeperBatches(among: batches)
    for index in 0..<destination.stored.count {
      if index % SyncControl.stride == 0 { try control.checkpoint() }
      let owner = owners[index]
      guard owner > 0, let kind = kinds.kind(ofListOf: owner) else { continue }
      // The deletion guard compares with the stored members of lists of objects.
      if kind == .objects, owner != scopeOwner { claims.state.memberCount += 1 }
      guard owner != parent || !endsParentList else { continue }
      let hasLeft =
        !removed.isEmpty
        && removed.contains(Pair(owner: owner, member: destination.stored.rows[index]))
      guard hasLeft || !suspended.contains(owner) else { continue }
      let occurrence = destination.stored.occurrences[index]
      let object = now.object(ofStored: Int32(index))
      if column[object] >= 0 { continue }
      if !deeper.isEmpty,
        let found = found(destination.stored.rows[index], in: deeper),
        references[found.batch.number][inverse, found.number] >= 0
      {
        continue
      }
      if hasLeft {
        column[object] = 0
        continue
      }
      let mayDelete = operations.contains(owner == parent ? .delete : .deleteRelationships)
      // A given parent is spoken of by the engine alone.
      let isInPayload =
        occurrence >= 0
        && !destination.matches[occurrence].traits.contains(.referenceOnly)
      if kind == .objects, isInPayload, mayDelete, !isNamed(occurrence, in: destination) {
        unnamed.append(index)
      } else if kind == .keys || (isInPayload && mayDelete) {
        column[object] = 0
      } else if mayDelete {
        claims.omit(
          Claims.UnlistedMember(
            row: destination.stored.rows[index], entity: destination.entity, slot: inverse,
            owner: owner))
      }
    }
    try release(unnamed, from: inverse, in: destination)
  }

  private func isNamed(_ occurrence: Int32, in batch: MatchedBatch) -> Bool {
    batch.keySlot < 0 || !batch.cells(occurrence)[batch.keySlot].isEmpty
  }

  /// Takes members out whose mention gives no key, as far as they have one: no list of objects can
  /// name those that have none, so that their absence says nothing.
  private func release(_ indexes: [Int], from inverse: Int, in destination: MatchedBatch) throws {
    guard !indexes.isEmpty else { return }
    let rows = indexes.map { destination.stored.rows[$0] }
    var keyed = Set<Int64>()
    try transaction.scan(destination.entity, .rows(rows), slots: [destination.keySlot]) { cursor in
      if !cursor.cell(destination.keySlot).isEmpty { keyed.insert(cursor.row) }
    }
    for index in indexes where keyed.contains(destination.stored.rows[index]) {
      let now = references[destination.number]
      now.column(inverse)[now.object(ofStored: Int32(index))] = 0
    }
  }

  /// The given parent, whose list the items of the payload are, when the rule is that list.
  func givenParent(_ rule: Int, of batch: MatchedBatch) -> Int64? {
    guard let rootOwner, rootOwner.batch == batch.number, rootOwner.rule == rule else { return nil }
    return batch.matches[batch.representative(rootOwner.owner)].row
  }

  /// Whether a list is that of a given parent of which earlier parts of the payload had some:
  /// members that leave it, and its order, are decided at the end.
  func isContinued(_ rule: Int, of batch: MatchedBatch, owner: Int64) -> Bool {
    owner == givenParent(rule, of: batch) && claims.state.partCount > 1
  }

  /// Owners of lists in which a key could not be read: the member of such a key is unknown.
  func suspendedOwners(_ rule: Int, of batch: MatchedBatch) -> Set<Int64> {
    var result = Set<Int64>()
    if claims.state.isRootSuspended, let parent = givenParent(rule, of: batch) {
      result.insert(parent)
    }
    for list in matches.part.unreadable.lists where list.batch == batch.number && list.rule == rule
    {
      // The list of an object that may not be written does not count.
      if batch.matches[list.owner].flags.contains(.ignored) { continue }
      result.insert(batch.matches[batch.representative(list.owner)].row)
    }
    return result
  }

  /// The members of which lists say that they have left them.
  func removedMembers(_ rule: Int, of batch: MatchedBatch) -> Set<Pair> {
    var result = Set<Pair>()
    let destination = batches[batch.node.relationships[rule].node]
    for (list, references) in matches.part.removed
    where list.batch == batch.number && list.rule == rule
      && !batch.matches[list.owner].flags.contains(.ignored)
    {
      let owner = batch.matches[batch.representative(list.owner)].row
      for reference in references {
        let member = row(
          of: ~reference, in: destination, isLinked: { isMember($0, of: owner, rule, of: batch) })
        if let member { result.insert(Pair(owner: owner, member: member)) }
      }
    }
    return result
  }

  /// Whether the payload describes a given parent with a list in which a key could not be read:
  /// then no child leaves the parent.
  var suspendsParent: Bool {
    guard let rootOwner else { return false }
    let batch = batches[rootOwner.batch]
    guard let parent = givenParent(rootOwner.rule, of: batch) else { return false }
    return suspendedOwners(rootOwner.rule, of: batch).contains(parent)
  }
}

extension LinkPlanner {
  /// The kind of list that each stored owner has in the payload. Asks are cheapest in the order of
  /// the owners.
  struct ListKinds {
    private let stored: StoredRows
    /// By index of the stored owner.
    private var kinds: [LinkMentions.Kind?]
    /// The one that was asked for last, -1 in the beginning.
    private var last = -1
    private(set) var isEmpty = true

    init(_ rule: Int, of batch: MatchedBatch, _ planner: LinkPlanner) {
      stored = batch.stored
      kinds = []
      let mentions = batch.mentions[rule]
      guard mentions.count > 0 else { return }
      kinds = Array(repeating: nil, count: stored.count)
      planner.activeMentions(rule, of: batch) { mention, owner in
        let index = batch.matches[owner].stored
        guard index >= 0, !batch.matches[owner].flags.contains(.inserted) else { return }
        kinds[Int(index)] = mentions.kinds[mention]
        isEmpty = false
      }
    }

    mutating func kind(ofListOf owner: Int64) -> LinkMentions.Kind? {
      if last >= 0, stored.rows[last] == owner { return kinds[last] }
      if last + 1 < kinds.count, stored.rows[last + 1] == owner {
        last += 1
        return kinds[last]
      }
      guard let index = stored.index(ofRow: owner) else { return nil }
      guard Int(index) < kinds.count else { return nil }
      last = Int(index)
      return kinds[last]
    }
  }

  /// The given parent whose list it is: its members are counted elsewhere, they are the scope.
  private func scopeOwner(_ list: RelationshipDescription) -> Int64? {
    guard let rootOwner else { return nil }
    let owners = batches[rootOwner.batch]
    let relationship = owners.node.relationships[rootOwner.rule].relationship
    guard Claims.Relationship(relationship) == Claims.Relationship(list) else { return nil }
    return givenParent(rootOwner.rule, of: owners)
  }
}
