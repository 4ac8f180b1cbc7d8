import SyncCore

/// Stand-ins as they come, and what is said of them.
extension Claims {
  /// Notes the stand-ins of a matched part, and what it says of the attributes of stand-ins and of stored objects
  /// of their keys: later words win, of whichever they are. Has to happen before values are dropped.
  ///
  /// - Throws: `CancellationError`.
  func noteStandIns(_ matcher: Matcher) throws {
    var heads: [Int: Set<Int32>] = [:]
    for (number, occurrence) in matcher.standIns {
      let batch = matcher.batches[number]
      addStandIn(occurrence, of: batch, matcher)
      noteKey(of: occurrence, in: batch, matcher, &heads)
    }
    for replacement in matcher.replacements { addReplacement(replacement, matcher) }
    guard !standIns.isEmpty else { return }
    while try addBelow(matcher, &heads) {}
    for batch in matcher.batches where standIns.areIn(root: batch.entity.rootIndex) {
      try noteWords(in: batch, matcher.control)
      for (head, rows) in batch.contested
      where rows.contains(where: { isStandIn(batch.stored.rows[Int($0)], in: batch) }) {
        heads[batch.number, default: []].insert(head)
      }
      for (head, objects) in batch.general
      where objects.contains(where: { isStandIn($0.row, in: batch) }) {
        heads[batch.number, default: []].insert(head)
      }
      for head in heads[batch.number] ?? [] { noteRivals(ofKey: head, in: batch) }
    }
  }

  /// What the object that others have seen holds comes before what is said from now on.
  private func addReplacement(_ replacement: Matcher.Replacement, _ matcher: Matcher) {
    let batch = matcher.batches[replacement.batch]
    let row = row(of: replacement.by, in: batch)
    guard row > 0 else { return }
    let entity = replacement.object.entity
    let object = StandIns.Object(root: entity.rootIndex, row: replacement.object.row)
    var slots = SlotSet()
    for property in entity.properties where property.isColumn && property.attribute != nil {
      slots.insert(property.slot)
    }
    standIns.note(slots, of: object, at: Int64(partCount) << 32 - 1)
    standIns.replace(object, by: row)
  }

  private func isStandIn(_ row: Int64, in batch: Batch) -> Bool {
    standIns.contains(row, root: batch.entity.rootIndex)
  }

  /// - Returns: False when it was there.
  @discardableResult
  private func addStandIn(_ occurrence: Int32, of batch: Batch, _ matcher: Matcher) -> Bool {
    let mention = batch.occurrences[Int(occurrence)]
    let owners = matcher.batches[Int(mention.ownerBatch)]
    let rule = owners.node.relationships[Int(mention.ownerRule)]
    let isKeyless = mention.flags.contains(.keyless)
    return standIns.add(
      StandIns.StandIn(
        row: batch.occurrences[Int(batch.representative(occurrence))].row,
        owner: matcher.ownerRow(mention), isBelow: matcher.isBelowStandIn(mention)),
      to: StandIns.Place(
        relationship: Relationship(rule.relationship), entity: batch.entity.index,
        root: batch.entity.rootIndex, identity: isKeyless ? [] : batch.node.identity,
        keyScopeIsOwner: rule.keyScopeIsOwner))
  }

  /// Adds the new objects whose identity follows from an owner that is a stand-in.
  ///
  /// - Returns: Whether there were any.
  private func addBelow(_ matcher: Matcher, _ heads: inout [Int: Set<Int32>]) throws -> Bool {
    var hasAdded = false
    for batch in matcher.batches {
      try matcher.control.checkpoint()
      for (index, mention) in batch.occurrences.enumerated()
      where mention.flags.contains(.inserted) && mention.owner >= 0
        && !mention.flags.contains(.folded) && !isStandIn(mention.row, in: batch)
      {
        let isKeyless = mention.flags.contains(.keyless)
        guard mention.isOwned != isKeyless, matcher.isBelowStandIn(mention) else { continue }
        addStandIn(Int32(index), of: batch, matcher)
        hasAdded = true
        if !isKeyless { noteKey(of: Int32(index), in: batch, matcher, &heads) }
      }
    }
    return hasAdded
  }

  /// Notes the first mentions of a stand-in's key, under its entity and its relatives.
  private func noteKey(
    of occurrence: Int32, in batch: Batch, _ matcher: Matcher, _ heads: inout [Int: Set<Int32>]
  ) {
    let relatives =
      matcher.subentityBatches[batch.number] + matcher.superentityBatches[batch.number]
    for other in [batch] + relatives {
      let head = other.index.find(identityOf: batch.block[Int(occurrence)])
      if head >= 0 { heads[other.number, default: []].insert(head) }
    }
  }

  // MARK: - Words

  private func noteWords(in batch: Batch, _ control: SyncControl) throws {
    for index in batch.occurrences.indices {
      if index % SyncControl.stride == 0 { try control.checkpoint() }
      let index = Int32(index)
      guard isFollowed(row(of: index, in: batch), in: batch) || isLinked(index, in: batch) else {
        continue
      }
      noteWords(of: index, in: batch)
    }
  }

  /// Whether a mention without key is a stored object, whose key nobody may have mentioned.
  private func isLinked(_ occurrence: Int32, in batch: Batch) -> Bool {
    batch.occurrences[Int(occurrence)].flags.contains(.keyless)
      && batch.occurrences[Int(batch.representative(occurrence))].stored >= 0
  }

  /// Notes what the mentions of a key say of other objects, from the first mention of it on.
  private func noteRivals(ofKey head: Int32, in batch: Batch) {
    var candidate = head
    while candidate >= 0 {
      if !isFollowed(row(of: candidate, in: batch), in: batch) {
        noteWords(of: candidate, in: batch)
      }
      candidate = batch.occurrences[Int(candidate)].next
    }
  }

  private func isFollowed(_ row: Int64, in batch: Batch) -> Bool {
    standIns.isFollowed(row, root: batch.entity.rootIndex)
  }

  private func row(of occurrence: Int32, in batch: Batch) -> Int64 {
    batch.occurrences[Int(batch.representative(occurrence))].row
  }

  private func noteWords(of index: Int32, in batch: Batch) {
    let occurrence = batch.occurrences[Int(index)]
    let object = batch.occurrences[Int(batch.representative(index))]
    guard object.row > 0, object.flags.contains(.active),
      occurrence.flags.isDisjoint(with: [.muted, .referenceOnly])
    else { return }
    let cells = batch.block[Int(index)]
    var slots: [Int64: SlotSet] = [:]
    for slot in batch.node.attributeSlots where !cells[slot].isAbsent {
      let order = batch.orders == nil ? UInt32(index) : batch.order(of: slot, index)
      slots[Int64(partCount) << 32 | Int64(order), default: []].insert(slot)
    }
    for (time, slots) in slots {
      standIns.note(
        slots, of: StandIns.Object(root: batch.entity.rootIndex, row: object.row), at: time)
    }
  }
}
