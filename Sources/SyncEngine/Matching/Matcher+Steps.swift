import SyncCore

/// The questions from which the identity of an object follows.
extension Matcher {
  /// An object that its key does not tell: the stored row it was said to be, or, under a to-one
  /// relationship, the one its owner is linked to.
  func decideByLink(_ occurrence: Int32, in batch: MatchedBatch) {
    let match = batch.matches[occurrence]
    if match.row > 0 {
      batch.matches[occurrence].stored = batch.stored.index(ofRow: match.row) ?? -1
      batch.matches[occurrence].flags.insert(.uncompared)
      return fixIdentity(of: occurrence, in: batch)
    }
    guard match.owner >= 0 else { return fixIdentity(of: occurrence, in: batch) }
    let owner = matches.owner(of: match)
    let place = Owner(
      batch: owner.batch.number, owner: owner.number, rule: match.list.rule)
    if let earlier = keyless[place] {
      return join(occurrence, batch.representative(earlier), in: batch)
    }
    keyless[place] = occurrence
    let row = owner.batch.linkedRow(of: owner.match, by: matches.rule(of: match).slot)
    guard row > 0, let index = batch.stored.index(ofRow: row) else {
      return fixIdentity(of: occurrence, in: batch)
    }
    let holder = batch.stored.occurrences[index]
    if holder >= 0 { return join(occurrence, holder, in: batch) }
    batch.matches[occurrence].stored = index
    batch.matches[occurrence].flags.insert(.uncompared)
    fixIdentity(of: occurrence, in: batch)
  }

  /// The object that a key alone means, when one has it already: the first stored one, else the
  /// first new one.
  func sharedObject(of head: Int32, in batch: MatchedBatch, isRoot: Bool) -> Int32? {
    // Where some rows come first at the top only, a key does not mean the same everywhere.
    if preferred.isEmpty || batch.contested[head] == nil,
      let known = batch.known(ofKey: head)?.shared
    {
      return batch.representative(known)
    }
    if let index = storedRows(of: head, in: batch, isRoot: isRoot).first {
      let holder = batch.stored.occurrences[index]
      return holder >= 0 ? holder : nil
    }
    return batch.objects(ofKey: head).firstNew.map { batch.representative($0) }
  }

  /// Stored rows of the key, the one that stands for it first.
  func storedRows(of head: Int32, in batch: MatchedBatch, isRoot: Bool = false) -> [Int32] {
    guard let rows = batch.contested[head] else {
      let index = batch.onlyStored(ofKey: head)
      return index >= 0 ? [index] : []
    }
    let namesakes = Namesakes(batch)
    // Keys are unique per concrete entity: an object of a subentity comes last.
    let sorted = batch.objects(ofKey: head).sorted(rows) { left, right in
      let isOwn = (isExact(left, in: batch), isExact(right, in: batch))
      if isOwn.0 != isOwn.1 { return isOwn.0 }
      return namesakes.isSenior(left, right)
    }
    guard isRoot, !preferred.isEmpty else { return sorted }
    return sorted.filter { isPreferred($0, in: batch) }
      + sorted.filter { !isPreferred($0, in: batch) }
  }

  /// Stored rows of the key that belong to the owner in whose list the occurrence stands.
  func ownRows(_ match: Match, of head: Int32, in batch: MatchedBatch) -> [Int32] {
    let owner = ownerRow(match)
    guard owner > 0 else { return [] }
    let rows = storedRows(of: head, in: batch)
    guard rows.count > 1 else {
      return rows.filter { self.owner(ofStored: $0, match, in: batch) == owner }
    }
    return batch.objects(ofKey: head).rows(of: owner, in: match.list, among: rows) {
      self.owner(ofStored: $0, match, in: batch)
    }
  }

  func isPreferred(_ index: Int32, in batch: MatchedBatch) -> Bool {
    preferred.contains(batch.stored.rows[index])
  }

  func isExact(_ index: Int32, in batch: MatchedBatch) -> Bool {
    batch.stored.entities.isEmpty
      || Int(batch.stored.entities[index]) == batch.entity.index
  }

  func isFree(_ index: Int32, of batch: MatchedBatch) -> Bool {
    batch.stored.occurrences[index] < 0
  }

  func keysAreOwners(_ match: Match) -> Bool {
    matches.rule(of: match).keyScopeIsOwner
  }

  func ownerRow(_ match: Match) -> Int64 { matches.owner(of: match).match.row }
}
