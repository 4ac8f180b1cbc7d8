import SyncCore

/// Which objects the payload links to: of several of a key the one that was there before.
extension LinkPlanner {
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
      .map { $0.batch.occurrences[Int($0.occurrence)].row }
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

  /// An object of the payload, in the batch that writes it.
  struct Found {
    let batch: Batch
    let occurrence: Int32
  }

  /// The new object a key refers to: of several objects of the key the oldest; when there is none, one of a
  /// subentity.
  private func oldest(ofReference reference: Int32, in destination: Batch) -> Found? {
    let key = destination.references[Int(reference)]
    if let own = oldest(of: key, in: [destination]) { return own }
    guard !destination.entity.subentities.isEmpty else { return nil }
    return oldest(of: key, in: destination.subentityBatches(among: batches))
  }

  private func oldest(of key: UnsafePointer<Cell>, in batches: [Batch]) -> Found? {
    var oldest: (place: Found, row: Int64)?
    for batch in batches {
      var candidate = batch.index.find(identityOf: key)
      while candidate >= 0 {
        let occurrence = batch.representative(candidate)
        let row = batch.occurrences[Int(occurrence)].row
        if row > 0, row < oldest?.row ?? .max {
          oldest = (Found(batch: batch, occurrence: occurrence), row)
        }
        candidate = batch.occurrences[Int(candidate)].next
      }
    }
    return oldest?.place
  }

  /// The occurrence of a nested object that is or will be stored; nil for keys.
  @inline(__always)
  func existing(_ target: Int32, in destination: Batch) -> Int32? {
    guard target >= 0 else { return nil }
    let occurrence = destination.representative(target)
    return destination.occurrences[Int(occurrence)].row > 0 ? occurrence : nil
  }

  /// The occurrence to write a reference of a target into, or nil when there is no such object.
  func writable(_ target: Int32, in destination: Batch, list: MemberList) -> Found? {
    guard target < 0 else {
      return existing(target, in: destination).map { Found(batch: destination, occurrence: $0) }
    }
    if let stored = storedRow(~target, in: destination, list: list, parts: claims.parts) {
      return Found(batch: destination, occurrence: destination.occurrence(ofStored: stored))
    }
    return oldest(ofReference: ~target, in: destination)
  }

  /// The object that a to-one relationship of a stored object led to before the payload, or 0.
  func linkedRow(_ owner: Int32, _ rule: Int, of batch: Batch, _ parts: PartMemory?) -> Int64 {
    let stored = batch.occurrences[Int(owner)].stored
    guard stored >= 0,
      let column = batch.node.toOneSlots.firstIndex(of: batch.node.relationships[rule].slot)
    else { return 0 }
    return batch.origin(column, ofStored: stored, parts)
  }

  /// Whether there was an object of the key of a nested one.
  func isStored(_ target: Int32, in destination: Batch) -> Bool {
    let head = destination.index.find(identityOf: destination.block[Int(target)])
    guard head >= 0 else { return false }
    return (destination.firstStored[head] ?? destination.occurrences[Int(head)].stored) >= 0
      || destination.contested[head] != nil
  }
}
