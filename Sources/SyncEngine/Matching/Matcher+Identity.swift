import SyncCore

/// Which stored row, if any, an occurrence is.
///
/// A nested one-to-many child is the owner's own child of that key; else the entity's only object
/// of that key, unless another owner has listed it before in this payload or session: then it
/// moves; else a new object. Where keys are unique per owner only (`sync.keyScope`) it never moves.
extension Matcher {
  /// Decides the common case: no other mention in the payload has the key, and at most one stored
  /// row does.
  ///
  /// - Returns: False when others have to be asked.
  func decideAlone(_ occurrence: Int32, in batch: MatchedBatch) -> Bool {
    let match = batch.matches[occurrence]
    if match.traits.contains(.keyless) {
      decideByLink(occurrence, in: batch)
      return true
    }
    guard !match.traits.contains(.shared) else { return false }
    if !batch.contested.isEmpty, batch.contested[occurrence] != nil { return false }
    guard match.stored < 0 || isFree(match.stored, of: batch) else { return false }
    if match.stored >= 0, match.isOwned, !isChild(match.stored, of: match, in: batch) {
      if keysAreOwners(match) || wasListed(match.stored, match, in: batch) {
        forget(occurrence, in: batch)
      } else {
        noteMoved(occurrence, in: batch)
      }
    }
    fixIdentity(of: occurrence, in: batch)
    return true
  }

  /// Takes the child of that key that the owner already has, or joins the occurrence that did.
  func takeOwnChild(_ occurrence: Int32, in batch: MatchedBatch) -> Bool {
    let match = batch.matches[occurrence]
    guard match.isOwned else { return false }
    let head = batch.head(of: occurrence)
    let known = batch.objects(ofKey: head)
    let list = match.list
    if let same = known.member(of: ownerRow(match), in: list) {
      join(occurrence, batch.representative(same), in: batch)
      return true
    }
    for index in ownRows(match, of: head, in: batch) {
      let holder = batch.stored.occurrences[index]
      if holder < 0 {
        take(index, for: occurrence, in: batch)
        return true
      }
      if !known.isListed(row: index, in: list) {
        join(occurrence, holder, in: batch)
        return true
      }
    }
    return false
  }

  /// Of several stored objects of a key, takes the one that the owner leads to already: by a to-one
  /// relationship, or by a list that others may share.
  func takeLinked(_ occurrence: Int32, in batch: MatchedBatch) -> Bool {
    let match = batch.matches[occurrence]
    guard match.owner >= 0, !match.isOwned, !batch.contested.isEmpty else { return false }
    let head = batch.head(of: occurrence)
    guard let rows = batch.contested[head] else { return false }
    let owner = matches.owner(of: match)
    let row = owner.batch.linkedRow(of: owner.match, by: matches.rule(of: match).slot)
    var linked = row > 0 ? batch.stored.index(ofRow: row) : nil
    if let index = linked, !batch.objects(ofKey: head).holds(index, among: rows) { linked = nil }
    if let members = matches.formerMembers[match.list]?[owner.match.row] {
      linked = storedRows(of: head, in: batch).first { members.contains(batch.stored.rows[$0]) }
    }
    guard let linked else { return false }
    share(linked, with: occurrence, in: batch)
    return true
  }

  /// Takes a stored row, or joins the occurrence that has it already.
  func share(_ index: Int32, with occurrence: Int32, in batch: MatchedBatch) {
    let holder = batch.stored.occurrences[index]
    if holder >= 0 {
      join(occurrence, holder, in: batch)
    } else {
      take(index, for: occurrence, in: batch)
    }
  }

  /// Decides an occurrence of a key that several occurrences or several stored rows have.
  func decideAmongOthers(_ occurrence: Int32, in batch: MatchedBatch) {
    let match = batch.matches[occurrence]
    let head = batch.head(of: occurrence)
    if match.isOwned {
      let same = batch.objects(ofKey: head).member(of: ownerRow(match), in: match.list)
      if let same { return join(occurrence, batch.representative(same), in: batch) }
      if !keysAreOwners(match), takeOnlyObject(occurrence, head, in: batch) { return }
    } else {
      let isRoot = match.traits.contains(.root)
      if let same = sharedObject(of: head, in: batch, isRoot: isRoot) {
        join(occurrence, same, in: batch)
        batch.objects(ofKey: head).shared = batch.representative(occurrence)
        return
      }
      batch.objects(ofKey: head).shared = occurrence
      if let index = storedRows(of: head, in: batch, isRoot: isRoot).first {
        return take(index, for: occurrence, in: batch)
      }
    }
    forget(occurrence, in: batch)
    fixIdentity(of: occurrence, in: batch)
  }

  /// Takes the entity's only object of a key, unless another owner lists it.
  private func takeOnlyObject(_ occurrence: Int32, _ head: Int32, in batch: MatchedBatch) -> Bool {
    let match = batch.matches[occurrence]
    let list = match.list
    let known = batch.objects(ofKey: head)
    let rows = storedRows(of: head, in: batch)
    // Keys are unique per concrete entity: objects of subentities count where there is none of the
    // entity itself.
    let own = rows.filter { isExact($0, in: batch) }
    if let new = known.firstNew {
      guard own.isEmpty, known.newCount == 1, !known.isNewListed(in: list) else { return false }
      join(occurrence, batch.representative(new), in: batch)
      return true
    }
    let all = own.isEmpty && !batch.staged.ofSubentities.keys.contains(head) ? rows : own
    guard all.count == 1, case let index = all[0], !wasListed(index, match, in: batch),
      !known.isListed(row: index, in: list), !isListedByItsOwner(index, match, head, in: batch)
    else { return false }
    let holder = batch.stored.occurrences[index]
    if holder >= 0 {
      join(occurrence, holder, in: batch)
    } else {
      noteMoved(occurrence, in: batch)
      take(index, for: occurrence, in: batch)
    }
    return true
  }

  // MARK: - Owners

  /// Whether a stored row belongs to the owner in whose list the occurrence stands.
  func isChild(_ index: Int32, of match: Match, in batch: MatchedBatch) -> Bool {
    let owner = ownerRow(match)
    return owner > 0 && self.owner(ofStored: index, match, in: batch) == owner
  }

  /// Whether an earlier part of the payload nested a stored row below an owner: it stays with the
  /// one it has now.
  private func wasListed(_ index: Int32, _ match: Match, in batch: MatchedBatch) -> Bool {
    claims.isListed(batch.stored.rows[index], under: matches.rule(of: match).relationship)
  }

  /// The owner of a stored row in the relationship in which an occurrence stands, 0 for none.
  func owner(ofStored index: Int32, _ match: Match, in batch: MatchedBatch) -> Int64 {
    matches.rule(of: match).memberColumn.map { batch.stored.references[$0][index] } ?? 0
  }

  /// Whether the owner of a stored row lists it in this part of the payload too, if perhaps deeper
  /// down.
  private func isListedByItsOwner(
    _ index: Int32, _ match: Match, _ head: Int32, in batch: MatchedBatch
  ) -> Bool {
    let owner = owner(ofStored: index, match, in: batch)
    guard owner > 0 else { return false }
    return batch.objects(ofKey: head).isListedByItsOwner(in: match.list) {
      var candidate = head
      while candidate >= 0 {
        let other = batch.matches[candidate]
        if other.isOwned, other.list == match.list, likelyOwner(of: other) == owner {
          return true
        }
        candidate = other.next
      }
      return false
    }
  }

  /// The row of an owner: the one it was decided to be, or the only stored one of its key.
  private func likelyOwner(of match: Match) -> Int64? {
    let owner = matches.owner(of: match)
    if owner.match.flags.contains(.decided) { return owner.match.row }
    guard !owner.match.traits.contains(.keyless) else { return nil }
    let rows = storedRows(of: owner.batch.head(of: owner.number), in: owner.batch)
    return rows.count == 1 ? owner.batch.stored.rows[rows[0]] : nil
  }
}
