import SyncCore
import SyncStore

/// Turns the payload's mentions of relationships into references, link changes and members to
/// unlink or delete. Reads the store, writes nothing.
///
/// A column may be spoken for more than once: an owner's list is stronger than the object's own
/// to-one relationship, and of several lists the last one in the payload counts.
final class LinkPlanner: PartPhase {
  let work: PartWork
  let matches: Matches

  /// The targets of the objects' to-one relationships, by the number of their nodes.
  let references: [LinkedReferences]

  /// Members of ordered one-to-many lists before anything is written, by owner.
  var ordersBefore: [ListPlace: StoredOrders] = [:]
  /// References of one-to-one relationships to write beside the objects of the payload; nil when no
  /// such relationship changes.
  private(set) var partnerWrites: [PartnerWrite]?
  /// Contradictions between places of the payload about a relationship to one object, by entity.
  var contradictions: [Int: Contradictions] = [:]

  /// Whether members that leave a given parent are decided at the end, elsewhere.
  let endsParentList: Bool
  /// Whether the list of a given parent goes on in other parts of the payload, so that no member
  /// leaves it yet.
  let isPartOfList: Bool
  /// A relationship of the root items, and the member that their lists keep without naming it.
  let keptMember: (relationship: Claims.Relationship, row: Int64)?

  init(
    _ matches: Matches, _ work: PartWork, endsParentList: Bool, isPartOfList: Bool,
    keptMember: (relationship: Claims.Relationship, row: Int64)?
  ) {
    self.work = work
    self.matches = matches
    references = matches.batches.map(LinkedReferences.init)
    self.endsParentList = endsParentList
    self.isPartOfList = isPartOfList
    self.keptMember = keptMember
  }

  var batches: [MatchedBatch] { matches.batches }
  var rootOwner: Owner? { matches.part.rootOwner }

  /// Decides the references of everything that is about to be written.
  func plan() throws {
    if claims.hasUnresolved { try dropRepeated() }
    try readOrders()
    for batch in batches {
      try control.checkpoint()
      for rule in batch.node.relationships.indices
      where !batch.node.relationships[rule].relationship.isToMany
        && !batch.node.relationships[rule].isOneToOne
      {
        try setOwnReferences(rule, of: batch)
      }
    }
    for batch in batches {
      try control.checkpoint()
      for rule in batch.node.relationships.indices
      where batch.node.relationships[rule].kind == .oneToMany {
        try setMemberReferences(rule, of: batch)
      }
    }
    for batch in batches {
      try control.checkpoint()
      for rule in batch.node.relationships.indices
      where batch.node.relationships[rule].kind == .oneToMany {
        try releaseUnlisted(rule, of: batch)
      }
    }
    if batches.contains(where: \.node.hasOneToOne) {
      partnerWrites = try PartnerPlanner(planner: self).plan()
    }
    for batch in batches {
      for copy in batch.copies where copy.takesValues {
        references[batch.number].copy(
          batch.representative(copy.occurrence), to: batch.stored.occurrences[copy.stored])
      }
    }
  }

  /// Checks the references in debug builds.
  func check() {
    for references in references { references.check() }
  }

  /// The slots in which an object of the payload differs from its stored row, as far as the sync
  /// may write them: linking needs no permission, because an owner that lists an object may update
  /// itself.
  ///
  /// - Returns: Nil when that is nothing.
  @inline(__always)
  func differences(
    _ occurrence: Int32, _ match: Match, in batch: MatchedBatch, _ references: LinkedReferences
  ) -> SlotSet? {
    let leadsElsewhere = references.differs(occurrence, from: match.stored)
    guard match.link >= 0 || leadsElsewhere else { return nil }
    var result = match.link >= 0 ? batch.differences[Int(match.link)] : SlotSet()
    if !match.flags.contains(.active) { result.subtract(batch.node.columns.attributeSet) }
    if leadsElsewhere {
      references.addDifferences(of: occurrence, from: match.stored, to: &result)
    }
    return result.isEmpty ? nil : result
  }

  /// Mentions whose owner takes the values of the payload; of several for one owner the last.
  func activeMentions(
    _ rule: Int, of batch: MatchedBatch, _ body: (_ mention: Int, _ owner: Int32) throws -> Void
  ) rethrows {
    let mentions = batch.mentions[rule]
    let last = lastMentions(rule, of: batch)
    for mention in 0..<mentions.count {
      let owner = batch.representative(mentions.owners[mention])
      if batch.hasRepeats, last[owner] != mention { continue }
      if batch.matches[owner].flags.contains(.active) { try body(mention, owner) }
    }
  }

  /// The last mention of each owner, where owners may have several.
  private func lastMentions(_ rule: Int, of batch: MatchedBatch) -> [Int32: Int] {
    guard batch.hasRepeats else { return [:] }
    let mentions = batch.mentions[rule]
    var last: [Int32: Int] = [:]
    for mention in 0..<mentions.count
    where !batch.matches[mentions.owners[mention]].flags.contains(.ignored) {
      last[batch.representative(mentions.owners[mention])] = mention
    }
    return last
  }

  /// Forgets references that waited, where the relationship is given again.
  private func dropRepeated() throws {
    for batch in batches {
      for (rule, relationship) in batch.node.relationships.enumerated() {
        // The list of a given parent goes on from part to part.
        let parent = claims.state.partCount > 1 ? givenParent(rule, of: batch) : nil
        try activeMentions(rule, of: batch) { mention, owner in
          if mention % SyncControl.stride == 0 { try control.checkpoint() }
          let match = batch.matches[owner]
          guard match.row != parent else { return }
          claims.drop(
            UnresolvedReference.Place(
              owner: ManagedObjectID(entity: batch.entity(of: match), row: match.row),
              slot: relationship.slot))
        }
      }
    }
  }

  // MARK: - To-one

  private func setOwnReferences(_ rule: Int, of batch: MatchedBatch) throws {
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    let mentions = batch.mentions[rule]
    guard mentions.count > 0 else { return }
    let column = references[batch.number].column(relationship.slot)
    noteContradictions(rule, of: batch)
    try activeMentions(rule, of: batch) { mention, owner in
      if mention % SyncControl.stride == 0 { try control.checkpoint() }
      guard let target = mentions.targets(of: mention).first else {
        column[owner] = 0
        replaceKeyless(rule, mention, of: owner, in: batch, by: 0)
        return
      }
      if let row = row(
        of: target, in: destination,
        isLinked: {
          let row = batch.linkedRow(of: batch.matches[owner], by: relationship.slot)
          return row == destination.stored.rows[$0]
        })
      {
        column[owner] = row
        replaceKeyless(rule, mention, of: owner, in: batch, by: row)
      } else {
        if emptiesUnresolved(relationship, owner, batch) { column[owner] = 0 }
        noteUnresolved(target, relationship, owner, batch)
      }
    }
  }

  /// Claims the object without key that a stored owner leads to for deletion, where the payload
  /// leads the owner to another object, or to none.
  func replaceKeyless(
    _ rule: Int, _ mention: Int, of owner: Int32, in batch: MatchedBatch, by row: Int64
  ) {
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    guard relationship.ownsKeyless, destination.isKeyless(among: batches),
      batch.mentions[rule].kinds[mention] == .objects,
      operations.contains(.deleteRelationships),
      case let linked = batch.linkedRow(of: batch.matches[owner], by: relationship.slot),
      linked > 0
    else { return }
    claims.state.memberCount += 1
    guard linked != row else { return }
    claims.update(.nested(destination.entity.index)) { $0.insert(linked) }
  }

  /// Whether a to-one relationship is empty when its object is not there. An explicit rule names
  /// its destination, and a reference that waits for a later sync leads nowhere until then.
  func emptiesUnresolved(_ rule: RelationshipRule, _ owner: Int32, _ batch: MatchedBatch) -> Bool {
    batch.matches[owner].traits.contains(.emptiesUnresolved)
      || work.defersReferences && rule.relationship.isOptional
  }

  /// Whether an object that is not there may still come. A nested object that was deleted here is
  /// there, but not wanted; the report says so already.
  private func awaits(
    _ target: Int32, _ rule: RelationshipRule, _ owner: Int32, _ batch: MatchedBatch
  ) -> Bool {
    let destination = batches[rule.node]
    guard target >= 0, let edits else { return true }
    if destination.matches[target].traits.contains(.keyless),
      edits.protects(rule.slot, of: batch.matches[owner].row, batch.entity)
    {
      return false
    }
    return edits.deletedObject(
      destination.cells(target), identity: destination.node.identity, of: destination.entity)
      == nil
  }

  func noteUnresolved(
    _ target: Int32, _ rule: RelationshipRule, _ owner: Int32, _ batch: MatchedBatch,
    position: Int = 0
  ) {
    let destination = batches[rule.node]
    let cells =
      target >= 0 ? destination.cells(target) : destination.staged.references[~target]
    guard awaits(target, rule, owner, batch) else { return }
    if target >= 0,
      destination.matches[target].traits.isSuperset(of: [.keyless, .neverInserted])
    {
      return report.note(
        .unresolvedReference, batch.entity, property: rule.name,
        path: destination.staged.origins.paths[target],
        message: """
          “\(rule.name)” of \(batch.entity.name) \(batch.keyText(owner)) holds an object without a readable \
          \(destination.node.identityText), so it is no new \(destination.entity.name), and nothing was linked.
          """)
    }
    claims.append(
      UnresolvedReference(
        owner: ManagedObjectID(
          entity: batch.entity(of: batch.matches[owner]),
          row: batch.matches[owner].row),
        relationship: rule.relationship, destination: destination.entity,
        key: destination.key(cells),
        ownerKey: batch.keyText(owner), isNested: target >= 0,
        position: position,
        // A key that is not the primary one means no object that comes later.
        isRefused: target >= 0
          && (isStored(target, in: destination)
            || destination.node.identity != [destination.entity.primaryKey?.slot]),
        path: target >= 0 ? destination.staged.origins.paths[target] : nil))
  }
}
