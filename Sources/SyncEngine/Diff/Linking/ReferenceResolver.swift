import SyncCore
import SyncStore

/// Links references whose object arrived later than the part of the payload that mentions its key.
struct ReferenceResolver {
  let claims: Claims
  let transaction: StoreTransaction
  let control: SyncControl

  /// What the sync has to leave alone; nil when that is nothing.
  let edits: UnsentEdits?
  /// Objects that have to go, by table and row.
  let replaced: StandInSettlement.Objects

  /// What arrived for which place, in the order of its keys; 0 where nothing did.
  private(set) var arrived: [ArrivedReferences.Place: [Int64]] = [:]

  init(
    claims: Claims, transaction: StoreTransaction, control: SyncControl, edits: UnsentEdits?,
    replaced: StandInSettlement.Objects = [:]
  ) {
    self.replaced = replaced
    self.claims = claims
    self.transaction = transaction
    self.control = control
    self.edits = edits
  }

  /// Links what can be linked now.
  ///
  /// - Returns: The references whose object is still not there.
  mutating func resolve(_ references: [UnresolvedReference]) throws -> [UnresolvedReference] {
    var targets: [Int: Int64] = [:]
    let groups = Dictionary(grouping: references.indices) { references[$0].destination }
    var missing: [Int] = []
    for (destination, indexes) in groups.sorted(by: { $0.value[0] < $1.value[0] }) {
      let rows = try find(Set(indexes.map { references[$0].key }), of: destination)
      for (step, index) in indexes.enumerated() {
        if step % SyncControl.stride == 0 { try control.checkpoint() }
        if let target = rows[references[index].key] {
          // An object that an owner nests is its own; another one may only refer to it. Where keys are
          // unique per owner only, one that is found elsewhere is another object.
          let relationship = references[index].relationship
          let isOwned = references[index].isNested && relationship.kind == .oneToMany
          if try references[index].isNested && references[index].isRefused
            || isOwned && isAnothers(target, references[index])
          {
            missing.append(index)
            continue
          }
          targets[index] = target.row
          try link(references[index], to: target)
          if isOwned { claims.list(target.row, under: relationship) }
        } else {
          missing.append(index)
        }
      }
    }
    try noteArrived(references, targets)
    return missing.sorted().map { references[$0] }
  }

  /// Whether an object is not the one that an owner nested, but another owner's.
  private func isAnothers(_ target: Target, _ reference: UnresolvedReference) throws -> Bool {
    let relationship = reference.relationship
    if MappingRules.keyScopeIsOwner(relationship) { return true }
    guard claims.nester(of: target.row, under: relationship, now: target.row) != nil,
      let inverse = reference.owner.entity.inverse(of: relationship)
    else { return false }
    var present: Int64 = 0
    try transaction.scan(target.entity, .rows([target.row])) {
      present = $0.integer(inverse.slot) ?? 0
    }
    return claims.nester(of: target.row, under: relationship, now: present) != reference.owner.row
  }

  private mutating func noteArrived(
    _ references: [UnresolvedReference], _ targets: [Int: Int64]
  ) throws {
    for (index, reference) in references.enumerated() {
      if index % SyncControl.stride == 0 { try control.checkpoint() }
      let place = ArrivedReferences.Place(
        root: reference.owner.entity.rootIndex, row: reference.owner.row,
        slot: reference.relationship.slot)
      arrived[place, default: []].append(targets[index] ?? 0)
    }
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
    let replaced = replaced[entity.rootIndex]
    var result: [Value: Target] = [:]
    try transaction.scan(entity, .keys(slot: slot, cells)) { cursor in
      guard replaced?[cursor.row] == nil else { return }
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
    let key = Claims.Relationship(relationship)
    let isOfThisPayload = claims.parts?.hasSpoken(owner.row, of: key) ?? false
    if relationship.isOrdered, isOfThisPayload { claims.parts?.look(at: owner.row, listing: key) }
    switch relationship.kind {
    case .toOne where relationship.inverseSlot != nil && !relationship.isInverseToMany:
      guard !isOfThisPayload else {
        claims.parts?.look(at: owner.row, of: key)
        return
      }
      try PartnerWriter(transaction: transaction, claims: claims).pair(
        relationship, of: owner.entity, row: owner.row, with: target.row)
    case .toOne:
      // An owner that lists the object is stronger.
      if let inverse = owner.entity.inverse(of: relationship).map(Claims.Relationship.init),
        claims.parts?.isNamed(owner.row, in: inverse) ?? false
      {
        claims.parts?.look(at: owner.row, of: inverse)
        return
      }
      try set(relationship.slot, of: owner.row, owner.entity, to: target.row)
    case .oneToMany:
      guard let inverse = owner.entity.inverse(of: relationship) else { return }
      let column = Claims.Relationship(inverse)
      // Who listed the object when it came may have said so later.
      if let parts = claims.parts,
        parts.isNamed(target.row, in: key) || parts.hasSpoken(target.row, of: column)
      {
        claims.parts?.look(at: target.row, of: key)
        return
      }
      try set(inverse.slot, of: target.row, target.entity, to: owner.row)
      // Stronger than what the object says itself, should that be followed later.
      claims.parts?.named[key, default: RowSet()].insert(target.row)
    case .manyToMany:
      try OrderNotes(claims: claims, transaction: transaction)
        .note([(owner.row, target.row)], relationship, of: owner.entity)
      claims.parts?.notePairs(
        [(owner.row, target.row)], areAdded: true, relationship, of: owner.entity)
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
    let relationship = entity.properties[slot].relationship
    if let relationship {
      if let list = entity.inverse(of: relationship), list.isToMany {
        try OrderNotes(claims: claims, transaction: transaction)
          .note([before, destination], list, of: entity.destination(of: relationship))
      }
      claims.noteColumn(relationship, of: row, entity, from: before)
    }
    let block = RowBlock(width: entity.properties.count, capacity: 1)
    block[block.append()][slot] = .integer(destination)
    try transaction.update(block, index: 0, row: row, of: entity, slots: [slot])
    guard let relationship, let inverse = relationship.inverseSlot, relationship.isInverseToMany
    else { return }
    for owner in [before, destination] where owner > 0 {
      try transaction.touch(
        owner, of: entity.destination(of: relationship), slots: [inverse])
    }
  }
}
