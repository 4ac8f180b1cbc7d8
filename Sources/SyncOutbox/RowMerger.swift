import SyncCore
import SyncEngine
import SyncStore

/// Makes one object of two of the same key: the one that was made here, and the copy that a sync
/// brought before the answer gave the first its key. Confined to a transaction.
struct RowMerger {
  let transaction: StoreTransaction
  let outbox: String

  /// The other object of a key, when there is just one: of the same entity, or of one above or
  /// below it. Where keys are unique per owner only, it has the same owner.
  func copy(of id: ManagedObjectID, slot: Int, key: Value) throws -> ManagedObjectID? {
    var entity = id.entity
    while let above = entity.superentity, above.properties.indices.contains(slot) { entity = above }
    let plan = FetchPlan(
      entity: entity, filter: .compare([entity.properties[slot].name], .equal, key))
    let copies = try transaction.fetchIdentifiers(plan).filter {
      try $0.row != id.row && ($0.entity.isKind(of: id.entity) || id.entity.isKind(of: $0.entity))
        && hasOwner(of: id, $0)
    }
    return copies.count == 1 ? copies.first : nil
  }

  /// Whether another object stands below the owner that an object had when it was sent, where keys
  /// are unique per owner only.
  private func hasOwner(of id: ManagedObjectID, _ other: ManagedObjectID) throws -> Bool {
    for reference in id.entity.relationships where reference.kind == .toOne {
      guard let list = id.entity.inverse(of: reference), MappingRules.keyScopeIsOwner(list),
        other.entity.properties.indices.contains(reference.slot)
      else { continue }
      let before = try transaction.outboxEntry(id, in: outbox)?.waiting?.base[reference.name]
      guard
        try before ?? transaction.value(reference.slot, of: id)
          == transaction.value(reference.slot, of: other)
      else { return false }
    }
    return true
  }

  /// Has everything that leads to the copy lead to the object, deletes the copy, and gives the
  /// object the edits of the copy.
  ///
  /// - Parameter entry: That of the object; the edits of the copy wait in it.
  func join(_ entry: inout OutboxEntry, _ copy: ManagedObjectID) throws {
    let id = entry.id
    let edit = try takeEdit(of: copy)
    for entity in transaction.model.entities {
      for relationship in entity.relationships
      where relationship.declaringIndex == entity.index
        && entity.destination(of: relationship).rootIndex == id.entity.rootIndex
      {
        try redirect(relationship, of: entity, from: copy, to: id)
      }
    }
    try takeMembers(of: copy, to: id, entry.waiting)
    try transaction.delete([copy.row], of: copy.entity)
    guard let edit else { return }
    try RowReverter(transaction: transaction, id: id, edit: edit.values).revert()
    var waiting = entry.waiting ?? OutboxEntry.Edit(.update)
    waiting.slots.formUnion(edit.waiting.slots)
    waiting.base.join(edit.waiting.base, of: id.entity)
    entry.waiting = waiting
  }

  /// Forgets that the copy waits to be sent.
  ///
  /// - Returns: The waiting edit, and the same properties with their present values; nil is none.
  private func takeEdit(
    of copy: ManagedObjectID
  ) throws -> (waiting: OutboxEntry.Edit, values: OutboxEntry.Edit)? {
    guard let before = try transaction.outboxEntry(copy, in: outbox), let waiting = before.waiting
    else { return nil }
    let values = try transaction.values(of: [copy.row], in: copy.entity, slots: waiting.slots)
    try transaction.change(before, in: outbox) { $0.waiting = nil }
    var base = values[copy] ?? [:]
    for list in copy.entity.relationships
    where list.kind == .manyToMany && waiting.slots.contains(list.slot) {
      base[list: list].edited = waiting.base[list: list].edited
    }
    let now = OutboxEntry.Edit(.update, slots: waiting.slots, base: base)
    return (waiting, now)
  }

  /// Has the objects of an entity that lead to the copy lead to the object.
  private func redirect(
    _ relationship: RelationshipDescription, of entity: EntityDescription,
    from copy: ManagedObjectID, to id: ManagedObjectID
  ) throws {
    let isToMany = relationship.kind == .manyToMany && relationship.inverseSlot == nil
    guard isToMany || relationship.kind == .toOne else { return }
    let leads = Filter(
      format: "\(isToMany ? "ANY " : "")\(relationship.name) == %@", arguments: [copy])
    let owners = try transaction.fetchIdentifiers(FetchPlan(entity: entity, filter: leads))
    if isToMany {
      try transaction.addLinks(relationship, of: entity, pairs: owners.map { ($0.row, id.row) })
      return
    }
    if let slot = relationship.inverseSlot, relationship.isOneToOne {
      // The other of a pair has one partner, unless the object has one already.
      guard try transaction.value(slot, of: id).isNull else { return }
    }
    for owner in owners {
      try transaction.lead(relationship, of: entity, row: owner.row, to: id.row)
    }
    try transaction.takeLastPlace(relationship, of: entity, in: id.row)
  }

  /// Gives the object the members that the copy has in common with others, and leads it where the
  /// copy leads as far as it leads nowhere.
  ///
  /// - Parameter since: The edits since the object was sent: links that went are not taken.
  private func takeMembers(
    of copy: ManagedObjectID, to id: ManagedObjectID, _ since: OutboxEntry.Edit?
  ) throws {
    for relationship in copy.entity.relationships
    where id.entity.properties.indices.contains(relationship.slot) {
      switch relationship.kind {
      case .oneToMany: continue
      case .manyToMany:
        let members = try transaction.members(of: relationship, in: copy.entity, owners: [copy.row])
        let edited = since.flatMap { edit in
          edit.slots.contains(relationship.slot) ? edit.base[list: relationship] : nil
        }
        try transaction.addLinks(
          relationship, of: id.entity,
          pairs: members.filter { edited?.isEdited($0.row) != true }.map { (id.row, $0.row) })
      case .toOne:
        guard !relationship.isOneToOne else { continue }
        guard case .int(let target) = try transaction.value(relationship.slot, of: copy),
          since?.slots.contains(relationship.slot) != true,
          try transaction.value(relationship.slot, of: id).isNull
        else { continue }
        try transaction.lead(relationship, of: id.entity, row: id.row, to: target)
      }
    }
  }
}
