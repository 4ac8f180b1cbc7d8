import SyncCore
import SyncStore

/// The steps after the identity of an object is decided.
extension Matcher {
  func take(_ index: Int32, for occurrence: Int32, in batch: MatchedBatch) {
    if batch.matches[occurrence].stored != index
      || batch.matches[occurrence].traits.contains(.shared)
    {
      batch.matches[occurrence].stored = index
      batch.matches[occurrence].link = -1
      batch.matches[occurrence].flags.insert(.uncompared)
    }
    fixIdentity(of: occurrence, in: batch)
  }

  /// Takes back the row that was found when rows were read.
  func forget(_ occurrence: Int32, in batch: MatchedBatch) {
    let head = batch.head(of: occurrence)
    let stored = batch.matches[occurrence].stored
    if head == occurrence, stored >= 0 { batch.objects(ofKey: head).forgotten = stored }
    batch.matches[occurrence].stored = -1
    batch.matches[occurrence].link = -1
    batch.matches[occurrence].row = 0
  }

  func join(_ occurrence: Int32, _ other: Int32, in batch: MatchedBatch) {
    let match = batch.matches[occurrence]
    let isStored =
      batch.matches[other].stored >= 0
      && isKnown(batch.matches[other].row, batch.entity)
      // To a mapping that does not do everything an object is there as soon as an item before made
      // it.
      || batch.matches[other].flags.contains(.inserted)
        && !match.traits.isDisjoint(with: [.neverInserted, .neverUpdated])
    let isActive =
      isAllowed(match, isStored: isStored)
      && (batch.matches[other].stored >= 0 || !wasDeleted(occurrence, in: batch))
    // A mention that may not write the object does not count; one that may write needs no
    // permission of the other.
    if !isActive { batch.matches[occurrence].flags.insert(.ignored) }
    if !batch.matches[other].flags.contains(.active) {
      batch.matches[other].flags.insert(.ignored)
    }
    let result = batch.fold(occurrence, into: other)
    batch.matches[occurrence].flags.insert(.decided)
    batch.matches[result].traits.remove(.referenceOnly)
    if isActive, !batch.matches[result].flags.contains(.active) {
      batch.matches[result].flags.insert(.active)
      if batch.matches[result].stored < 0 {
        batch.matches[result].flags.insert(.inserted)
        noteNew(result, in: batch)
      }
    }
    noteListed(occurrence, match, in: batch)
    if match.isOwned, !batch.matches[result].isOwned {
      batch.matches[result].traits.insert(.owned)
      batch.matches[result].owner = match.owner
      batch.matches[result].ownerBatch = match.ownerBatch
      batch.matches[result].ownerRule = match.ownerRule
    }
  }

  /// Whether an object was there before this part of the payload.
  private func isKnown(_ row: Int64, _ entity: EntityDescription) -> Bool {
    row < matches.firstNewRows[entity.rootIndex] ?? .max
  }

  /// Whether the options let the place of a mention write its object.
  func isAllowed(_ match: Match, isStored: Bool) -> Bool {
    if match.traits.contains(.rejected) { return false }
    if match.traits.contains(isStored ? .neverUpdated : .neverInserted) { return false }
    return switch (match.traits.contains(.root), isStored) {
    case (true, true): operations.contains(.update)
    case (true, false): !operations.isDisjoint(with: [.insert, .alwaysInsert])
    case (false, true): operations.contains(.updateRelationships)
    case (false, false): operations.contains(.insertRelationships)
    }
  }

  /// Whether the object was deleted here and must not be brought back. One without a key is known
  /// by its owner alone: as long as that leads elsewhere by an edit, it gets no other one.
  func wasDeleted(_ occurrence: Int32, in batch: MatchedBatch) -> Bool {
    guard let edits else { return false }
    let match = batch.matches[occurrence]
    if match.traits.contains(.keyless) {
      guard let owner = owner(of: match) else { return false }
      let slot = matches.rule(of: match).slot
      guard edits.protects(slot, of: owner.row, owner.entity) else { return false }
      edits.withhold([slot], of: owner.row, owner.entity)
      return true
    }
    guard
      let id = edits.deletedObject(
        batch.cells(occurrence), identity: batch.node.identity, of: batch.entity)
    else { return false }
    edits.withholdInsertion(of: id)
    return true
  }

  /// Fixes the identity of an occurrence and with it the sync's permissions for its object.
  func fixIdentity(of occurrence: Int32, in batch: MatchedBatch) {
    var match = batch.matches[occurrence]
    let isStored = match.stored >= 0
    let isKnown =
      isStored && isKnown(batch.stored.rows[match.stored], batch.entity)
    let isAllowed =
      isAllowed(match, isStored: isKnown) && (isStored || !wasDeleted(occurrence, in: batch))
    if isStored {
      match.row = batch.stored.rows[match.stored]
      batch.stored.occurrences[match.stored] = occurrence
      if isAllowed { match.flags.insert(.active) }
    } else if isAllowed {
      match.row = 0
      match.flags.formUnion([.inserted, .active])
    }
    match.flags.insert(.decided)
    batch.matches[occurrence] = match
    if match.flags.contains(.inserted) { noteNew(occurrence, in: batch) }
    noteListed(occurrence, match, in: batch)
  }

  /// The objects of an occurrence's key; nil where no other occurrence or row has it.
  private func objects(_ occurrence: Int32, in batch: MatchedBatch) -> KeyObjects? {
    let match = batch.matches[occurrence]
    guard !match.traits.contains(.keyless) else { return nil }
    let isContested = !batch.contested.isEmpty && batch.contested[occurrence] != nil
    guard match.traits.contains(.shared) || isContested else { return nil }
    return batch.objects(ofKey: batch.head(of: occurrence))
  }

  private func noteNew(_ occurrence: Int32, in batch: MatchedBatch) {
    objects(occurrence, in: batch)?.noteNew(occurrence)
  }

  /// Notes in whose list an object of a repeated key stands.
  private func noteListed(_ occurrence: Int32, _ match: Match, in batch: MatchedBatch) {
    guard match.isOwned, let known = objects(occurrence, in: batch) else { return }
    let object = batch.matches[batch.representative(occurrence)]
    known.note(
      occurrence, row: object.stored, isNew: object.flags.contains(.inserted),
      owner: ownerRow(match), in: match.list)
  }

  func noteMoved(_ occurrence: Int32, in batch: MatchedBatch) {
    let match = batch.matches[occurrence]
    let head = batch.head(of: occurrence)
    guard let index = storedRows(of: head, in: batch).first,
      owner(ofStored: index, match, in: batch) > 0
    else { return }
    batch.matches[occurrence].traits.insert(.conflicting)
    let rule = matches.rule(of: match)
    if let edits, let inverse = rule.relationship.inverseSlot,
      edits.protects(inverse, of: batch.stored.rows[index], batch.entity)
    {
      return
    }
    let key = batch.key(batch.cells(occurrence)).description
    let owner = matches.owner(of: match)
    let ownerKey = owner.batch.key(owner.batch.cells(owner.number))
    // The payload has no key of a given parent.
    let given = ownerKey == .null ? self.owner(of: match) : nil
    let name = owner.batch.entity.name
    report.note(
      .movedObject, batch.entity, property: rule.name, key: key,
      message: "\(batch.entity.name) \(key) moved to "
        + (given.map(transaction.name(of:)) ?? (ownerKey == .null ? name : "\(name) \(ownerKey)"))
        + ".")
  }

  /// The object under whose relationship an occurrence stands, if it stands under one.
  func owner(of match: Match) -> ManagedObjectID? {
    guard match.owner >= 0, case let owner = matches.owner(of: match),
      owner.match.row > 0
    else { return nil }
    return ManagedObjectID(entity: owner.batch.entity(of: owner.match), row: owner.match.row)
  }
}
