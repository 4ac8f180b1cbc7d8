import SyncCore

/// One-to-many lists: who joins an owner, and who is not listed any more.
extension LinkPlanner {
  func setMemberReferences(_ rule: Int, of batch: Batch) {
    let relationship = batch.node.relationships[rule]
    guard let inverse = relationship.relationship.inverseSlot else { return }
    let destination = batches[relationship.node]
    let mentions = batch.mentions[rule]
    activeMentions(rule, of: batch) { mention, owner in
      let row = batch.occurrences[Int(owner)].row
      for target in mentions.targets(of: mention) {
        if let member = writable(
          target, in: destination, list: MemberList(owner: row, inverse: inverse))
        {
          destination.block[Int(member)][inverse] = .integer(row)
        } else {
          noteUnresolved(target, relationship, owner, batch)
        }
      }
    }
  }

  /// Members that an owner's list does not mention: unlinked, or deleted when nobody else in the
  /// payload claims them and deleting is allowed.
  func releaseUnlisted(_ rule: Int, of batch: Batch) {
    let relationship = batch.node.relationships[rule]
    guard let inverse = relationship.relationship.inverseSlot else { return }
    let destination = batches[relationship.node]
    guard let column = destination.node.toOneSlots.firstIndex(of: inverse) else { return }
    let parent = givenParent(rule, of: batch)
    let suspended = suspendedOwners(rule, of: batch)
    let kinds = listKinds(rule, of: batch)
    guard kinds.contains(where: { $0 != nil }) else { return }
    let references = destination.stored.references[column]
    let own = batch.entity.inverse(of: relationship.relationship).map(Claims.Relationship.init)
    let parts = claims.parts
    for index in 0..<destination.stored.count {
      let owner = references[index]
      guard owner > 0 else { continue }
      let occurrence = destination.stored.occurrences[index]
      // One that said in an earlier part where it belongs is not taken out either.
      if let own, let parts,
        parts.hasSpoken(destination.stored.rows[index], of: own),
        occurrence < 0 || destination.block[Int(occurrence)][inverse].isAbsent
      {
        continue
      }
      if occurrence >= 0, !destination.block[Int(occurrence)][inverse].isAbsent {
        if destination.block[Int(occurrence)][inverse].integer == owner { claims.memberCount += 1 }
        continue
      }
      guard let kind = kind(ofListOf: owner, in: batch, kinds) else { continue }
      if owner == parent, let parts,
        parts.isNamed(destination.stored.rows[index], in: .init(relationship.relationship))
      {
        continue
      }
      if kind == .objects { claims.memberCount += 1 }
      if suspended.contains(owner) { continue }
      let mayDelete = operations.contains(owner == parent ? .delete : .deleteRelationships)
      // One that only the engine speaks of, to write a reference of it, is not in the payload.
      let isInPayload =
        occurrence >= 0
        && !destination.occurrences[Int(occurrence)].flags.contains(.referenceOnly)
      if kind == .keys || (isInPayload && mayDelete) {
        let member = destination.occurrence(ofStored: Int32(index))
        destination.block[Int(member)][inverse] = .null
      } else if mayDelete {
        claims.append(
          Claims.UnlistedMember(
            row: destination.stored.rows[index], entity: destination.entity, slot: inverse,
            owner: owner))
      }
    }
  }

  /// What kind of list each stored owner has in the payload, by occurrence.
  private func listKinds(_ rule: Int, of batch: Batch) -> [LinkMentions.Kind?] {
    var kinds = [LinkMentions.Kind?](repeating: nil, count: batch.occurrences.count)
    let mentions = batch.mentions[rule]
    activeMentions(rule, of: batch) { mention, owner in
      guard !batch.occurrences[Int(owner)].flags.contains(.inserted) else { return }
      kinds[Int(owner)] = mentions.kinds[mention]
    }
    return kinds
  }

  private func kind(
    ofListOf owner: Int64, in batch: Batch, _ kinds: [LinkMentions.Kind?]
  ) -> LinkMentions.Kind? {
    guard let index = batch.stored.index(ofRow: owner) else { return nil }
    let occurrence = batch.stored.occurrences[Int(index)]
    return occurrence >= 0 && Int(occurrence) < kinds.count ? kinds[Int(occurrence)] : nil
  }

  /// The given parent, whose list the items of the payload are, when the rule is that list.
  func givenParent(_ rule: Int, of batch: Batch) -> Int64? {
    guard let rootOwner, rootOwner.batch == batch.number, rootOwner.rule == rule else { return nil }
    return batch.occurrences[Int(batch.representative(rootOwner.owner))].row
  }

  /// Owners of lists in which a key could not be read: nobody can tell which member was meant.
  func suspendedOwners(_ rule: Int, of batch: Batch) -> Set<Int64> {
    var result = Set<Int64>()
    if claims.isRootSuspended, let parent = givenParent(rule, of: batch) { result.insert(parent) }
    for list in unreadableLists where list.batch == batch.number && list.rule == rule {
      result.insert(batch.occurrences[Int(batch.representative(list.owner))].row)
    }
    return result
  }
}
