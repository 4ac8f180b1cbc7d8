import Foundation
import SyncCore
import SyncStore

/// Links references whose object arrived later than the part of the payload that mentions its key.
struct ReferenceResolver {
  let transaction: StoreTransaction
  let control: SyncControl

  /// The edits that the sync has to leave alone; nil when there are none.
  let edits: UnsentEdits?
  /// Objects that a reference was linked with, by the relationship that leads back: a later
  /// reference may take them.
  private var taken: Set<Claims.Member> = []

  init(transaction: StoreTransaction, control: SyncControl, edits: UnsentEdits?) {
    self.transaction = transaction
    self.control = control
    self.edits = edits
  }

  /// Links references whose object is there now. A reference ends with its owner.
  ///
  /// - Returns: The references whose owner is there and whose object is still not.
  mutating func resolve(_ all: [UnresolvedReference]) throws -> [UnresolvedReference] {
    let references = try withOwners(all)
    let groups = Dictionary(grouping: references.indices) { references[$0].destination }
    var missing: [Int] = []
    for (destination, indexes) in groups.sorted(on: { $0.value[0] }) {
      let rows = try find(Set(indexes.map { references[$0].key }), of: destination)
      for (step, index) in indexes.enumerated() {
        if step % SyncControl.stride == 0 { try control.checkpoint() }
        guard let target = rows[references[index].key],
          try link(references[index], to: target)
        else {
          missing.append(index)
          continue
        }
      }
    }
    return missing.sorted().map { references[$0] }
  }

  /// The references whose owner was not deleted since, by a later part or by another writer between
  /// two pages.
  private func withOwners(_ references: [UnresolvedReference]) throws -> [UnresolvedReference] {
    var gone: Set<ManagedObjectID> = []
    for (entity, group) in Dictionary(grouping: references, by: { $0.owner.entity }) {
      let rows = Set(group.map(\.owner.row)).sorted()
      for row in try transaction.missing(rows, of: entity) {
        gone.insert(ManagedObjectID(entity: entity, row: row))
      }
    }
    return gone.isEmpty ? references : references.filter { !gone.contains($0.owner) }
  }

  /// The first stored object of each key.
  private func find(_ keys: Set<Value>, of entity: EntityDescription) throws -> [Value:
    ManagedObjectID]
  {
    guard let slot = entity.primaryKey?.slot else { return [:] }
    let arena = CellArena()
    let cells = keys.sorted().map { arena.cell($0) }
    var result: [Value: ManagedObjectID] = [:]
    try transaction.scan(entity, .keys(slot: slot, cells)) { cursor in
      let key = cursor.value(slot)
      if let known = result[key], known.row < cursor.row { return }
      result[key] = ManagedObjectID(entity: cursor.entity, row: cursor.row)
    }
    return withExtendedLifetime(arena) { result }
  }

  /// Links a reference with the object that came.
  ///
  /// - Returns: False when the object is not meant: where keys are unique per owner, and where
  ///   another part made it another owner's since.
  private mutating func link(_ reference: UnresolvedReference, to target: ManagedObjectID) throws
    -> Bool
  {
    let relationship = reference.relationship
    let owner = reference.owner
    if reference.isNested,
      reference.isRefused
        || relationship.kind == .oneToMany && MappingRules.keyScopeIsOwner(relationship)
    {
      return false
    }
    if let edits, edits.protectsLink(reference, to: target.row, of: target.entity) { return true }
    switch relationship.kind {
    case .toOne:
      if relationship.isOneToOne, let inverse = owner.entity.inverse(of: relationship) {
        guard try take(target, by: owner.row, inverse) else { return !reference.isNested }
      }
      try transaction.lead(relationship, of: owner.entity, row: owner.row, to: target.row)
    case .oneToMany:
      guard let inverse = owner.entity.inverse(of: relationship),
        try take(target, by: owner.row, inverse)
      else { return !reference.isNested }
      try transaction.lead(inverse, of: target.entity, row: target.row, to: owner.row)
      try order(target, at: reference.position, of: reference)
    case .manyToMany:
      try transaction.addLinks(relationship, of: owner.entity, pairs: [(owner.row, target.row)])
      try order(target, at: reference.position, of: reference)
    }
    return true
  }

  /// Whether an object has no owner yet, or had one from a reference only: mentions in later parts
  /// count more.
  private mutating func take(
    _ target: ManagedObjectID, by owner: Int64, _ column: RelationshipDescription
  ) throws -> Bool {
    let present = try transaction.value(column.slot, of: target)
    let member = Claims.Member(row: target.row, column: Claims.Relationship(column))
    guard present.isNull || present == .int(owner) || taken.contains(member) else { return false }
    taken.insert(member)
    return true
  }

  /// Puts a member that came late where the list of the payload has it.
  private func order(
    _ target: ManagedObjectID, at position: Int, of reference: UnresolvedReference
  ) throws {
    guard reference.relationship.isOrdered else { return }
    let now = try transaction.members(
      of: reference.relationship, in: reference.owner.entity, owners: [reference.owner.row]
    ).map(\.row)
    var wanted = now.filter { $0 != target.row }
    wanted.insert(target.row, at: min(position, wanted.count))
    guard wanted != now else { return }
    try transaction.arrange(
      reference.relationship, of: reference.owner.entity, owner: reference.owner.row, as: wanted)
  }
}

/// References whose object has not come yet, kept in the store from one sync to the next.
///
/// One ends when its object arrives, when the owner's relationship is given again or was set
/// meanwhile, and when the owner goes.
struct DeferredReferences {
  private static let kind = "references"
  private static let name = "deferred"

  let transaction: StoreTransaction
  let model: ManagedObjectModel
  let control: SyncControl

  /// References that earlier syncs left behind and that are still wanted. Those that name entities
  /// or relationships that the model does not have any more are left out.
  func load() throws -> [UnresolvedReference] {
    guard let sync = try transaction.openSync(DeferredReferences.kind, DeferredReferences.name)
    else {
      return []
    }
    var references: [UnresolvedReference] = []
    try transaction.readReferences(of: sync) { kept in
      if references.count % SyncControl.stride == 0 { try control.checkpoint() }
      if let reference = UnresolvedReference(kept, in: model) { references.append(reference) }
    }
    return try wanted(references)
  }

  /// Leaves references behind for later syncs.
  func save(_ references: [UnresolvedReference]) throws {
    if let sync = try transaction.openSync(DeferredReferences.kind, DeferredReferences.name) {
      try transaction.forget(sync)
    }
    let kept = try wanted(references.filter { !$0.isRefused })
    guard !kept.isEmpty else { return }
    let sync = try transaction.keepOpen(
      DeferredReferences.kind, DeferredReferences.name, head: Data())
    try transaction.write(
      kept.enumerated().map { number, reference in
        var kept = reference.kept
        kept.number = Int64(number)
        return kept
      }, removing: [], of: sync)
  }

  /// Leaves out those whose owner is gone, or whose to-one relationship leads somewhere by now.
  private func wanted(_ references: [UnresolvedReference]) throws -> [UnresolvedReference] {
    var filled: [ManagedObjectID: Set<Int>] = [:]
    for (entity, group) in Dictionary(grouping: references, by: { $0.owner.entity }) {
      let slots = Set(group.filter { $0.relationship.kind == .toOne }.map(\.relationship.slot))
      try transaction.scan(entity, .rows(group.map(\.owner.row))) { cursor in
        filled[ManagedObjectID(entity: entity, row: cursor.row)] =
          slots.filter { cursor.integer($0) != nil }
      }
    }
    return references.filter { reference in
      filled[reference.owner].map { !$0.contains(reference.relationship.slot) } ?? false
    }
  }
}
