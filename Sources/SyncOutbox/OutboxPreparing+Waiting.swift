import SyncCore
import SyncEngine
import SyncGraph
import SyncStore

/// The objects that an object has to wait for before it is sent.
extension OutboxPreparing {
  /// Another object, which has to be out first.
  struct Wait: Sendable {
    let other: OutboxEntry
    let tie: OutboxTie

    /// How many of the objects that refer to a deleted one need not be looked at again.
    var passed = 0
  }

  // MARK: - Insertions and updates

  /// The object that a new or edited one waits for: a new object that it, or a passenger of it,
  /// refers to, or the deletion of an object that has its key.
  ///
  /// - Parameters:
  ///   - slots: The slots to send.
  ///   - postponed: Gets the slots whose objects it does not wait for, because they wait for it.
  func wait(
    _ row: StoredRow, _ kind: HistoryChange.Kind, _ slots: SlotSet, _ schedule: OutboxSchedule,
    _ postponed: inout SlotSet, in transaction: StoreTransaction
  ) throws -> Wait? {
    var waits: [Wait] = []
    for relationship in row.entity.relationships where slots.contains(relationship.slot) {
      var isCut = false
      if let other = try unsentTarget(
        of: relationship, row, for: row.id, schedule, &isCut, in: transaction)
      {
        waits.append(Wait(other: other, tie: OutboxTie(relationship, of: row.entity)))
      }
      if isCut { postponed.insert(relationship.slot) }
    }
    // Several references to one object are cut together, at the cost of the strongest of them.
    if let first = waits.first {
      let ties = waits.filter { $0.other.id == first.other.id }.map(\.tie)
      return Wait(other: first.other, tie: ties.max { $0.rawValue < $1.rawValue } ?? first.tie)
    }
    if kind == .insert, let wait = try keyWait(row, schedule, in: transaction) { return wait }
    for id in (cargo[row.id] ?? []).map(\.id) {
      guard let passenger = try transaction.rows(id.entity, rows: [id.row]).first else { continue }
      for relationship in id.entity.relationships where relationship.kind != .oneToMany {
        var isCut = false
        if let other = try unsentTarget(
          of: relationship, passenger, for: row.id, schedule, &isCut, in: transaction)
        {
          return Wait(other: other, tie: OutboxTie(relationship, of: id.entity))
        }
      }
    }
    return nil
  }

  /// The turn of a new object that a relationship leads to and that the server does not have yet,
  /// if it will ever be sent.
  private func unsentTarget(
    of relationship: RelationshipDescription, _ row: StoredRow, for id: ManagedObjectID,
    _ schedule: OutboxSchedule, _ isCut: inout Bool, in transaction: StoreTransaction
  ) throws -> OutboxEntry? {
    for target in try targets(of: relationship, row, in: transaction) where target != id {
      guard let entry = try transaction.outboxEntry(target, in: name),
        entry.sent?.edit.kind ?? entry.waiting?.kind == .insert,
        let turn = try turn(of: entry, in: transaction), turn.id != id
      else { continue }
      if schedule.isCut(id, from: turn.id) { isCut = true } else { return turn }
    }
    return nil
  }

  func targets(
    of relationship: RelationshipDescription, _ row: StoredRow, in transaction: StoreTransaction
  ) throws -> [ManagedObjectID] {
    switch relationship.kind {
    case .oneToMany: return []
    case .toOne:
      guard case .int(let target) = row.values[relationship.slot] else { return [] }
      return [ManagedObjectID(entity: row.entity.destination(of: relationship), row: target)]
    case .manyToMany:
      return try transaction.members(of: relationship, in: row.entity, owners: [row.row])
        .map { ManagedObjectID(entity: $0.entity, row: $0.row) }
    }
  }

  /// The entry that sends an object, its own or its carrier's; nil when no handler does.
  func turn(
    of entry: OutboxEntry, in transaction: StoreTransaction
  ) throws -> OutboxEntry? {
    if destinations.destination(for: entry.id.entity) != nil { return entry }
    return try carriers[entry.id].flatMap { try transaction.outboxEntry($0, in: name) }
      ?? OutboxCargo.carrierUnderWay(of: entry.id, name, transaction)
  }

  /// The deletion of the object that has the key of a new one.
  private func keyWait(
    _ row: StoredRow, _ schedule: OutboxSchedule, in transaction: StoreTransaction
  ) throws -> Wait? {
    guard let key = row.entity.primaryKey,
      let deletion = references?.deletion(of: row.values[key.slot], in: row.entity),
      !schedule.isCut(row.id, from: deletion),
      let entry = try transaction.outboxEntry(deletion, in: name), entry.edit?.kind == .delete
    else { return nil }
    return Wait(other: entry, tie: .key)
  }

  // MARK: - Owners

  /// The objects that an object belongs to, and those that it belonged to before its edit.
  func owners(
    of id: ManagedObjectID, _ edit: OutboxEntry.Edit, _ reader: StoreReader
  ) throws -> Set<ManagedObjectID> {
    let row = try reader.rows(id.entity, rows: [id.row]).first
    var result: Set<ManagedObjectID> = []
    for reference in id.entity.relationships
    where reference.kind == .toOne && reference.inverseSlot != nil {
      for case .int(let owner)? in [edit.base[reference.name], row?.values[reference.slot]] {
        result.insert(ManagedObjectID(entity: id.entity.destination(of: reference), row: owner))
      }
    }
    result.remove(id)
    return result
  }

  // MARK: - Deletions

  /// The object that a deletion waits for: one that still refers to the deleted one on the server.
  func deletionWait(
    _ entry: OutboxEntry, _ schedule: OutboxSchedule, in transaction: StoreTransaction
  ) throws -> Wait? {
    let id = entry.id
    guard let references, references.knows(id) else {
      // It was deleted while the run goes on.
      let late = try OutboxReferences(to: [entry], outbox: name, transaction)
      return try wait(of: id, for: late[id], after: 0, schedule, in: transaction)
    }
    return try wait(
      of: id, for: references[id], after: schedule.passed(id), schedule, in: transaction)
  }

  private func wait(
    of id: ManagedObjectID, for referrers: [OutboxReferences.Referrer], after passed: Int,
    _ schedule: OutboxSchedule, in transaction: StoreTransaction
  ) throws -> Wait? {
    for place in referrers.indices.dropFirst(passed) {
      let referrer = referrers[place]
      let entity = referrer.id.entity
      guard let relationship = entity.properties[referrer.slot].relationship,
        let entry = try transaction.outboxEntry(referrer.id, in: name), let edit = entry.edit,
        // An object that the server does not have refers to nothing.
        entry.refusal != OutboxStep.goneReason,
        entry.serverTargets(of: relationship).contains(id),
        let turn = try turn(of: entry, in: transaction), turn.id != id,
        !schedule.isCut(id, from: turn.id), try releases(edit, relationship, of: entity)
      else { continue }
      let isDeleted = turn.edit?.kind == .delete
      let tie = isDeleted ? OutboxTie(relationship, of: entity) : .edit
      return Wait(other: turn, tie: tie, passed: place)
    }
    return nil
  }

  /// Whether the JSON of an edit takes the object out that a relationship led to: the API may not
  /// have the list, or make the reference itself.
  private func releases(
    _ edit: OutboxEntry.Edit, _ relationship: RelationshipDescription, of entity: EntityDescription
  ) throws -> Bool {
    if edit.kind == .delete, relationship.kind == .toOne { return true }
    guard let destination = destinations.destination(for: entity) else { return true }
    return try destination.export(of: entity, stack).slots(of: entity).contains(relationship.slot)
  }
}
