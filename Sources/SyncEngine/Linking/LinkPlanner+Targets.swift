import SyncCore

/// Which objects the payload links to: of several of a key the one that was there before.
extension LinkPlanner {
  /// The row a target of a mention came out as, or nil when there is none to link.
  ///
  /// - Parameter isLinked: Whether the relationship leads to a stored object already: of several of
  ///   the key it stays the one.
  func row(
    of target: Int32, in destination: MatchedBatch, isLinked: (Int32) -> Bool = { _ in false }
  ) -> Int64? {
    if target >= 0 {
      let row = destination.matches[destination.representative(target)].row
      return row > 0 ? row : nil
    }
    if let stored = storedRow(~target, in: destination, isLinked) {
      return destination.stored.rows[stored]
    }
    return oldest(ofReference: ~target, in: destination)?.match.row
  }

  /// Whether a stored object is in the list of an owner already.
  func isMember(_ index: Int32, of owner: Int64, _ rule: Int, of batch: MatchedBatch) -> Bool {
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    if relationship.kind == .oneToMany {
      let inverse = relationship.relationship.inverseSlot
      return inverse.flatMap(destination.destinations)?[index] == owner
    }
    let members = matches.formerMembers[ListPlace(batch: batch.number, rule: rule)]?[owner]
    return members?.contains(destination.stored.rows[index]) == true
  }

  /// The stored object a key refers to: of several one that is linked, else the oldest.
  private func storedRow(
    _ reference: Int32, in destination: MatchedBatch, _ isLinked: (Int32) -> Bool
  ) -> Int32? {
    if let linked = destination.references.duplicates[reference]?.filter(isLinked)
      .min(by: { destination.stored.rows[$0] < destination.stored.rows[$1] })
    {
      claims.mention(destination.stored.rows[linked], destination.entity)
      return linked
    }
    let stored = destination.references.first[Int(reference)]
    return stored >= 0 ? stored : nil
  }

  /// The new object a key refers to: of several objects of the key the oldest; when there is none,
  /// one of a subentity.
  private func oldest(ofReference reference: Int32, in destination: MatchedBatch) -> MatchedObject?
  {
    let key = destination.staged.references[reference]
    if let own = oldest(of: key, in: [destination]) { return own }
    guard !destination.entity.subentities.isEmpty else { return nil }
    return oldest(of: key, in: destination.subentityBatches(among: batches))
  }

  private func oldest(of key: UnsafePointer<Cell>, in batches: [MatchedBatch]) -> MatchedObject? {
    var oldest: (place: MatchedObject, row: Int64)?
    for batch in batches {
      var candidate = batch.occurrence { key[$0] }
      while candidate >= 0 {
        let found = matches.object(candidate, in: batch)
        let row = found.match.row
        if row > 0, row < oldest?.row ?? .max { oldest = (found, row) }
        candidate = batch.matches[candidate].next
      }
    }
    return oldest?.place
  }

  /// The object that a target of a list means, or nil when there is none. An object that is
  /// mentioned as one of a subentity, too, is linked there alone.
  ///
  /// - Parameter deeper: The batches of subentities of the destination.
  @inline(__always)
  func written(
    _ target: Int32, in destination: MatchedBatch, deeper: [MatchedBatch],
    isLinked: (Int32) -> Bool
  ) -> MatchedObject? {
    guard target < 0 else {
      let object = matches.object(target, in: destination)
      guard object.match.row > 0 else { return nil }
      return deeper.isEmpty ? object : found(object.match.row, in: deeper) ?? object
    }
    return written(ofReference: ~target, in: destination, deeper, isLinked)
  }

  private func written(
    ofReference reference: Int32, in destination: MatchedBatch, _ deeper: [MatchedBatch],
    _ isLinked: (Int32) -> Bool
  ) -> MatchedObject? {
    guard let stored = storedRow(reference, in: destination, isLinked) else {
      return oldest(ofReference: reference, in: destination)
    }
    if !deeper.isEmpty, destination.stored.occurrences[stored] < 0,
      let found = found(destination.stored.rows[stored], in: deeper)
    {
      return found
    }
    let object = references[destination.number].object(ofStored: stored)
    return MatchedObject(batch: destination, number: object)
  }

  /// The occurrence of a stored row in the batches of subentities.
  func found(_ row: Int64, in batches: [MatchedBatch]) -> MatchedObject? {
    for batch in batches {
      guard let index = batch.stored.index(ofRow: row),
        case let occurrence = batch.stored.occurrences[index], occurrence >= 0
      else { continue }
      return MatchedObject(batch: batch, number: batch.representative(occurrence))
    }
    return nil
  }

  /// Whether there was an object of the key of a nested one.
  func isStored(_ target: Int32, in destination: MatchedBatch) -> Bool {
    let head = destination.head(of: target)
    guard head >= 0 else { return false }
    return destination.onlyStored(ofKey: head) >= 0 || destination.contested[head] != nil
  }
}

/// Places of the payload that lead one object to different others.
extension LinkPlanner {
  /// Counts owners of which several places say something else of a to-one relationship.
  func noteContradictions(_ rule: Int, of batch: MatchedBatch) {
    let mentions = batch.mentions[rule]
    guard batch.hasRepeats, mentions.count > 1 else { return }
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    var latest: [Int32: Int32?] = [:]
    for mention in 0..<mentions.count
    where !batch.matches[mentions.owners[mention]].flags.contains(.ignored) {
      let owner = batch.representative(mentions.owners[mention])
      let target = mentions.targets(of: mention).first
      defer { latest[owner] = .some(target) }
      guard let known = latest[owner], differ(known, target, in: destination) else { continue }
      contradictions[batch.entity.index, default: Contradictions()].add(
        relationship.name, key: batch.key(batch.cells(owner)).description,
        values: (name(known, in: destination), name(target, in: destination)))
    }
  }

  private func differ(_ one: Int32?, _ other: Int32?, in batch: MatchedBatch) -> Bool {
    guard let one, let other else { return one != other }
    guard one >= 0, other >= 0 else { return key(one, in: batch) != key(other, in: batch) }
    let (cells, others) = (batch.representative(one), batch.representative(other))
    guard cells != others, batch.node.identity.isEmpty else { return cells != others }
    // Without a key they are told apart by their values.
    return batch.node.columns.attributes.contains { slot in
      !batch.cells(cells)[slot].isIdentical(to: batch.cells(others)[slot])
    }
  }

  private func key(_ target: Int32, in batch: MatchedBatch) -> Value {
    batch.key(target >= 0 ? batch.cells(target) : batch.staged.references[~target])
  }

  private func name(_ target: Int32?, in batch: MatchedBatch) -> String {
    guard let target else { return "none" }
    guard target >= 0, batch.node.identity.isEmpty else {
      return "\(batch.entity.name) \(key(target, in: batch))"
    }
    let values = batch.node.columns.attributes.compactMap { slot -> String? in
      let value = batch.cells(batch.representative(target))[slot]
      let property = batch.entity.properties[slot]
      return value.isAbsent ? nil : "\(property.name) \(value.value(as: property.attribute?.type))"
    }
    return "\(batch.entity.name) (\(values.joined(separator: ", ")))"
  }
}
