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
    if let parent = placeholder(of: head, in: batch) {
      return join(occurrence, parent, in: batch)
    }
    if mention.isOwned {
      if let same = sibling(of: occurrence, from: head, in: batch) {
        return join(occurrence, same, in: batch)
      }
      guard !keysAreOwners(mention) else {
        forget(occurrence, in: batch)
        return settle(occurrence, in: batch)
      }
      if let shared = reachedOccurrence(from: head, in: batch, isOwned: false) {
        return join(occurrence, shared, in: batch)
      }
      for index in storedRows(of: head, in: batch)
      where !isListedByItsOwner(index, mention, head, in: batch)
        && !isListedEarlier(index, mention, in: batch)
      {
        let holder = batch.stored.occurrences[Int(index)]
        if holder >= 0 {
          if batch.occurrences[Int(holder)].isOwned { continue }
          return join(occurrence, holder, in: batch)
        }
        noteMoved(occurrence, in: batch)
        return take(index, for: occurrence, in: batch)
      }
    } else {
      let isRoot = mention.flags.contains(.root)
      if let same = sharedObject(of: head, in: batch, isRoot: isRoot) {
        join(occurrence, same, in: batch)
        batch.sharedObjects[head] = batch.representative(occurrence)
        return
      }
      batch.sharedObjects[head] = occurrence
      if let index = storedRows(of: head, in: batch, isRoot: isRoot).first {
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
    if mention.row > 0 {
      batch.occurrences[Int(occurrence)].stored = batch.stored.index(ofRow: mention.row) ?? -1
      batch.occurrences[Int(occurrence)].flags.insert(.uncompared)
      return settle(occurrence, in: batch)
    }
    guard mention.owner >= 0 else { return settle(occurrence, in: batch) }
    let ownerBatch = batches[Int(mention.ownerBatch)]
    let owner = ownerBatch.representative(mention.owner)
    let place = ListKey(batch: ownerBatch.number, owner: owner, rule: Int(mention.ownerRule))
    if let earlier = keyless[place] {
      return join(occurrence, batch.representative(earlier), in: batch)
    }
    keyless[place] = occurrence
    guard let index = linkedRow(of: ownerBatch.occurrences[Int(owner)], mention, in: batch) else {
      return settle(occurrence, in: batch)
    }
    let holder = batch.stored.occurrences[Int(index)]
    if holder >= 0 { return join(occurrence, holder, in: batch) }
    batch.occurrences[Int(occurrence)].stored = index
    batch.occurrences[Int(occurrence)].flags.insert(.uncompared)
    settle(occurrence, in: batch)
  }

  /// The stored object that an owner is linked to.
  private func linkedRow(of owner: Occurrence, _ mention: Occurrence, in batch: Batch) -> Int32? {
    let owners = batches[Int(mention.ownerBatch)]
    let slot = owners.node.relationships[Int(mention.ownerRule)].slot
    guard owner.stored >= 0, let column = owners.node.toOneSlots.firstIndex(of: slot) else {
      return nil
    }
    let row = owners.stored.references[column][Int(owner.stored)]
    return row > 0 ? batch.stored.index(ofRow: row) : nil
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

  /// The object that a key alone means, when somebody has it already: the first stored one, else the
  /// first new one.
  private func sharedObject(of head: Int32, in batch: Batch, isRoot: Bool) -> Int32? {
    if let known = batch.sharedObjects[head] { return batch.representative(known) }
    if let index = storedRows(of: head, in: batch, isRoot: isRoot).first {
      let holder = batch.stored.occurrences[Int(index)]
      return holder >= 0 ? holder : nil
    }
    return reachedOccurrence(from: head, in: batch, isOwned: true)
  }

  /// An occurrence of the key that is already decided and that no owner has taken (or that one has).
  private func reachedOccurrence(from head: Int32, in batch: Batch, isOwned: Bool) -> Int32? {
    var candidate = head
    var first: Int32?
    while candidate >= 0 {
      let other = batch.occurrences[Int(candidate)]
      if other.flags.contains(.decided) {
        let result = batch.representative(candidate)
        if batch.occurrences[Int(result)].isOwned == isOwned {
          first = min(first ?? result, result)
        }
      }
      candidate = other.next
    }
    return first
  }

  /// The given parent, when the payload mentions it among or below its own children.
  private func placeholder(of head: Int32, in batch: Batch) -> Int32? {
    for index in storedRows(of: head, in: batch) {
      let holder = batch.stored.occurrences[Int(index)]
      if holder >= 0, batch.occurrences[Int(holder)].flags.contains(.referenceOnly) {
        return holder
      }
    }
    return nil
  }

  /// Stored rows of the key, in insertion order.
  private func storedRows(
    of head: Int32, in batch: Batch, isRoot: Bool = false
  ) -> [Int32] {
    if let rows = batch.contested[head] {
      // Keys are unique per concrete entity: an object of a subentity comes last.
      return rows.sorted { left, right in
        if isRoot, !preferred.isEmpty {
          let isInside = (isPreferred(left, in: batch), isPreferred(right, in: batch))
          if isInside.0 != isInside.1 { return isInside.0 }
        }
        let isOwn = (isExact(left, in: batch), isExact(right, in: batch))
        if isOwn.0 != isOwn.1 { return isOwn.0 }
        return batch.stored.rows[Int(left)] < batch.stored.rows[Int(right)]
      }
    }
    let index = batch.firstStored[head] ?? batch.occurrences[Int(head)].stored
    return index >= 0 ? [index] : []
  }

  private func isPreferred(_ index: Int32, in batch: Batch) -> Bool {
    preferred.contains(batch.stored.rows[Int(index)])
  }

  private func isExact(_ index: Int32, in batch: Batch) -> Bool {
    batch.stored.entities.isEmpty
      || Int(batch.stored.entities[Int(index)]) == batch.entity.index
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
    let isStored = batch.occurrences[Int(other)].stored >= 0
    let isActive =
      isAllowed(mention, isStored: isStored)
      && (isStored || !wasDeleted(occurrence, in: batch))
    // What may not write the object says nothing; what may does not need the other's permission.
    if !isActive { batch.occurrences[Int(occurrence)].flags.insert(.muted) }
    if !batch.occurrences[Int(other)].flags.contains(.active) {
      batch.occurrences[Int(other)].flags.insert(.muted)
    }
    let result = batch.fold(occurrence, into: other)
    batch.occurrences[Int(occurrence)].flags.insert(.decided)
    batch.occurrences[Int(result)].flags.remove(.referenceOnly)
    if isActive, !batch.occurrences[Int(result)].flags.contains(.active) {
      batch.occurrences[Int(result)].flags.insert(.active)
      if batch.occurrences[Int(result)].stored < 0 {
        batch.occurrences[Int(result)].flags.insert(.inserted)
      }
    }
    if mention.isOwned, !batch.occurrences[Int(result)].isOwned {
      batch.occurrences[Int(result)].flags.insert(.owned)
      batch.occurrences[Int(result)].owner = mention.owner
      batch.occurrences[Int(result)].ownerBatch = mention.ownerBatch
      batch.occurrences[Int(result)].ownerRule = mention.ownerRule
    }
  }

  /// Whether the options let the place of a mention write its object.
  private func isAllowed(_ mention: Occurrence, isStored: Bool) -> Bool {
    if mention.flags.contains(.leftOut) { return false }
    return switch (mention.flags.contains(.root), isStored) {
    case (true, true): operations.contains(.update)
    case (true, false): operations.contains(.insert)
    case (false, true): operations.contains(.updateRelationships)
    case (false, false): operations.contains(.insertRelationships)
    }
  }

  /// Whether the object was deleted here and must not be brought back.
  private func wasDeleted(_ occurrence: Int32, in batch: Batch) -> Bool {
    guard let edits, !batch.occurrences[Int(occurrence)].flags.contains(.keyless),
      let id = edits.deletedObject(
        batch.block[Int(occurrence)], identity: batch.node.identity, of: batch.entity)
    else { return false }
    edits.withholdInsertion(of: id)
    return true
  }

  /// Fixes the identity of an occurrence and with it what the sync may do to its object.
  private func settle(_ occurrence: Int32, in batch: Batch) {
    var mention = batch.occurrences[Int(occurrence)]
    let isStored = mention.stored >= 0
    let isAllowed =
      isAllowed(mention, isStored: isStored) && (isStored || !wasDeleted(occurrence, in: batch))
    if isStored {
      mention.row = batch.stored.rows[Int(mention.stored)]
      batch.stored.occurrences[Int(mention.stored)] = occurrence
      if isAllowed { mention.flags.insert(.active) }
    } else if isAllowed {
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
    let rule = owners.node.relationships[Int(mention.ownerRule)].relationship
    if let edits, let inverse = rule.inverseSlot,
      edits.protects(inverse, of: batch.stored.rows[Int(index)], batch.entity)
    {
      return
    }
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
