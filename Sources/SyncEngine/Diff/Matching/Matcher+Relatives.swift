import SyncCore
import SyncStore

/// An object of a superentity that an earlier part of the payload brought.
struct GeneralObject {
  let row: Int64
  /// Whether others may have seen it, since it was committed.
  let isCommitted: Bool
  let entity: EntityDescription
  /// Where its to-one columns lead, by those of the entity below; 0 for nowhere.
  let references: [Int64]
}

/// One key under an entity and under a subentity of it is one object of the subentity, whichever is mentioned first.
/// What an earlier part made becomes one of the subentity at once, or, where others may have seen it, at the end
/// (``StandIns``).
extension Matcher {
  /// Settles an occurrence that no object of its own entity is, unless one was found when rows were read.
  func settleAmongRelatives(_ occurrence: Int32, in batch: Batch) {
    adoptNew(occurrence, in: batch)
    guard !takeOver(occurrence, in: batch) else { return }
    settle(occurrence, in: batch)
  }

  /// Takes the new object of a subentity that the payload brings under the same key, before another one is made: it
  /// is added to the stored ones of the batch, linked to nothing yet.
  private func adoptNew(_ occurrence: Int32, in batch: Batch) {
    let mention = batch.occurrences[Int(occurrence)]
    guard mention.stored < 0, !subentityBatches[batch.number].isEmpty,
      !(mention.isOwned && keysAreOwners(mention))
    else { return }
    var found: (row: Int64, entity: Int)?
    for other in subentityBatches[batch.number] {
      var candidate = other.index.find(identityOf: batch.block[Int(occurrence)])
      while candidate >= 0 {
        let object = other.occurrences[Int(other.representative(candidate))]
        if object.flags.contains(.inserted), object.row > 0, object.row < found?.row ?? .max,
          batch.stored.index(ofRow: object.row) == nil, !isStandIn(candidate, in: other),
          !comesInAnothersPlace(object.row, in: other)
        {
          found = (object.row, other.entity.index)
        }
        candidate = other.occurrences[Int(candidate)].next
      }
    }
    guard let found else { return }
    batch.hasAdopted = true
    batch.occurrences[Int(occurrence)].stored = batch.stored.append(
      row: found.row, entity: found.entity
    ) { _ in 0 }
    batch.occurrences[Int(occurrence)].link = -1
  }

  /// Whether a new object comes in the place of one that is among the stored ones.
  private func comesInAnothersPlace(_ row: Int64, in batch: Batch) -> Bool {
    guard !replacements.isEmpty else { return false }
    if replacing.wave != waveNumber {
      let objects = replacements.map { replacement in
        let batch = batches[replacement.batch]
        let row = batch.occurrences[Int(batch.representative(replacement.by))].row
        return StandIns.Object(root: batch.entity.rootIndex, row: row)
      }
      replacing = (waveNumber, Set(objects))
    }
    return replacing.objects.contains(.init(root: batch.entity.rootIndex, row: row))
  }

  // MARK: - Superentities

  /// Makes the object that a superentity got under the same key one of the entity, before another one is made.
  ///
  /// - Returns: False when there is none.
  private func takeOver(_ occurrence: Int32, in batch: Batch) -> Bool {
    let mention = batch.occurrences[Int(occurrence)]
    let above = superentityBatches[batch.number]
    guard mention.stored < 0, !above.isEmpty, isAllowed(mention, isStored: false) else {
      return false
    }
    let head = batch.index.find(identityOf: batch.block[Int(occurrence)])
    if let object = batch.general[head]?.first(where: { isMeant($0, in: batch) }) {
      guard !wasDeleted(occurrence, in: batch) else { return false }
      guard !object.isCommitted else {
        settle(occurrence, in: batch)
        replacements.append(Replacement(object: object, batch: batch.number, by: occurrence))
        return true
      }
      rename(object.row, to: batch, in: above)
      let hasFamily = !batch.entity.subentities.isEmpty
      let index = batch.stored.append(
        row: object.row, entity: hasFamily ? batch.entity.index : nil
      ) { object.references[$0] }
      batch.specialised[object.row] = object.entity
      take(index, for: occurrence, in: batch)
      return true
    }
    guard let (other, object) = newObject(like: occurrence, in: batch),
      !wasDeleted(occurrence, in: batch)
    else { return false }
    let row = other.occurrences[Int(object)].row
    settle(occurrence, in: batch)
    batch.occurrences[Int(occurrence)].row = row
    other.occurrences[Int(object)].flags.remove(.inserted)
    other.occurrences[Int(object)].link = -1
    other.occurrences[Int(object)].stored = other.stored.append(
      row: row, entity: batch.entity.index
    ) { _ in 0 }
    other.stored.occurrences[other.stored.count - 1] = object
    other.hasAdopted = true
    rename(row, to: batch, in: above)
    return true
  }

  /// Tells the batches of superentities of which entity a row is now.
  private func rename(_ row: Int64, to batch: Batch, in above: [Batch]) {
    for other in above {
      guard let index = other.stored.index(ofRow: row) else { continue }
      other.stored.entities[Int(index)] = Int16(batch.entity.index)
    }
  }

  /// The oldest new object of a superentity that has the key of an occurrence.
  private func newObject(
    like occurrence: Int32, in batch: Batch
  ) -> (batch: Batch, occurrence: Int32)? {
    var found: (batch: Batch, occurrence: Int32, row: Int64)?
    for other in superentityBatches[batch.number] {
      var candidate = other.index.find(identityOf: batch.block[Int(occurrence)])
      while candidate >= 0 {
        let index = other.representative(candidate)
        let object = other.occurrences[Int(index)]
        if object.flags.contains(.inserted), object.row > 0, object.row < found?.row ?? .max,
          !(object.isOwned && keysAreOwners(object)), !isStandIn(candidate, in: other)
        {
          found = (other, index, object.row)
        }
        candidate = other.occurrences[Int(candidate)].next
      }
    }
    return found.map { ($0.batch, $0.occurrence) }
  }

  /// Whether a key may mean an object of an earlier part: nobody was it yet, and it is no owner's alone.
  private func isMeant(_ object: GeneralObject, in batch: Batch) -> Bool {
    batch.stored.index(ofRow: object.row) == nil
      && !claims.standIns.contains(object.row, root: batch.entity.rootIndex)
      && !batches.contains { owners in
        owners.node.relationships.contains {
          $0.keyScopeIsOwner && object.entity.isKind(of: batches[$0.node].entity)
            && claims.isListed(object.row, under: $0.relationship)
        }
      }
  }

  /// Reads the objects of superentities that earlier parts of the payload brought under the keys of a batch.
  func loadGeneralObjects(of batch: Batch) throws {
    let root = batch.entity.rootIndex
    let mayBeCommitted = claims.parts?.inserted[root]?.isEmpty == false
    let above = superentityBatches[batch.number]
      .filter { mayBeCommitted || claims.madeEntities.contains($0.entity.index) }
    guard let top = above.min(by: { $0.entity.depth < $1.entity.depth }) else { return }
    let slot = batch.node.identity[0]
    var keys: [Cell] = []
    for (index, occurrence) in batch.occurrences.enumerated()
    where occurrence.flags.isDisjoint(with: [.keyless, .referenceOnly]) {
      keys.append(batch.block[index][slot])
    }
    guard !keys.isEmpty else { return }
    let entities = Set(above.map(\.entity.index))
    var count = 0
    try transaction.scan(top.entity, .keys(slot: slot, keys)) { cursor in
      count += 1
      if count % SyncControl.stride == 0 { try control.checkpoint() }
      let isNew = transaction.isNew(cursor.row, of: cursor.entity)
      guard entities.contains(cursor.entityIndex),
        isNew || claims.wasInserted(cursor.row, cursor.entity)
      else { return }
      let head = batch.index.find { cursor.cell($0) }
      guard head >= 0 else { return }
      let entity = cursor.entity
      let width = entity.properties.count
      batch.general[head, default: []].append(
        GeneralObject(
          row: cursor.row, isCommitted: !isNew, entity: entity,
          references: batch.node.toOneSlots.map { $0 < width ? cursor.integer($0) ?? 0 : 0 }))
    }
    for head in batch.general.keys { batch.general[head]?.sort { $0.row < $1.row } }
  }

  /// Compares objects that were some of a superentity so far: they have nothing of what only the entity has.
  func compareSpecialised(_ batch: Batch) throws {
    guard let top = batch.specialised.values.min(by: { $0.depth < $1.depth }) else { return }
    try transaction.scan(top, .rows(batch.specialised.keys.sorted())) { cursor in
      guard let entity = batch.specialised[cursor.row],
        let index = batch.stored.index(ofRow: cursor.row)
      else { return }
      let occurrence = batch.stored.occurrences[Int(index)]
      guard occurrence >= 0 else { return }
      let cells = batch.block[Int(occurrence)]
      let width = entity.properties.count
      var difference = cursor.differs(
        from: cells, among: batch.node.attributeSlots.filter { $0 < width })
      for slot in batch.node.attributeSlots where slot >= width && !cells[slot].isAbsent {
        difference.insert(slot)
      }
      batch.noteDifference(difference, of: occurrence)
    }
  }
}
