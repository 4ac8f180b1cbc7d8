import SyncCore

/// Whose the stored objects are: whoever nested them in an earlier part of the payload, else who had them before it,
/// wherever earlier parts have put them since. The owner that an object has keeps it from all others if it lists it in
/// this part too.
extension Matcher {
  /// Whether a stored row belongs to the owner in whose list the occurrence stands.
  func isChild(_ index: Int32, of mention: Occurrence, in batch: Batch) -> Bool {
    let owner = ownerRow(mention)
    return owner > 0 && self.owner(ofStored: index, mention, in: batch) == owner
  }

  /// Whether an earlier part of the payload nested a stored row below another owner.
  func isListedEarlier(_ index: Int32, _ mention: Occurrence, in batch: Batch) -> Bool {
    guard let nester = nester(ofStored: index, mention, in: batch) else { return false }
    return nester != ownerRow(mention)
  }

  /// The owner of a stored row in the relationship in which an occurrence stands, 0 for none.
  func owner(ofStored index: Int32, _ mention: Occurrence, in batch: Batch) -> Int64 {
    if let nester = nester(ofStored: index, mention, in: batch) { return nester }
    let column = memberColumns[Int(mention.ownerBatch)][Int(mention.ownerRule)]
    return column >= 0 ? batch.origin(column, ofStored: index, claims.parts) : 0
  }

  /// The owner that nested a stored row in an earlier part of the payload, if any did.
  private func nester(
    ofStored index: Int32, _ mention: Occurrence, in batch: Batch
  ) -> Int64? {
    guard claims.parts != nil else { return nil }
    let column = memberColumns[Int(mention.ownerBatch)][Int(mention.ownerRule)]
    let list = batches[Int(mention.ownerBatch)].node.relationships[Int(mention.ownerRule)]
    func nester(_ index: Int32) -> Int64? {
      claims.nester(
        of: batch.stored.rows[Int(index)], under: list.relationship,
        now: column >= 0 ? batch.stored.references[column][Int(index)] : 0)
    }
    if let nester = nester(index) { return nester }
    // An object that comes in the place of another one is whose that was.
    return claims.standIns.former(of: batch.stored.rows[Int(index)], root: batch.entity.rootIndex)
      .flatMap(batch.stored.index).flatMap(nester)
  }

  /// Whether the owner of a stored row lists it in this part of the payload too.
  func isListedByItsOwner(
    _ index: Int32, _ mention: Occurrence, _ head: Int32, in batch: Batch
  ) -> Bool {
    let owner = owner(ofStored: index, mention, in: batch)
    guard owner > 0 else { return false }
    // The owners of a batch's own members are decided as it goes on: they have to be asked anew.
    let isSettled = Int(mention.ownerBatch) != batch.number
    return batch.family(of: head).owners(in: place(mention), asOf: isSettled ? waveNumber : nil) {
      var owners: Set<Int64> = []
      var candidate = head
      while candidate >= 0 {
        let other = batch.occurrences[Int(candidate)]
        if other.isOwned, place(other) == place(mention), let row = knownOwner(of: other) {
          owners.insert(row)
        }
        candidate = other.next
      }
      return owners
    }.contains(owner)
  }

  /// Notes the children that are listed by owners of whom the options let nothing be written: later parts of the payload
  /// must not take them from these either.
  ///
  /// - Throws: `CancellationError`.
  func noteUnreachedMembers() throws {
    for batch in batches {
      for (index, mention) in batch.occurrences.enumerated() {
        if index % SyncControl.stride == 0 { try control.checkpoint() }
        guard mention.isOwned, mention.flags.isDisjoint(with: [.decided, .keyless]),
          let owner = knownOwner(of: mention), owner > 0
        else { continue }
        let rule = batches[Int(mention.ownerBatch)].node.relationships[Int(mention.ownerRule)]
        let head = batch.index.find(identityOf: batch.block[index])
        guard head >= 0 else { continue }
        for stored in storedRows(of: head, in: batch)
        where self.owner(ofStored: stored, mention, in: batch) == owner {
          claims.nesters.note(
            owner, of: batch.stored.rows[Int(stored)],
            under: Claims.Relationship(rule.relationship))
        }
      }
    }
  }

  /// The row of an owner when it is certain already, though the owner may be decided later: it is the only stored
  /// object of its key, its mentions all stand in one place, and nobody else has it.
  private func knownOwner(of mention: Occurrence) -> Int64? {
    let owners = batches[Int(mention.ownerBatch)]
    let owner = owners.representative(mention.owner)
    let occurrence = owners.occurrences[Int(owner)]
    if occurrence.flags.contains(.decided) { return occurrence.row }
    var index = occurrence.stored
    if occurrence.flags.contains(.shared) || owners.contested[owner] != nil {
      let head = owners.index.find(identityOf: owners.block[Int(owner)])
      let rows = storedRows(of: head, in: owners)
      guard rows.count == 1,
        owners.family(of: head).standsInOnePlace({ standsInOnePlace(head, in: owners) })
      else { return nil }
      index = rows[0]
    }
    guard index >= 0 else { return nil }
    return mayBeAnothers(index, occurrence, in: owners) ? nil : owners.stored.rows[Int(index)]
  }

  /// Whether an owner that is not known to be the one of an occurrence has a stored row for good.
  private func mayBeAnothers(_ index: Int32, _ mention: Occurrence, in batch: Batch) -> Bool {
    guard mention.isOwned else { return false }
    if let nester = nester(ofStored: index, mention, in: batch) {
      return nester != knownOwner(of: mention)
    }
    return keysAreOwners(mention)
      && owner(ofStored: index, mention, in: batch) != knownOwner(of: mention)
  }

  /// Whether all mentions of a key stand in one place: in one list that nobody else has, or in none.
  private func standsInOnePlace(_ head: Int32, in batch: Batch) -> Bool {
    var candidate = batch.occurrences[Int(head)].next
    while candidate >= 0 {
      guard standAlike(head, candidate, in: batch) else { return false }
      candidate = batch.occurrences[Int(candidate)].next
    }
    return true
  }

  /// Whether two mentions of a key stand in the same list of the same owner, or both in none.
  private func standAlike(_ one: Int32, _ other: Int32, in batch: Batch) -> Bool {
    let mentions = (batch.occurrences[Int(one)], batch.occurrences[Int(other)])
    guard one != other, mentions.0.isOwned || mentions.1.isOwned else { return true }
    guard mentions.0.isOwned, mentions.1.isOwned, place(mentions.0) == place(mentions.1) else {
      return false
    }
    let owners = batches[Int(mentions.0.ownerBatch)]
    let heads = [mentions.0, mentions.1].map { mention in
      owners.occurrences[Int(mention.owner)].flags.contains(.keyless)
        ? -1 : owners.index.find(identityOf: owners.block[Int(mention.owner)])
    }
    if mentions.0.owner == mentions.1.owner { return true }
    guard heads[0] >= 0, heads[0] == heads[1] else { return false }
    return standAlike(mentions.0.owner, mentions.1.owner, in: owners)
  }
}
