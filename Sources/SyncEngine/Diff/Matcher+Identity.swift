import SyncCore

/// Which stored row, if any, an occurrence is.
extension Matcher {
  /// Decides the common case: nobody else in the payload has the key, and at most one stored row does.
  ///
  /// - Returns: False when others have to be asked.
  func decideAlone(_ occurrence: Int32, in batch: Batch) -> Bool {
    let mention = batch.occurrences[Int(occurrence)]
    if mention.flags.contains(.keyless) {
      decideByLink(occurrence, in: batch)
      return true
    }
    guard !mention.flags.contains(.shared) else { return false }
    if !batch.contested.isEmpty, batch.contested[occurrence] != nil { return false }
    guard mention.stored < 0 || isFree(mention.stored, of: batch) else { return false }
    if mention.stored >= 0, mention.isOwned,
      !isChild(mention.stored, of: mention, in: batch)
    {
      if keysAreOwners(mention) || isListedEarlier(mention.stored, mention, in: batch) {
        forget(occurrence, in: batch)
      } else {
        noteMoved(occurrence, in: batch)
      }
    }
    settle(occurrence, in: batch)
    return true
  }

  /// Takes the child of that key that the owner already has, or joins the occurrence that did.
  func takeOwnChild(_ occurrence: Int32, in batch: Batch) -> Bool {
    let mention = batch.occurrences[Int(occurrence)]
    guard mention.isOwned else { return false }
    let head = batch.index.find(identityOf: batch.block[Int(occurrence)])
    if let same = sibling(of: occurrence, from: head, in: batch) {
      join(occurrence, same, in: batch)
      return true
    }
    for index in storedRows(of: head, in: batch)
    where isChild(index, of: mention, in: batch) {
      let holder = batch.stored.occurrences[Int(index)]
      if holder < 0 {
        take(index, for: occurrence, in: batch)
        return true
      }
      if !batch.occurrences[Int(holder)].isOwned {
        join(occurrence, holder, in: batch)
        return true
      }
    }
    return false
  }

  /// Decides an occurrence of a key that several occurrences or several stored rows have.
  func decideAmongOthers(_ occurrence: Int32, in batch: Batch) {
    let mention = batch.occurrences[Int(occurrence)]
    let head = batch.index.find(identityOf: batch.block[Int(occurrence)])
    if mention.isOwned {
      if let same = sibling(of: occurrence, from: head, in: batch) {
        return join(occurrence, same, in: batch)
      }
      guard !keysAreOwners(mention) else {
        forget(occurrence, in: batch)
        return settle(occurrence, in: batch)
      }
      for index in storedRows(of: head, in: batch)
      where isFree(index, of: batch) && !isListedByItsOwner(index, mention, head, in: batch)
        && !isListedEarlier(index, mention, in: batch)
      {
        noteMoved(occurrence, in: batch)
        return take(index, for: occurrence, in: batch)
      }
      if let shared = reachedOccurrence(from: head, in: batch, isOwned: false) {
        return join(occurrence, shared, in: batch)
      }
    } else {
      if let member = reachedOccurrence(from: head, in: batch, isOwned: true) {
        return join(occurrence, member, in: batch)
      }
      if let index = storedRows(of: head, in: batch).first(where: { isFree($0, of: batch) }) {
        return take(index, for: occurrence, in: batch)
      }
    }
    forget(occurrence, in: batch)
    settle(occurrence, in: batch)
  }

  // MARK: - Steps

  /// An object that its key does not tell: the stored row it was said to be, or, under a to-one
  /// relationship, the one its owner is linked to.
  private func decideByLink(_ occurrence: Int32, in batch: Batch) {
    let mention = batch.occurrences[Int(occurrence)]
    defer { settle(occurrence, in: batch) }
    if mention.row > 0 {
      batch.occurrences[Int(occurrence)].stored = batch.stored.index(ofRow: mention.row) ?? -1
      batch.occurrences[Int(occurrence)].flags.insert(.uncompared)
    }
    guard mention.owner >= 0 else { return }
    let ownerBatch = batches[Int(mention.ownerBatch)]
    let owner = ownerBatch.occurrences[Int(ownerBatch.representative(mention.owner))]
    let slot = ownerBatch.node.relationships[Int(mention.ownerRule)].slot
    guard owner.stored >= 0, let column = ownerBatch.node.toOneSlots.firstIndex(of: slot) else {
      return
    }
    let row = ownerBatch.stored.references[column][Int(owner.stored)]
    guard row > 0, let index = batch.stored.index(ofRow: row), isFree(index, of: batch) else {
      return
    }
    batch.occurrences[Int(occurrence)].stored = index
    batch.occurrences[Int(occurrence)].flags.insert(.uncompared)
  }

  /// Another occurrence of the key in the list of the same owner, mentioned twice.
  private func sibling(of occurrence: Int32, from head: Int32, in batch: Batch) -> Int32? {
    let mention = batch.occurrences[Int(occurrence)]
    let owner = ownerRow(mention)
    var candidate = head
    while candidate >= 0 {
      let other = batch.occurrences[Int(candidate)]
      if candidate != occurrence, other.flags.contains(.decided), other.isOwned,
        other.ownerBatch == mention.ownerBatch, other.ownerRule == mention.ownerRule,
        ownerRow(other) == owner
      {
        return batch.representative(candidate)
      }
      candidate = other.next
    }
    return nil
  }

  /// An occurrence of the key that is already decided and that no owner has taken (or that one has).
  private func reachedOccurrence(from head: Int32, in batch: Batch, isOwned: Bool) -> Int32? {
    var candidate = head
    while candidate >= 0 {
      let other = batch.occurrences[Int(candidate)]
      if other.flags.contains(.decided), !other.flags.contains(.folded), other.isOwned == isOwned {
        return candidate
      }
      candidate = other.next
    }
    return nil
  }

  /// Stored rows of the key, in insertion order.
  private func storedRows(of head: Int32, in batch: Batch) -> [Int32] {
    if let rows = batch.contested[head] {
      return rows.sorted { batch.stored.rows[Int($0)] < batch.stored.rows[Int($1)] }
    }
    let index = batch.firstStored[head] ?? batch.occurrences[Int(head)].stored
    return index >= 0 ? [index] : []
  }

  private func isFree(_ index: Int32, of batch: Batch) -> Bool {
    batch.stored.occurrences[Int(index)] < 0
  }

  private func keysAreOwners(_ mention: Occurrence) -> Bool {
    batches[Int(mention.ownerBatch)].node.relationships[Int(mention.ownerRule)].keyScopeIsOwner
  }

  private func ownerRow(_ mention: Occurrence) -> Int64 {
    let batch = batches[Int(mention.ownerBatch)]
    return batch.occurrences[Int(batch.representative(mention.owner))].row
  }

  /// Whether a stored row belongs to the owner in whose list the occurrence stands.
  private func isChild(_ index: Int32, of mention: Occurrence, in batch: Batch) -> Bool {
    let owner = ownerRow(mention)
    return owner > 0 && storedOwner(index, mention, in: batch) == owner
  }

  private func storedOwner(_ index: Int32, _ mention: Occurrence, in batch: Batch) -> Int64 {
    let column = memberColumns[Int(mention.ownerBatch)][Int(mention.ownerRule)]
    return column >= 0 ? batch.stored.references[column][Int(index)] : 0
  }

  /// Whether an earlier part of the payload listed a stored row under its present owner.
  private func isListedEarlier(_ index: Int32, _ mention: Occurrence, in batch: Batch) -> Bool {
    let rule = batches[Int(mention.ownerBatch)].node.relationships[Int(mention.ownerRule)]
    return claims.isListed(batch.stored.rows[Int(index)], under: rule.relationship)
  }

  /// Whether the present owner of a stored row lists it in this payload too.
  private func isListedByItsOwner(
    _ index: Int32, _ mention: Occurrence, _ head: Int32, in batch: Batch
  ) -> Bool {
    let owner = storedOwner(index, mention, in: batch)
    guard owner > 0 else { return false }
    var candidate = head
    while candidate >= 0 {
      let other = batch.occurrences[Int(candidate)]
      if other.isOwned, other.ownerBatch == mention.ownerBatch,
        other.ownerRule == mention.ownerRule, ownerRow(other) == owner
      {
        return true
      }
      candidate = other.next
    }
    return false
  }

  // MARK: - Outcomes

  private func take(_ index: Int32, for occurrence: Int32, in batch: Batch) {
    if batch.occurrences[Int(occurrence)].stored != index
      || batch.occurrences[Int(occurrence)].flags.contains(.shared)
    {
      batch.occurrences[Int(occurrence)].stored = index
      batch.occurrences[Int(occurrence)].link = -1
      batch.occurrences[Int(occurrence)].flags.insert(.uncompared)
    }
    settle(occurrence, in: batch)
  }

  /// Takes back what was found when rows were read.
  private func forget(_ occurrence: Int32, in batch: Batch) {
    let head = batch.index.find(identityOf: batch.block[Int(occurrence)])
    if head == occurrence { batch.firstStored[head] = batch.occurrences[Int(occurrence)].stored }
    batch.occurrences[Int(occurrence)].stored = -1
    batch.occurrences[Int(occurrence)].link = -1
    batch.occurrences[Int(occurrence)].row = 0
  }

  private func join(_ occurrence: Int32, _ other: Int32, in batch: Batch) {
    let mention = batch.occurrences[Int(occurrence)]
    let result = batch.fold(occurrence, into: other)
    batch.occurrences[Int(occurrence)].flags.insert(.decided)
    if mention.isOwned, !batch.occurrences[Int(result)].isOwned {
      batch.occurrences[Int(result)].flags.insert(.owned)
      batch.occurrences[Int(result)].owner = mention.owner
      batch.occurrences[Int(result)].ownerBatch = mention.ownerBatch
      batch.occurrences[Int(result)].ownerRule = mention.ownerRule
    }
  }

  /// Fixes the identity of an occurrence and with it what the sync may do to its object.
  private func settle(_ occurrence: Int32, in batch: Batch) {
    var mention = batch.occurrences[Int(occurrence)]
    let isRoot = mention.flags.contains(.root)
    if mention.stored >= 0 {
      mention.row = batch.stored.rows[Int(mention.stored)]
      batch.stored.occurrences[Int(mention.stored)] = occurrence
      if operations.contains(isRoot ? .update : .updateRelationships) {
        mention.flags.insert(.active)
      }
    } else if operations.contains(isRoot ? .insert : .insertRelationships) {
      mention.row = 0
      mention.flags.formUnion([.inserted, .active])
    }
    mention.flags.insert(.decided)
    batch.occurrences[Int(occurrence)] = mention
  }

  private func noteMoved(_ occurrence: Int32, in batch: Batch) {
    let mention = batch.occurrences[Int(occurrence)]
    let head = batch.index.find(identityOf: batch.block[Int(occurrence)])
    guard let index = storedRows(of: head, in: batch).first,
      storedOwner(index, mention, in: batch) > 0
    else { return }
    let owners = batches[Int(mention.ownerBatch)]
    let key = batch.key(batch.block[Int(occurrence)]).description
    let owner = owners.key(owners.block[Int(owners.representative(mention.owner))]).description
    report.note(
      .movedObject, batch.entity,
      property: owners.node.relationships[Int(mention.ownerRule)].name, key: key,
      message: "\(batch.entity.name) \(key) moved to \(owners.entity.name) \(owner).")
  }

  /// The object under whose relationship an occurrence stands, if it stands under one.
  func owner(of occurrence: Occurrence) -> ManagedObjectID? {
    guard occurrence.owner >= 0 else { return nil }
    let owners = batches[Int(occurrence.ownerBatch)]
    let owner = owners.occurrences[Int(owners.representative(occurrence.owner))]
    guard owner.row > 0 else { return nil }
    return ManagedObjectID(entity: owners.entity(of: owner), row: owner.row)
  }
}
