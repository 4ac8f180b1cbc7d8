import SyncCore
import SyncStore

/// Links references whose object arrived later than the part of the payload that mentions its key.
struct ReferenceResolver {
  let claims: Claims
  let transaction: StoreTransaction

  /// What the sync has to leave alone; nil when that is nothing.
  let edits: UnsentEdits?

  /// Links what can be linked now.
  ///
  /// - Returns: The references whose object is still not there.
  func resolve(_ references: [UnresolvedReference]) throws -> [UnresolvedReference] {
    let groups = Dictionary(grouping: references.indices) { references[$0].destination }
    var missing: [Int] = []
    for (destination, indexes) in groups {
      let rows = try find(Set(indexes.map { references[$0].key }), of: destination)
      for index in indexes {
        if let target = rows[references[index].key] {
          try link(references[index], to: target)
        } else {
          missing.append(index)
        }
      }
    }
    return missing.sorted().map { references[$0] }
  }

  private struct Target {
    let row: Int64
    let entity: EntityDescription
  }

  /// The first stored object of each key.
  private func find(
    _ keys: Set<Value>, of entity: EntityDescription
  ) throws -> [Value: Target] {
    guard let slot = entity.primaryKey?.slot else { return [:] }
    let arena = CellArena()
    let cells = keys.sorted().map { arena.cell($0) }
    var result: [Value: Target] = [:]
    try transaction.scan(entity, .keys(slot: slot, cells)) { cursor in
      let key = cursor.value(slot)
      if let known = result[key], known.row < cursor.row { return }
      result[key] = Target(row: cursor.row, entity: cursor.entity)
    }
    return withExtendedLifetime(arena) { result }
  }

  private func link(_ reference: UnresolvedReference, to target: Target) throws {
    let relationship = reference.relationship
    let owner = reference.owner
    if let edits, edits.protectsLink(reference, to: target.row, of: target.entity) { return }
    switch relationship.kind {
    case .toOne where relationship.inverseSlot != nil && !relationship.isInverseToMany:
      try PartnerWriter(transaction: transaction).pair(
        relationship, of: owner.entity, row: owner.row, with: target.row)
    case .toOne:
      try set(relationship.slot, of: owner.row, owner.entity, to: target.row)
    case .oneToMany:
      // Who listed the object when it came said so later.
      guard let inverse = relationship.inverseSlot,
        !claims.isListed(target.row, under: relationship)
      else { return }
      try set(inverse, of: target.row, target.entity, to: owner.row)
    case .manyToMany:
      try transaction.addLinks(
        relationship, of: owner.entity, pairs: [(owner.row, target.row)])
    }
  }

  /// Writes a to-one column, and tells the owners at the other end that their members changed.
  private func set(
    _ slot: Int, of row: Int64, _ entity: EntityDescription, to destination: Int64
  ) throws {
    var before: Int64?
    try transaction.scan(entity, .rows([row])) { before = $0.integer(slot) ?? 0 }
    guard let before, before != destination else { return }
    let block = RowBlock(width: entity.properties.count, capacity: 1)
    block[block.append()][slot] = .integer(destination)
    try transaction.update(block, index: 0, row: row, of: entity, slots: [slot])
    guard let relationship = entity.properties[slot].relationship,
      let inverse = relationship.inverseSlot, relationship.isInverseToMany
    else { return }
    for owner in [before, destination] where owner > 0 {
      try transaction.touch(
        owner, of: entity.destination(of: relationship), slots: [inverse])
    }
  }
}
