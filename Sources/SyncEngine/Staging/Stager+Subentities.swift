import SyncCore

/// An occurrence of a subentity's batch.
struct SubentityMention: Hashable {
  let batch: Int
  let occurrence: Int32
}

/// One key under an entity and under a subentity of it is one object in one part of a payload, of the subentity: what is
/// said under the superentity is laid onto the row of the subentity before anybody looks for stored objects.
extension Stager {
  func foldSuperentities() {
    for batch in batches where batch.orders != nil && !batch.occurrences.isEmpty {
      let deeper = batch.subentityBatches(among: batches)
        .filter { !$0.occurrences.isEmpty }.sorted { $0.entity.depth > $1.entity.depth }
      guard !deeper.isEmpty else { continue }
      for index in batch.occurrences.indices {
        let occurrence = batch.occurrences[index]
        guard occurrence.flags.isDisjoint(with: Stager.unfoldable),
          let (other, found) = find(batch.block[index], in: deeper)
        else { continue }
        // Two owners that nest one key have two children: one of them is the subentity's.
        if occurrence.isOwned {
          let head = batch.index.find(identityOf: batch.block[index])
          let rule = nodes[Int(occurrence.ownerBatch)].batch.node
            .relationships[Int(occurrence.ownerRule)]
          guard !rule.keyScopeIsOwner, batch.keysOfSubentities.insert(head).inserted else {
            continue
          }
        }
        batch.ofSubentities[Int32(index)] = SubentityMention(batch: other.number, occurrence: found)
        batch.occurrences[index].flags.formUnion([.ofSubentity, .conflicting])
        other.occurrences[found].flags.insert(.conflicting)
        // What may perhaps not write the object says nothing.
        if operations.isSuperset(of: .writing) { lay(index, of: batch, onto: found, of: other) }
      }
      if batch.isFolded, operations.isSuperset(of: .writing) {
        for rule in batch.node.relationships.indices { moveMentions(rule, of: batch) }
      }
    }
  }

  private static let unfoldable: Occurrence.Flags = [.keyless, .leftOut, .referenceOnly]

  private func find(
    _ cells: UnsafePointer<Cell>, in batches: [Batch]
  ) -> (batch: Batch, occurrence: Int32)? {
    for batch in batches {
      let found = batch.index.find(identityOf: cells)
      if found >= 0, batch.occurrences[found].flags.isDisjoint(with: Stager.unfoldable) {
        return (batch, found)
      }
    }
    return nil
  }

  /// Of each attribute the later mention counts.
  private func lay(_ index: Int, of batch: Batch, onto found: Int32, of other: Batch) {
    let own = batch.block[index]
    let written = other.block[found]
    for slot in batch.node.columns.attributes where !own[slot].isAbsent {
      let order = batch.order(of: slot, Int32(index))
      guard written[slot].isAbsent || order > other.order(of: slot, found) else { continue }
      written[slot] = own[slot]
      other.note(order, of: slot, found)
    }
  }

  /// Lets the subentities' occurrences say of a relationship what was said under the superentity, unless they did so later.
  private func moveMentions(_ rule: Int, of batch: Batch) {
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    let mentions = batch.mentions[rule]
    var latest: [SubentityMention: UInt32] = [:]
    var known: Set<Int> = []
    for mention in 0..<mentions.count {
      let owner = mentions.owners[mention]
      guard let found = batch.ofSubentities[owner] else { continue }
      let other = batches[found.batch]
      guard let otherRule = other.node.relationshipRule(forSlot: relationship.slot) else {
        continue
      }
      let others = other.mentions[otherRule]
      if known.insert(found.batch).inserted {
        for (number, owner) in others.owners.enumerated() {
          latest[SubentityMention(batch: found.batch, occurrence: owner)] = others.orders[number]
        }
      }
      let list = ListKey(batch: batch.number, owner: owner, rule: rule)
      if part.unreadableLists.contains(list) {
        noteUnreadable(ListKey(batch: other.number, owner: found.occurrence, rule: otherRule))
      }
      let order = mentions.orders[mention]
      if let known = latest[found] {
        guard known < order else { continue }
        other.hasRepeats = true
      }
      latest[found] = order
      let targets = Array(mentions.targets(of: mention))
      others.append(
        owner: found.occurrence, kind: mentions.kinds[mention], targets: targets, order: order)
      for target in targets where target >= 0 {
        let child = destination.occurrences[target]
        guard child.owner == owner, Int(child.ownerBatch) == batch.number,
          Int(child.ownerRule) == rule
        else { continue }
        destination.occurrences[target].owner = found.occurrence
        destination.occurrences[target].ownerBatch = Int16(other.number)
        destination.occurrences[target].ownerRule = Int16(otherRule)
      }
    }
  }
}

extension [Batch] {
  /// Where the object of an occurrence is described: with a mention under a subentity there.
  func object(_ occurrence: Int32, in batch: Batch) -> (batch: Batch, occurrence: Int32) {
    batch.ofSubentities[occurrence].map { (self[$0.batch], $0.occurrence) } ?? (batch, occurrence)
  }
}

// MARK: - When something was said

extension Batch {
  /// Notes that the object of an occurrence was mentioned again, by a row that is laid over it.
  func noteOrder(_ order: UInt32, of row: Int, over earlier: Int32) {
    guard orders != nil else { return }
    for slot in node.columns.attributes where !block[row][slot].isAbsent {
      note(order, of: slot, earlier)
    }
  }

  func note(_ order: UInt32, of slot: Int, _ occurrence: Int32) {
    laterOrders[occurrence, default: Array(repeating: 0, count: block.width)][slot] = order
  }

  /// When an occurrence gave a slot last.
  func order(of slot: Int, _ occurrence: Int32) -> UInt32 {
    if let later = laterOrders[occurrence]?[slot], later > 0 { return later }
    return orders?[Int(occurrence)] ?? 0
  }

  /// The batches of objects of subentities.
  func deeperBatches(among batches: [Batch]) -> [Batch] {
    entity.subentities.isEmpty
      ? [] : batches.filter { $0.number != number && $0.entity.isKind(of: entity) }
  }

  /// Whether no object of the entity and its subentities has a key.
  func isKeyless(among batches: [Batch]) -> Bool {
    node.identity.isEmpty && deeperBatches(among: batches).allSatisfy(\.node.identity.isEmpty)
  }

  /// The batches of objects of subentities that are told apart by the same key.
  func subentityBatches(among batches: [Batch]) -> [Batch] {
    guard !entity.subentities.isEmpty, !node.identity.isEmpty else { return [] }
    return batches.filter {
      $0.number != number && $0.entity.isKind(of: entity) && $0.node.identity == node.identity
    }
  }
}

extension EntityDescription {
  /// How many entities it inherits from.
  var depth: Int {
    var result = 0
    var entity = superentity
    while let next = entity {
      result += 1
      entity = next.superentity
    }
    return result
  }
}
