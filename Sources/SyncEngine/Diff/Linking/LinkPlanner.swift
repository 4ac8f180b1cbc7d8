import SyncCore
import SyncStore

/// Turns what the payload says about relationships into reference cells, link changes and members to
/// unlink or delete. Reads the store, writes nothing.
///
/// A column may be spoken for more than once: an owner's list is stronger than the object's own to-one
/// relationship, and of several lists the last one in the payload counts.
final class LinkPlanner {
  let batches: [Batch]
  let operations: SyncOperations
  let rootOwner: Owner?
  let transaction: StoreTransaction
  let report: ReportBuilder
  let control: SyncControl

  /// What earlier parts of the payload said; takes the members that are not listed.
  let claims: Claims

  /// What the sync has to leave alone; nil when that is nothing.
  let edits: UnsentEdits?

  /// Members of ordered one-to-many lists before anything is written, by owner.
  var ordersBefore: [RuleKey: [Int64: [Int64]]] = [:]
  /// References of one-to-one relationships to write beside the objects of the payload.
  /// Whether any one-to-one relationship changes.
  var movesPartners = false
  private(set) var partnerWrites: [PartnerWrite] = []
  /// Whether the list of a given parent goes on in other parts of the payload, so that nobody leaves it
  /// yet.
  var isPartOfList = false
  private let unreadableLists: Set<ListKey>

  init(matcher: Matcher, rootOwner: Owner?) {
    claims = matcher.claims
    edits = matcher.edits
    batches = matcher.batches
    operations = matcher.operations
    transaction = matcher.transaction
    control = matcher.control
    report = matcher.report
    unreadableLists = matcher.unreadableLists
    self.rootOwner = rootOwner
  }

  /// Fills the reference cells of everything that is about to be written.
  func plan() throws {
    if claims.hasUnresolved { dropRepeated() }
    try readOrders()
    for batch in batches {
      try control.checkpoint()
      for rule in batch.node.relationships.indices
      where !batch.node.relationships[rule].relationship.isToMany
        && !batch.node.relationships[rule].isOneToOne
      {
        setOwnReferences(rule, of: batch)
      }
    }
    for batch in batches {
      try control.checkpoint()
      for rule in batch.node.relationships.indices
      where batch.node.relationships[rule].relationship.kind == .oneToMany {
        setMemberReferences(rule, of: batch)
      }
    }
    for batch in batches {
      try control.checkpoint()
      for rule in batch.node.relationships.indices
      where batch.node.relationships[rule].relationship.kind == .oneToMany {
        releaseUnlisted(rule, of: batch)
      }
    }
    partnerWrites = try planPartners()
    for batch in batches {
      try control.checkpoint()
      compareReferences(batch)
    }
  }

  /// The row a target of a mention came out as, or nil when there is none to link.
  ///
  /// - Parameter linked: The object that a to-one relationship led to before: of several of the key it
  ///   stays the one.
  func row(
    of target: Int32, in destination: Batch, list: MemberList? = nil,
    linked: @autoclosure () -> Int64 = 0
  ) -> Int64? {
    row(of: target, in: destination, list: list, linked: linked(), parts: claims.parts)
  }

  /// - Parameter parts: What earlier parts said; for who is at work on it.
  func row(
    of target: Int32, in destination: Batch, list: MemberList?,
    linked: @autoclosure () -> Int64, parts: @autoclosure () -> PartMemory?
  ) -> Int64? {
    if target >= 0 {
      let row = destination.occurrences[Int(destination.representative(target))].row
      return row > 0 ? row : nil
    }
    if let rows = destination.referenceDuplicates[~target] {
      let linked = linked()
      if rows.contains(where: { destination.stored.rows[Int($0)] == linked }) { return linked }
    }
    if let stored = storedRow(~target, in: destination, list: list, parts: parts()) {
      return destination.stored.rows[Int(stored)]
    }
    return oldest(ofReference: ~target, in: destination)
      .map { destination.occurrences[Int($0)].row }
  }

  /// A one-to-many list, as far as the choice between objects of one key needs it.
  struct MemberList {
    let owner: Int64
    /// Column of the members that leads to the owner.
    let inverse: Int
  }

  /// The stored object a key refers to: of several the owner's own child, else the oldest.
  private func storedRow(
    _ reference: Int32, in destination: Batch, list: MemberList?,
    parts: @autoclosure () -> PartMemory?
  ) -> Int32? {
    if let list, let rows = destination.referenceDuplicates[reference],
      let column = destination.node.toOneSlots.firstIndex(of: list.inverse)
    {
      let parts = parts()
      let own = rows.filter { destination.origin(column, ofStored: $0, parts) == list.owner }
      if let first = own.min(by: {
        destination.stored.rows[Int($0)] < destination.stored.rows[Int($1)]
      }) {
        return first
      }
    }
    let stored = destination.referenceStored[Int(reference)]
    return stored >= 0 ? stored : nil
  }

  /// The new object a key refers to: of several objects of the key the oldest.
  private func oldest(ofReference reference: Int32, in destination: Batch) -> Int32? {
    var candidate = destination.index.find(identityOf: destination.references[Int(reference)])
    var oldest: (occurrence: Int32, row: Int64)?
    while candidate >= 0 {
      let occurrence = destination.representative(candidate)
      let row = destination.occurrences[Int(occurrence)].row
      if row > 0, row < oldest?.row ?? .max { oldest = (occurrence, row) }
      candidate = destination.occurrences[Int(candidate)].next
    }
    return oldest?.occurrence
  }

  /// The occurrence to write a reference of a target into, or nil when there is no such object.
  private func writable(_ target: Int32, in destination: Batch, list: MemberList) -> Int32? {
    if target >= 0 {
      let occurrence = destination.representative(target)
      return destination.occurrences[Int(occurrence)].row > 0 ? occurrence : nil
    }
    if let stored = storedRow(~target, in: destination, list: list, parts: claims.parts) {
      claims.mention(destination.stored.rows[Int(stored)], destination.entity)
      return destination.occurrence(ofStored: stored)
    }
    return oldest(ofReference: ~target, in: destination)
  }

  /// Mentions whose owner takes what the payload says; of several for one owner the last.
  func activeMentions(
    _ rule: Int, of batch: Batch, _ body: (_ mention: Int, _ owner: Int32) throws -> Void
  ) rethrows {
    let mentions = batch.mentions[rule]
    let last = lastMentions(rule, of: batch)
    for mention in 0..<mentions.count {
      let owner = batch.representative(mentions.owners[mention])
      if batch.hasRepeats, last[owner] != mention { continue }
      if batch.occurrences[Int(owner)].flags.contains(.active) { try body(mention, owner) }
    }
  }

  /// Mentions whose owner takes what the payload says, with those that a later one of the owner replaces.
  func allMentions(
    _ rule: Int, of batch: Batch,
    _ body: (_ mention: Int, _ owner: Int32, _ isReplaced: Bool) -> Void
  ) {
    let mentions = batch.mentions[rule]
    let last = lastMentions(rule, of: batch)
    for mention in 0..<mentions.count
    where !batch.occurrences[Int(mentions.owners[mention])].flags.contains(.muted) {
      let owner = batch.representative(mentions.owners[mention])
      guard batch.occurrences[Int(owner)].flags.contains(.active) else { continue }
      body(mention, owner, batch.hasRepeats && last[owner] != mention)
    }
  }

  /// The last mention of each owner, where owners may have several.
  private func lastMentions(_ rule: Int, of batch: Batch) -> [Int32: Int] {
    guard batch.hasRepeats else { return [:] }
    let mentions = batch.mentions[rule]
    var last: [Int32: Int] = [:]
    for mention in 0..<mentions.count
    where !batch.occurrences[Int(mentions.owners[mention])].flags.contains(.muted) {
      last[batch.representative(mentions.owners[mention])] = mention
    }
    return last
  }

  /// What is given again replaces what was given before.
  private func dropRepeated() {
    for batch in batches {
      for (rule, relationship) in batch.node.relationships.enumerated() {
        activeMentions(rule, of: batch) { _, owner in
          let occurrence = batch.occurrences[Int(owner)]
          claims.drop(
            UnresolvedReference.Place(
              owner: ManagedObjectID(entity: batch.entity(of: occurrence), row: occurrence.row),
              slot: relationship.slot))
        }
      }
    }
  }

  // MARK: - To-one

  /// The object that a to-one relationship of a stored object led to before the payload, or 0.
  func linkedRow(_ owner: Int32, _ rule: Int, of batch: Batch, _ parts: PartMemory?) -> Int64 {
    let stored = batch.occurrences[Int(owner)].stored
    guard stored >= 0,
      let column = batch.node.toOneSlots.firstIndex(of: batch.node.relationships[rule].slot)
    else { return 0 }
    return batch.origin(column, ofStored: stored, parts)
  }

  private func setOwnReferences(_ rule: Int, of batch: Batch) {
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    let mentions = batch.mentions[rule]
    let list = batch.entity.inverse(of: relationship.relationship).map(Claims.Relationship.init)
    let parts = claims.parts
    activeMentions(rule, of: batch) { mention, owner in
      // An owner that listed the object in an earlier part of the payload is stronger.
      if let list, let parts, parts.isNamed(batch.occurrences[Int(owner)].row, in: list) {
        return
      }
      let cells = batch.block[Int(owner)]
      guard let target = mentions.targets(of: mention).first else {
        cells[relationship.slot] = .null
        return
      }
      if let row = row(
        of: target, in: destination, linked: linkedRow(owner, rule, of: batch, claims.parts))
      {
        cells[relationship.slot] = .integer(row)
      } else {
        noteUnresolved(target, relationship, owner, batch)
      }
    }
  }

  /// Whether an object that is not there may still come. A nested object that was deleted here is there, but
  /// not wanted; the report says so already.
  func awaits(_ target: Int32, in destination: Batch) -> Bool {
    guard target >= 0, let edits else { return true }
    return edits.deletedObject(
      destination.block[Int(target)], identity: destination.node.identity, of: destination.entity)
      == nil
  }

  func noteUnresolved(
    _ target: Int32, _ rule: RelationshipRule, _ owner: Int32, _ batch: Batch
  ) {
    let destination = batches[rule.node]
    let cells =
      target >= 0 ? destination.block[Int(target)] : destination.references[Int(~target)]
    guard awaits(target, in: destination) else { return }
    claims.append(
      UnresolvedReference(
        owner: ManagedObjectID(
          entity: batch.entity(of: batch.occurrences[Int(owner)]),
          row: batch.occurrences[Int(owner)].row),
        relationship: rule.relationship, destination: destination.entity,
        key: destination.key(cells),
        ownerKey: batch.key(batch.block[Int(owner)]).description, isNested: target >= 0))
  }

  // MARK: - One-to-many

  private func setMemberReferences(_ rule: Int, of batch: Batch) {
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
  private func releaseUnlisted(_ rule: Int, of batch: Batch) {
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

  // MARK: - Comparison

  /// Adds the to-one columns that differ to what the attributes' comparison found.
  private func compareReferences(_ batch: Batch) {
    let slots = batch.node.toOneSlots
    guard !slots.isEmpty else { return }
    for occurrence in batch.occurrences.indices {
      let mention = batch.occurrences[occurrence]
      guard mention.stored >= 0, !mention.flags.contains(.folded),
        !mention.flags.isDisjoint(with: [.decided, .referenceOnly])
      else { continue }
      let cells = batch.block[occurrence]
      for column in slots.indices {
        let cell = cells[slots[column]]
        if case .absent = cell.kind { continue }
        let destination = cell.holdsNothing ? 0 : Int64(bitPattern: cell.word)
        if destination != batch.stored.references[column][Int(mention.stored)] {
          batch.noteDifference([slots[column]], of: Int32(occurrence))
        }
      }
    }
  }
}
