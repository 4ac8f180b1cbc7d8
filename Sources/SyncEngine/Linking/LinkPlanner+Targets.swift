import SyncCore

/// Which objects the payload links to: of several of a key the one that was there before.
extension LinkPlanner {
  /// The row a target of a mention came out as, or nil when there is none to link.
  ///
  /// - Parameter linked: The object that the relationship leads to already: of several of the key
  ///   it stays the one.
  func row(
    of target: Int32, in destination: MatchedBatch, list: MemberList? = nil,
    linked: @autoclosure () -> Int64 = 0
  ) -> Int64? {
    if target >= 0 {
      let row = destination.occurrences[destination.representative(target)].row
      return row > 0 ? row : nil
    }
    if let rows = destination.references.duplicates[~target] {
      let linked = linked()
      if rows.contains(where: { destination.stored.rows[$0] == linked }) {
        claims.mention(linked, destination.entity)
        return linked
      }
    }
    if let stored = storedRow(~target, in: destination, list: list) {
      return destination.stored.rows[stored]
    }
    return oldest(ofReference: ~target, in: destination)
      .map { $0.batch.occurrences[$0.object].row }
  }

  /// A one-to-many list, as far as the choice between objects of one key needs it.
  struct MemberList {
    let owner: Int64
    /// Column of the members that leads to the owner.
    let inverse: Int
  }

  /// The stored object a key refers to: of several the owner's own child, else the oldest.
  private func storedRow(_ reference: Int32, in destination: MatchedBatch, list: MemberList?)
    -> Int32?
  {
    if let list, let rows = destination.references.duplicates[reference],
      let owners = destination.destinations(of: list.inverse)
    {
      let own = rows.filter { owners[$0] == list.owner }
      if let first = own.min(by: {
        destination.stored.rows[$0] < destination.stored.rows[$1]
      }) {
        claims.mention(destination.stored.rows[first], destination.entity)
        return first
      }
    }
    let stored = destination.references.first[Int(reference)]
    return stored >= 0 ? stored : nil
  }

  /// An object in the batch that writes it, by its number in ``LinkedReferences``.
  struct Found {
    let batch: MatchedBatch
    let object: Int32
  }

  /// The occurrence that writes a nested object: that of a subentity, where the payload mentions it
  /// there too.
  @inline(__always)
  func object(_ target: Int32, in destination: MatchedBatch) -> Found {
    let occurrence = destination.representative(target)
    guard destination.occurrences[occurrence].flags.contains(.ofSubentity),
      let other = destination.staged.ofSubentities[occurrence]
    else { return Found(batch: destination, object: occurrence) }
    let batch = batches[other.batch]
    return Found(batch: batch, object: batch.representative(other.occurrence))
  }

  /// The new object a key refers to: of several objects of the key the oldest; when there is none,
  /// one of a subentity.
  private func oldest(ofReference reference: Int32, in destination: MatchedBatch) -> Found? {
    let key = destination.staged.references[reference]
    if let own = oldest(of: key, in: [destination]) { return own }
    guard !destination.entity.subentities.isEmpty else { return nil }
    return oldest(of: key, in: destination.subentityBatches(among: batches))
  }

  private func oldest(of key: UnsafePointer<Cell>, in batches: [MatchedBatch]) -> Found? {
    var oldest: (place: Found, row: Int64)?
    for batch in batches {
      var candidate = batch.occurrence { key[$0] }
      while candidate >= 0 {
        let found = object(candidate, in: batch)
        let row = found.batch.occurrences[found.object].row
        if row > 0, row < oldest?.row ?? .max { oldest = (found, row) }
        candidate = batch.occurrences[candidate].next
      }
    }
    return oldest?.place
  }

  /// The object that a target of a list means, or nil when there is none.
  @inline(__always)
  func written(_ target: Int32, in destination: MatchedBatch, list: MemberList) -> Found? {
    guard target < 0 else {
      let found = object(target, in: destination)
      return found.batch.occurrences[found.object].row > 0 ? found : nil
    }
    return written(ofReference: ~target, in: destination, list: list)
  }

  private func written(
    ofReference reference: Int32, in destination: MatchedBatch, list: MemberList
  ) -> Found? {
    guard let stored = storedRow(reference, in: destination, list: list) else {
      return oldest(ofReference: reference, in: destination)
    }
    let deeper = destination.deeperBatches(among: batches)
    if !deeper.isEmpty, destination.stored.occurrences[stored] < 0,
      let found = found(destination.stored.rows[stored], in: deeper)
    {
      return found
    }
    let object = references[destination.number].object(ofStored: stored)
    return Found(batch: destination, object: object)
  }

  /// The occurrence of a stored row in the batches of subentities.
  func found(_ row: Int64, in batches: [MatchedBatch]) -> Found? {
    for batch in batches {
      guard let index = batch.stored.index(ofRow: row),
        case let occurrence = batch.stored.occurrences[index], occurrence >= 0
      else { continue }
      return Found(batch: batch, object: batch.representative(occurrence))
    }
    return nil
  }

  /// Whether there was an object of the key of a nested one.
  func isStored(_ target: Int32, in destination: MatchedBatch) -> Bool {
    let head = destination.index.find(identityOf: destination.cells(target))
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
    where !batch.occurrences[mentions.owners[mention]].flags.contains(.ignored) {
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
    // Without a key they are told apart by what they say.
    return batch.node.columns.attributes.contains { slot in
      !batch.cells(cells)[slot].isIdentical(to: batch.cells(others)[slot])
    }
  }

  private func key(_ target: Int32, in batch: MatchedBatch) -> Value {
    batch.key(
      target >= 0 ? batch.cells(target) : UnsafePointer(batch.staged.references[~target]))
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
