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
    if mention.stored >= 0, mention.isOwned {
      let isChild = isChild(mention.stored, of: mention, in: batch)
      if isListedEarlier(mention.stored, mention, in: batch) || (!isChild && keysAreOwners(mention))
      {
        forget(occurrence, in: batch)
      } else if !isChild {
        if hasToWait(occurrence, for: mention.stored, in: batch) {
          makeStandIn(occurrence, in: batch)
          return true
        }
        noteMoved(occurrence, in: batch)
      }
    }
    settleAmongRelatives(occurrence, in: batch)
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
    guard let rows = batch.contested[head] else { return false }
    let owners = batches[Int(mention.ownerBatch)]
    let owner = owners.occurrences[Int(owners.representative(mention.owner))]
    let row = linkedRow(of: owner, Int(mention.ownerRule), in: owners)
    guard row > 0, let index = batch.stored.index(ofRow: row),
      batch.family(of: head).holds(index, among: rows)
    else { return false }
    share(index, with: occurrence, in: batch)
    return true
  }

  /// Of several stored objects of a key, takes the one that the owner's many-to-many list has already.
  func takeMember(_ occurrence: Int32, in batch: Batch) -> Bool {
    let mention = batch.occurrences[Int(occurrence)]
    guard !sharedMembers.isEmpty, mention.owner >= 0, !mention.isOwned, !batch.contested.isEmpty
    else { return false }
    let head = batch.index.find(identityOf: batch.block[Int(occurrence)])
    guard batch.contested[head] != nil,
      let members = sharedMembers[place(mention)]?[ownerRow(mention)],
      let index = storedRows(of: head, in: batch).first(where: {
        members.contains(batch.stored.rows[Int($0)])
      })
    else { return false }
    share(index, with: occurrence, in: batch)
    return true
  }

  /// Takes a stored row, or joins the occurrence that has it already.
  private func share(_ index: Int32, with occurrence: Int32, in batch: Batch) {
    let holder = batch.stored.occurrences[Int(index)]
    if holder >= 0 {
      join(occurrence, holder, in: batch)
    } else {
      take(index, for: occurrence, in: batch)
    }
  }

  /// Decides an occurrence of a key that several occurrences or several stored rows have.
  func decideAmongOthers(_ occurrence: Int32, in batch: Batch) {
    let mention = batch.occurrences[Int(occurrence)]
    let head = batch.index.find(identityOf: batch.block[Int(occurrence)])
    if let parent = placeholder(of: head, in: batch) {
      return hasToWait(occurrence, for: batch.parentRow, in: batch)
        ? makeStandIn(occurrence, in: batch) : join(occurrence, parent, in: batch)
    }
    let family = batch.family(of: head)
    if mention.isOwned {
      if let same = family.member(of: ownerRow(mention), in: place(mention)) {
        return join(occurrence, batch.representative(same), in: batch)
      }
      guard !keysAreOwners(mention) else {
        forget(occurrence, in: batch)
        return settle(occurrence, in: batch)
      }
      if let found = freeObject(mention, head, in: batch) {
        return hasToWait(occurrence, for: found.stored(in: batch), in: batch)
          ? makeStandIn(occurrence, in: batch) : take(found, for: occurrence, in: batch)
      }
      if let unmade = family.firstUnmade(in: place(mention)) {
        return join(occurrence, batch.representative(unmade), in: batch)
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
    settleAmongRelatives(occurrence, in: batch)
  }

  private func takeFree(_ index: Int32, for occurrence: Int32, in batch: Batch) {
    let holder = batch.stored.occurrences[Int(index)]
    if holder >= 0 { return join(occurrence, holder, in: batch) }
    noteMoved(occurrence, in: batch)
    take(index, for: occurrence, in: batch)
  }

  /// An object that is no owner's: a stored one, or one that this part of the payload mentions elsewhere.
  private enum Found {
    case stored(Int32, isExact: Bool)
    case occurrence(Int32, isExact: Bool)

    var isExact: Bool {
      switch self {
      case .stored(_, let isExact), .occurrence(_, let isExact): isExact
      }
    }

    /// The stored row, if there is one.
    func stored(in batch: Batch) -> Int32? {
      switch self {
      case .stored(let index, _): return index
      case .occurrence(let occurrence, _):
        let index = batch.occurrences[Int(batch.representative(occurrence))].stored
        return index >= 0 ? index : nil
      }
    }
  }

  /// The object of a key that comes first of those that are free: what the payload mentions elsewhere comes before
  /// what is only stored. Keys are unique per concrete entity: an object of a subentity comes last.
  private func freeObject(_ mention: Occurrence, _ head: Int32, in batch: Batch) -> Found? {
    let mentioned = mentionedObject(mention, head, in: batch)
    if let mentioned, mentioned.isExact { return mentioned }
    let free = freeRow(mention, head, in: batch).map {
      Found.stored($0, isExact: isExact($0, in: batch))
    }
    if let free, free.isExact { return free }
    return mentioned ?? free
  }

  /// The oldest object of a key that the payload mentions elsewhere and that is free.
  private func mentionedObject(
    _ mention: Occurrence, _ head: Int32, in batch: Batch
  ) -> Found? {
    let earlier = claims.parts == nil ? nil : mentionedRow(mention, head, in: batch)
    let known = batch.family(of: head).firstFree(in: place(mention)) { known in
      let stored = batch.occurrences[Int(batch.representative(known))].stored
      guard !isStandIn(known, in: batch) else { return false }
      return stored < 0
        || !(isListedEarlier(stored, mention, in: batch)
          || isListedByItsOwner(stored, mention, head, in: batch))
    }.map(batch.representative)
    if let known, let age = age(of: known, in: batch),
      earlier.map({ age < self.age(ofStored: $0, in: batch) }) ?? true
    {
      let stored = batch.occurrences[Int(known)].stored
      return .occurrence(known, isExact: stored < 0 || isExact(stored, in: batch))
    }
    return earlier.map { .stored($0, isExact: isExact($0, in: batch)) }
  }

  private func take(_ found: Found, for occurrence: Int32, in batch: Batch) {
    switch found {
    case .stored(let index, _): takeFree(index, for: occurrence, in: batch)
    case .occurrence(let other, _): join(occurrence, other, in: batch)
    }
  }
}
