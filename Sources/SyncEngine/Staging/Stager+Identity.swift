import SyncCore

/// Which object a staged row is, as far as the payload alone can tell.
extension Stager {
  /// Decides which object a freshly filled row is, as far as the payload alone can tell.
  func identify(_ row: Int, in node: StagingNode, source: UInt, role: Role) throws -> Int32? {
    let batch = node.batch
    let cells = batch.block[row]
    counts.mentions &+= 1
    let isKeyless =
      if let slot = node.keySlot {
        cells[slot].holdsNothing
      } else {
        !node.hasIdentity || batch.node.identity.contains { cells[$0].isEmpty }
      }
    var occurrence = Occurrence()
    occurrence.traits = node.permissions
    if item.isRejected { occurrence.traits.insert(.rejected) }
    if let owner = role.owner {
      occurrence.owner = owner.owner
      occurrence.ownerBatch = Int16(owner.batch)
      occurrence.ownerRule = Int16(owner.rule)
      if case .member = role { occurrence.traits.insert(.owned) }
    }
    if case .target(let target) = role {
      // A key that is null or unreadable says nothing about the object's key.
      for slot in batch.node.identity where cells[slot].isEmpty { cells[slot] = .absent }
      occurrence.traits.insert(.keyless)
      let result = append(occurrence, source: source, to: batch)
      part.items.targetRows[result] = target
      return result
    }
    if !node.hasIdentity, let owner = role.owner, isKeylessOwned(owner) {
      occurrence.traits.insert(.keyless)
      if reader(owner.batch).links[owner.rule].rule.isToMany {
        occurrence.traits.insert(.value)
      }
      if reader(owner.batch).links[owner.rule].isOwned { occurrence.traits.insert(.owned) }
      if node.plan.alwaysInserts { occurrence.traits.insert(.forced) }
      return append(occurrence, source: source, to: batch)
    }
    if node.plan.hasPolicyForUnidentified, isKeyless || node.plan.alwaysInserts {
      return try identifyUnkeyed(
        row, occurrence, isKeyless: isKeyless, source: source, in: node, role: role)
    }
    if isKeyless || alwaysInserts(role) {
      return try identifyKeyless(row, occurrence, source: source, in: batch, role: role)
    }
    batch.goneItems?.revoke(cells)
    if case .root = role { occurrence.traits.insert(.root) }
    if part.rootOwner != nil, role.owner == part.rootOwner { occurrence.traits.insert(.root) }
    let head = batch.index.findOrInsert(Int32(row))
    guard head >= 0 else {
      return append(occurrence, source: source, to: batch, group: node.group)
    }
    if let earlier = earlierOccurrence(
      like: occurrence, from: head, in: batch, group: node.group)
    {
      var isTold = false
      if case .root = role {
        noteRepeated(earlier, in: batch)
        isTold = batch.occurrences[earlier].owner < 0
      }
      if !request.version.tracksItems || occurrence.isOwned {
        batch.orders?.note(
          counts.mentions, of: batch.node.columns.attributes.lazy.filter { !cells[$0].isAbsent },
          earlier, width: batch.block.width)
        batch.block[earlier].lay(cells, of: batch.node) { slot in
          batch.occurrences[earlier].traits.insert(.conflicting)
          if !isTold {
            batch.contradictions.add(
              batch, cells, batch.cells(earlier), in: slot, path: path.description)
          }
        }
        batch.block.removeLast()
        batch.hasRepeats = true
        return earlier
      }
    }
    let result = append(occurrence, source: source, to: batch, group: node.group)
    batch.chain(result, to: head)
    return result
  }

  /// Whether objects without a key belong to the one they stand below, unless all of them are to be
  /// new.
  private func isKeylessOwned(_ owner: Owner) -> Bool {
    reader(owner.batch).links[owner.rule].rule.ownsKeyless
      && !(owner == part.rootOwner && request.operations.contains(.alwaysInsert))
  }

  /// An object without a key: only the one a to-one relationship leads to can still be told.
  private func identifyKeyless(
    _ row: Int, _ occurrence: Occurrence, source: UInt, in batch: Batch, role: Role
  ) throws -> Int32? {
    if alwaysInserts(role) {
      var new = occurrence
      new.traits.insert(.keyless)
      return append(new, source: source, to: batch)
    }
    if case .toOne = role {
      // A key that is null or unreadable says nothing about the linked object's key.
      for slot in batch.node.identity where batch.block[row][slot].isEmpty {
        batch.block[row][slot] = .absent
      }
      var keyless = occurrence
      keyless.traits.insert(.keyless)
      // It may be the linked object; a new one would need the key that it does not have.
      if batch.node.identity.contains(where: {
        !batch.entity.properties[$0].isOptional
          && batch.entity.properties[$0].attribute?.defaultValue == .null
      }) {
        keyless.traits.insert(.neverInserted)
      }
      return append(keyless, source: source, to: batch)
    }
    guard !batch.node.identity.isEmpty else {
      throw SyncError.noPrimaryKey(batch.entity.name, path: path.description)
    }
    batch.block.removeLast()
    noteUnreadable(role)
    try skip(batch, .missingKey, "The item has no readable \(batch.node.identityText).")
    return nil
  }

  /// Identifies an object of explicit mapping without key, or one that is always new.
  private func identifyUnkeyed(
    _ row: Int, _ occurrence: Occurrence, isKeyless: Bool, source: UInt, in node: StagingNode,
    role: Role
  ) throws -> Int32? {
    let batch = node.batch
    // A key that a new object lacks protects no stored one: an error document would empty the
    // group.
    let isComplete = !isKeyless || !node.hasIdentity
    if (node.plan.alwaysInserts && isComplete) || node.plan.policy.missingIdentity == .insert {
      // A stored object with the key counts as named all the same.
      if !isKeyless { _ = batch.references.number(ofKeyIn: batch.block[row]) }
      var new = occurrence
      new.traits.formUnion([.keyless, .forced])
      if case .root = role { new.traits.insert(.root) }
      return append(new, source: source, to: batch)
    }
    let missing = batch.node.identity.first { batch.block[row][$0].isEmpty }
    let name = missing.map { batch.entity.properties[$0].name } ?? batch.node.identityName
    let rule = missing.flatMap(node.plan.attributeRule(forSlot:))
    let key = rule.map { String(node.plan.attributes[$0].path.dropFirst()) } ?? ""
    let wanted = key.isEmpty || key == name ? "“\(name)”" : "“\(key)” for its “\(name)”"
    batch.block.removeLast()
    let error = SyncError(
      .missingKey, entity: batch.entity.name, property: name, path: path.description,
      message: """
        An item of “\(batch.entity.name)” has no \(wanted), so its object is unknown.
        """)
    if node.plan.policy.missingIdentity == .fail { try refuse(error) }
    noteUnreadable(role)
    noteRejected(error, in: batch)
    return nil
  }

  private func append(
    _ occurrence: Occurrence, source: UInt, to batch: Batch, group: Int32 = -1
  ) -> Int32 {
    batch.append(
      occurrence, address: source, item: part.items.end - 1, order: counts.mentions, group: group)
  }

  /// Whether an item always becomes a new object.
  private func alwaysInserts(_ role: Role) -> Bool {
    guard request.operations.contains(.alwaysInsert) else { return false }
    switch role {
    case .root: return true
    case .beside: return false
    default: return role.owner == part.rootOwner
    }
  }

  /// An earlier occurrence that is certainly the same object: of the same key, and in the list of
  /// the same owner when it stands in one. Other cases are found when objects are matched.
  private func earlierOccurrence(
    like occurrence: Occurrence, from head: Int32, in batch: Batch, group: Int32
  ) -> Int32? {
    var candidate = head
    // Values staged since would otherwise come after those of this mention; an object without key
    // may be any.
    let latest = max(head, batch.occurrences[head].next)
    guard batch.latestKeyless < latest else { return nil }
    // The members of one owner are staged together, so they stand at the front of the chain: a key
    // that every owner uses does not cost a walk over all owners.
    for _ in 0..<4 where candidate >= 0 {
      let other = batch.occurrences[candidate]
      if candidate == latest, other.isOwned == occurrence.isOwned, mayMerge(other, occurrence),
        batch.groups.group(of: candidate) == group,
        !other.isOwned
          || (other.owner == occurrence.owner && other.ownerBatch == occurrence.ownerBatch
            && other.ownerRule == occurrence.ownerRule)
      {
        return candidate
      }
      candidate = other.next
    }
    return nil
  }

  /// Whether two mentions of one object may be laid together before stored objects are known: when
  /// both count in any case, or stand in the same place.
  private func mayMerge(_ one: Occurrence, _ other: Occurrence) -> Bool {
    guard one.traits.isDisjoint(with: Stager.unmergeable),
      other.traits.isDisjoint(with: Stager.unmergeable)
    else { return false }
    return one.isOwned || (one.traits.contains(.root) && other.traits.contains(.root))
      || request.operations.isSuperset(of: .writing)
  }

  private static let unmergeable: Occurrence.Traits = [.rejected, .neverInserted, .neverUpdated]

  private func noteRepeated(_ occurrence: Int32, in batch: Batch) {
    // A mere reference to an object is no item.
    guard batch.occurrences[occurrence].traits.contains(.root) else { return }
    let key = batch.key(batch.block[occurrence]).description
    report.note(
      .repeatedItem, batch.entity, key: key, path: path.description,
      message: "The payload holds \(batch.entity.name) \(key) more than once; later values win.")
  }

  /// The rule of an object's inverse to the relationship under which it stands, or -1: its value in
  /// the JSON is ignored.
  func inverse(_ role: Role) -> Int {
    if let owner = role.owner { return reader(owner.batch).links[owner.rule].inverse }
    if case .root = role { return rootLink?.reference?.rule ?? -1 }
    return -1
  }
}
