import SyncCore

/// What the parts of a payload say of relationships.
extension PartMemory {
  /// Notes what a linked part says of relationships.
  ///
  /// - Throws: `CancellationError`: a page of 100,000 objects says so much that it would take 60 ms.
  mutating func note(_ planner: LinkPlanner) throws {
    // Within the part everything was decided as a whole.
    let before = (spoken: spoken, named: named)
    var words: [Word] = []
    for batch in planner.batches {
      for (rule, relationship) in batch.node.relationships.enumerated()
      where batch.mentions[rule].count > 0 {
        if relationship.relationship.isToMany {
          try noteLists(rule, of: batch, planner, before.spoken, before.named, &words)
        } else {
          try noteReferences(rule, of: batch, planner, before.spoken, before.named, &words)
        }
      }
    }
    var comparisons = 0
    try words.sort { left, right in
      comparisons += 1
      if comparisons % SyncControl.stride == 0 { try planner.control.checkpoint() }
      return left.order < right.order
    }
    for word in words {
      log.append(word.kind, word.flags, word.relationship, word.row, word.members)
    }
  }

  /// What is said where it counts in which order several batches say it: either side may speak of a one-to-one
  /// relationship, and what an entity and its subentity say may turn out to be of one object.
  private struct Word {
    let order: UInt32
    let kind: StatementLog.Kind
    var flags: StatementLog.Flags = []
    let relationship: Relationship
    let row: Int64
    let members: [Int64]
  }

  private mutating func noteLists(
    _ rule: Int, of batch: Batch, _ planner: LinkPlanner, _ spoken: [Relationship: RowSet],
    _ named: [Relationship: RowSet], _ words: inout [Word]
  ) throws {
    let relationship = batch.node.relationships[rule].relationship
    let key = Relationship(relationship)
    let destination = planner.batches[batch.node.relationships[rule].node]
    let mentions = batch.mentions[rule]
    let inverse = relationship.kind == .oneToMany ? batch.entity.inverse(of: relationship) : nil
    let parent = planner.givenParent(rule, of: batch)
    let suspended = planner.suspendedOwners(rule, of: batch)
    try planner.activeMentions(rule, of: batch) { mention, occurrence in
      if mention % SyncControl.stride == 0 { try planner.control.checkpoint() }
      let owner = batch.occurrences[Int(occurrence)].row
      let list = inverse.map { LinkPlanner.MemberList(owner: owner, inverse: $0.slot) }
      let members = mentions.targets(of: mention).compactMap { target in
        planner.row(
          of: target, in: destination, list: list,
          linked: planner.sharedMember(target, rule, of: batch, owner: occurrence), parts: self)
          ?? (planner.awaits(target, in: destination) ? StatementLog.unknown : nil)
      }
      var flags: StatementLog.Flags = mentions.kinds[mention] == .keys ? .keys : []
      if owner == parent, planner.endsParentList || relationship.kind == .manyToMany {
        flags.insert(.keepsAll)
      } else if planner.operations.contains(owner == parent ? .delete : .deleteRelationships) {
        flags.insert(.deletes)
      }
      if suspended.contains(owner) { flags.insert(.keepsAll) }
      if owner == parent {
        flags.insert(.goesOn)
        if suspended.contains(owner) { look(at: owner, listing: key) }
      }
      if planner.claims.standIns.isEmpty || batch.orders == nil {
        log.append(.list, flags, key, owner, members)
      } else {
        words.append(
          Word(
            order: mentions.orders[mention], kind: .list, flags: flags, relationship: key,
            row: owner, members: members))
      }
      if spoken[key]?.contains(owner) ?? false, owner != parent || relationship.isOrdered {
        look(at: owner, listing: key)
      }
      self.spoken[key, default: RowSet()].insert(owner)
      guard let inverse else { return }
      let column = Relationship(inverse)
      for member in members where member > 0 {
        if named[key]?.contains(member) ?? false || spoken[column]?.contains(member) ?? false {
          look(at: member, of: key)
        }
        self.named[key, default: RowSet()].insert(member)
      }
    }
  }

  private mutating func noteReferences(
    _ rule: Int, of batch: Batch, _ planner: LinkPlanner, _ spoken: [Relationship: RowSet],
    _ named: [Relationship: RowSet], _ words: inout [Word]
  ) throws {
    let relationship = batch.node.relationships[rule].relationship
    let key = Relationship(relationship)
    let destination = planner.batches[batch.node.relationships[rule].node]
    let mentions = batch.mentions[rule]
    let isOneToOne = batch.node.relationships[rule].isOneToOne
    let list = batch.entity.inverse(of: relationship).flatMap {
      $0.isToMany ? Relationship($0) : nil
    }
    try planner.activeMentions(rule, of: batch) { mention, owner in
      if mention % SyncControl.stride == 0 { try planner.control.checkpoint() }
      let row = batch.occurrences[Int(owner)].row
      var partner: Int64? = 0
      if let target = mentions.targets(of: mention).first {
        partner = planner.row(
          of: target, in: destination, list: nil,
          linked: planner.linkedRow(owner, rule, of: batch, self), parts: self)
        if partner == nil, !planner.awaits(target, in: destination) { return }
      }
      let word = partner ?? StatementLog.unknown
      if isOneToOne || batch.orders != nil && !planner.claims.standIns.isEmpty {
        words.append(
          Word(
            order: mentions.orders[mention], kind: .reference, relationship: key, row: row,
            members: [word]))
      } else {
        log.append(.reference, [], key, row, CollectionOfOne(word))
      }
      let isRepeated = spoken[key]?.contains(row) ?? false
      if isRepeated, partner == nil || isOneToOne {
        look(at: row, of: list ?? key)
      }
      if let list, named[list]?.contains(row) ?? false { look(at: row, of: list) }
      if partner != nil || isOneToOne {
        self.spoken[key, default: RowSet()].insert(row)
      }
    }
  }
}
