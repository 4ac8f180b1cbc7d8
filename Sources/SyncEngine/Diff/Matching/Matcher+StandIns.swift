import SyncCore

/// What waits until everything has been seen: whether a stored object moves from an owner of whom the payload has said
/// nothing yet.
extension Matcher {
  /// Whether an object must not be taken for one of a list yet: its owner may list it in a part of the payload that is
  /// still to come, or who lists it is a stand-in.
  ///
  /// - Parameter index: The stored row of the object; nil for a new one.
  func hasToWait(_ occurrence: Int32, for index: Int32?, in batch: Batch) -> Bool {
    let mention = batch.occurrences[Int(occurrence)]
    guard claims.parts != nil, mention.isOwned else { return false }
    let isOthers = index.map { mayBeListedLater($0, mention, in: batch) } ?? false
    guard isOthers || isBelowStandIn(mention) || isPromised(occurrence, in: batch) else {
      return false
    }
    return mayBeMade(occurrence, in: batch)
  }

  /// Whether the owner of an occurrence stands in for another object, since this part of the payload or an earlier one.
  func isBelowStandIn(_ mention: Occurrence) -> Bool {
    let owners = batches[Int(mention.ownerBatch)]
    return isStandIn(mention.owner, in: owners)
      || claims.standIns.contains(ownerRow(mention), root: owners.entity.rootIndex)
  }

  private func mayBeListedLater(_ index: Int32, _ mention: Occurrence, in batch: Batch) -> Bool {
    guard hasMoreParts else { return false }
    let owner = owner(ofStored: index, mention, in: batch)
    return owner > 0 && !hasGivenList(owner, like: mention)
  }

  /// Makes an object that stands in for the stored one.
  func makeStandIn(_ occurrence: Int32, in batch: Batch) {
    forget(occurrence, in: batch)
    settle(occurrence, in: batch)
    batch.occurrences[Int(occurrence)].flags.insert(.disputed)
    standIns.append((batch.number, occurrence))
    standInSets[batch.number, default: []].insert(occurrence)
  }

  /// Whether an occurrence is a new object that stands in for another one, or stands below such.
  func isStandIn(_ occurrence: Int32, in batch: Batch) -> Bool {
    guard !standIns.isEmpty else { return false }
    var (occurrence, batch) = (occurrence, batch)
    // An object may stand below itself, but no deeper than the payload.
    for _ in 0...waveNumber + 1 where occurrence >= 0 {
      let object = batch.representative(occurrence)
      if standInSets[batch.number]?.contains(object) ?? false { return true }
      let mention = batch.occurrences[Int(object)]
      guard mention.flags.contains(.inserted), mention.owner >= 0,
        mention.isOwned != mention.flags.contains(.keyless)
      else { return false }
      (occurrence, batch) = (mention.owner, batches[Int(mention.ownerBatch)])
    }
    return false
  }

  /// Whether the payload has said whom an owner has in the list that an occurrence stands in.
  private func hasGivenList(_ owner: Int64, like mention: Occurrence) -> Bool {
    let owners = batches[Int(mention.ownerBatch)]
    let rule = Int(mention.ownerRule)
    let list = Claims.Relationship(owners.node.relationships[rule].relationship)
    // A given parent's list goes on in the parts to come.
    if let rootOwner, rootOwner.batch == owners.number, rootOwner.rule == rule,
      owners.occurrences[Int(rootOwner.owner)].row == owner
    {
      return false
    }
    if claims.parts?.hasSpoken(owner, of: list) ?? false { return true }
    let place = place(mention)
    if givenLists[place]?.wave != waveNumber {
      let mentions = owners.mentions[rule]
      let rows = mentions.owners.lazy.map { owners.occurrences[Int(owners.representative($0))] }
        .filter { $0.flags.contains(.active) }.map(\.row)
      givenLists[place] = (waveNumber, RowSet(rows))
    }
    return givenLists[place]?.owners.contains(owner) ?? false
  }

  /// Whether another owner's stand-in came first.
  private func isPromised(_ occurrence: Int32, in batch: Batch) -> Bool {
    guard !claims.standIns.isEmpty else { return false }
    let mention = batch.occurrences[Int(occurrence)]
    let rule = batches[Int(mention.ownerBatch)].node.relationships[Int(mention.ownerRule)]
    let list = Claims.Relationship(rule.relationship)
    let head = batch.index.find(identityOf: batch.block[Int(occurrence)])
    return storedRows(of: head, in: batch).contains {
      claims.standIns.contains(batch.stored.rows[Int($0)], atTopOf: list)
    }
  }

  /// Whether there may be a new object beside the stored one: the options let everything be written, it has what the model
  /// requires, and its key need not be unique.
  private func mayBeMade(_ occurrence: Int32, in batch: Batch) -> Bool {
    let mention = batch.occurrences[Int(occurrence)]
    let cells = batch.block[Int(occurrence)]
    let node = batch.node
    guard operations.isSuperset(of: SyncOperations.writing), !mention.flags.contains(.leftOut),
      !node.entity.isAbstract, mayRepeatKeys(node),
      edits?.deletedObject(cells, identity: node.identity, of: node.entity) == nil
    else { return false }
    for slot in node.required where cells[slot].isEmpty {
      let isDefaulted = cells[slot].isAbsent && node.defaults.contains { $0.slot == slot }
      if !isDefaulted { return false }
    }
    let list = batches[Int(mention.ownerBatch)].node.relationships[Int(mention.ownerRule)]
    return node.requiredToOne.allSatisfy { $0 == list.relationship.inverseSlot }
      && node.entity.relationships.allSatisfy { MemberCountCheck.Limits($0)?.mayBeEmpty ?? true }
  }

  private func mayRepeatKeys(_ node: PlanNode) -> Bool {
    let key = Set(node.identity.map { node.entity.properties[$0].name })
    return sequence(first: node.entity, next: \.superentity).allSatisfy {
      !$0.uniquenessConstraints.contains { key.isSuperset(of: $0) }
    }
  }
}
