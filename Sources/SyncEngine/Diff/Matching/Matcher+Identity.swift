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
    let family = batch.family(of: head)
    let place = place(mention)
    if let same = family.member(of: ownerRow(mention), in: place) {
      join(occurrence, batch.representative(same), in: batch)
      return true
    }
    for index in ownRows(mention, of: head, in: batch) {
      let holder = batch.stored.occurrences[Int(index)]
      if holder < 0 {
        take(index, for: occurrence, in: batch)
        return true
      }
      if family.mayJoin(holder, in: place) {
        join(occurrence, holder, in: batch)
        return true
      }
    }
    return false
  }

  /// Of several stored objects of a key, takes the one that the owner's to-one relationship leads to.
  func takeLinked(_ occurrence: Int32, in batch: Batch) -> Bool {
    let mention = batch.occurrences[Int(occurrence)]
    guard mention.owner >= 0, !mention.isOwned, !batch.contested.isEmpty else { return false }
    let head = batch.index.find(identityOf: batch.block[Int(occurrence)])
    guard batch.contested[head] != nil else { return false }
    let owners = batches[Int(mention.ownerBatch)]
    let owner = owners.occurrences[Int(owners.representative(mention.owner))]
    guard let index = linkedRow(of: owner, mention, in: batch) else { return false }
    _ = storedRows(of: head, in: batch)
    guard batch.family(of: head).holds(index) else { return false }
    let holder = batch.stored.occurrences[Int(index)]
    if holder >= 0 {
      join(occurrence, holder, in: batch)
    } else {
      take(index, for: occurrence, in: batch)
    }
    return true
  }

  /// Decides an occurrence of a key that several occurrences or several stored rows have.
  func decideAmongOthers(_ occurrence: Int32, in batch: Batch) {
    let mention = batch.occurrences[Int(occurrence)]
    let head = batch.index.find(identityOf: batch.block[Int(occurrence)])
    if let parent = placeholder(of: head, in: batch) {
      return join(occurrence, parent, in: batch)
    }
    let family = batch.family(of: head)
    if mention.isOwned {
      let place = place(mention)
      if let same = family.member(of: ownerRow(mention), in: place) {
        return join(occurrence, batch.representative(same), in: batch)
      }
      guard !keysAreOwners(mention) else {
        forget(occurrence, in: batch)
        return settle(occurrence, in: batch)
      }
      // What the payload mentions elsewhere comes before what is only stored.
      if let known = family.firstFree(in: place) {
        return join(occurrence, batch.representative(known), in: batch)
      }
      if let index = freeRow(mention, head, in: batch) {
        let holder = batch.stored.occurrences[Int(index)]
        if holder >= 0 { return join(occurrence, holder, in: batch) }
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

  /// The object that a key alone means, when somebody has it already: the first stored one, else the
  /// first new one.
  private func sharedObject(of head: Int32, in batch: Batch, isRoot: Bool) -> Int32? {
    if let known = batch.sharedObjects[head] { return batch.representative(known) }
    if let index = storedRows(of: head, in: batch, isRoot: isRoot).first {
      let holder = batch.stored.occurrences[Int(index)]
      return holder >= 0 ? holder : nil
    }
    return batch.family(of: head).firstObject.map { batch.representative($0) }
  }

  /// The given parent, when the payload mentions it among or below its own children.
  private func placeholder(of head: Int32, in batch: Batch) -> Int32? {
    guard let placeholder = batch.parentRow, storedRows(of: head, in: batch).contains(placeholder)
    else { return nil }
    let holder = batch.stored.occurrences[Int(placeholder)]
    return holder >= 0 && batch.occurrences[Int(holder)].flags.contains(.referenceOnly)
      ? holder : nil
  }

  /// Stored rows of the key, in insertion order.
  private func storedRows(
    of head: Int32, in batch: Batch, isRoot: Bool = false
  ) -> [Int32] {
    guard let rows = batch.contested[head] else {
      let index = batch.firstStored[head] ?? batch.occurrences[Int(head)].stored
      return index >= 0 ? [index] : []
    }
    // Keys are unique per concrete entity: an object of a subentity comes last.
    let sorted = batch.family(of: head).sorted(rows) { left, right in
      let isOwn = (isExact(left, in: batch), isExact(right, in: batch))
      if isOwn.0 != isOwn.1 { return isOwn.0 }
      return batch.stored.rows[Int(left)] < batch.stored.rows[Int(right)]
    }
    guard isRoot, !preferred.isEmpty else { return sorted }
    return sorted.filter { isPreferred($0, in: batch) }
      + sorted.filter { !isPreferred($0, in: batch) }
  }

  /// Stored rows of the key that belong to the owner in whose list the occurrence stands.
  private func ownRows(_ mention: Occurrence, of head: Int32, in batch: Batch) -> [Int32] {
    let owner = ownerRow(mention)
    guard owner > 0 else { return [] }
    let rows = storedRows(of: head, in: batch)
    guard rows.count > 1 else {
      return rows.filter { storedOwner($0, mention, in: batch) == owner }
    }
    return batch.family(of: head).rows(of: owner, in: place(mention), among: rows) {
      storedOwner($0, mention, in: batch)
    }
  }

  /// A stored row of the key that no mention of the key has yet, and that no other owner lists in this
  /// relationship.
  private func freeRow(_ mention: Occurrence, _ head: Int32, in batch: Batch) -> Int32? {
    let family = batch.family(of: head)
    let place = place(mention)
    return family.firstRow(in: place, among: storedRows(of: head, in: batch)) { index in
      family.isUnknown(batch.stored.occurrences[Int(index)])
        && !isListedEarlier(index, mention, in: batch)
        && !isListedByItsOwner(index, mention, head, in: batch)
    }
  }

  /// The list of whatever owner that an occurrence stands in.
  private func place(_ mention: Occurrence) -> KeyFamily.Place {
    KeyFamily.Place(batch: mention.ownerBatch, rule: mention.ownerRule)
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
    // The owners of a batch's own members are decided as it goes on: they have to be asked anew.
    let isSettled = Int(mention.ownerBatch) != batch.number
    return batch.family(of: head).owners(in: place(mention), asOf: isSettled ? waveNumber : nil) {
      var owners: Set<Int64> = []
      var candidate = head
      while candidate >= 0 {
        let other = batch.occurrences[Int(candidate)]
        if other.isOwned, place(other) == place(mention) { owners.insert(ownerRow(other)) }
        candidate = other.next
      }
      return owners
    }.contains(owner)
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
    noteFamily(occurrence, mention, like: other, in: batch)
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
    noteFamily(occurrence, mention, like: nil, in: batch)
  }

  /// Notes in whose list an object of a repeated key stands.
  private func noteFamily(
    _ occurrence: Int32, _ mention: Occurrence, like other: Int32?, in batch: Batch
  ) {
    guard !mention.flags.contains(.keyless) else { return }
    let isContested = !batch.contested.isEmpty && batch.contested[occurrence] != nil
    guard mention.flags.contains(.shared) || isContested else { return }
    let head = batch.index.find(identityOf: batch.block[Int(occurrence)])
    batch.family(of: head).note(
      occurrence, like: other, owner: mention.isOwned ? ownerRow(mention) : nil,
      in: place(mention))
  }

  private func noteMoved(_ occurrence: Int32, in batch: Batch) {
    let mention = batch.occurrences[Int(occurrence)]
    let head = batch.index.find(identityOf: batch.block[Int(occurrence)])
    guard let index = storedRows(of: head, in: batch).first,
      storedOwner(index, mention, in: batch) > 0
    else { return }
    batch.occurrences[Int(occurrence)].flags.insert(.disputed)
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
