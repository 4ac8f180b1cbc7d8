import Foundation
import SyncCore
import SyncEngine
import SyncGraph
import SyncStore

extension Outbox {
  /// Takes answers in: the changes count as sent, and the JSON is written, in one transaction. JSON
  /// that cannot be used costs nothing but itself.
  ///
  /// - Returns: The outcome of each, in their order.
  func apply(
    _ answered: [OutboxRun.Answered], _ settings: Settings
  ) async throws -> [OutboxApplied] {
    guard !answered.isEmpty else { return [] }
    return try await withStore { [self] store in try write(answered, settings, to: store) }
  }

  private func write(
    _ answered: [OutboxRun.Answered], _ settings: Settings, to store: Store
  ) throws -> [OutboxApplied] {
    func all(takesJSON: Bool) throws -> [OutboxApplied] {
      try store.write(info) { transaction in
        try OutboxScopes(stack).drain(name, in: transaction)
        var reach = OutboxReach(name, stack, settings.destinations)
        return try answered.map {
          try write($0, settings, &reach, in: transaction, takesJSON: takesJSON)
        }
      }.0
    }
    do {
      return try all(takesJSON: true)
    } catch let error where error is SyncError || error is MappingError {
      if answered.count > 1 {
        return try answered.flatMap { try write([$0], settings, to: store) }
      }
      var applied = try all(takesJSON: false)
      applied[0].remarks.append(
        "The JSON that answers the \(answered[0].change) could not be taken over: \(error)"
      )
      return applied
    }
  }

  private func write(
    _ answered: OutboxRun.Answered, _ settings: Settings, _ reach: inout OutboxReach,
    in transaction: StoreTransaction, takesJSON: Bool
  ) throws -> OutboxApplied {
    let (change, answer) = (answered.change, answered.answer)
    guard let before = try transaction.outboxEntry(change.objectID, in: name),
      before.sent?.idempotencyKey == change.idempotencyKey
    else { return OutboxApplied(outcome: .again) }
    let source = settings.destinations.destination(for: change.objectID.entity)?
      .source(for: change.objectID.entity)
    let isRead = answer.json != nil || change.kind == .insert
    let fill =
      takesJSON
      ? try source.flatMap { isRead ? try RowFill($0, stack) : nil }
      : source.flatMap { isRead ? try? RowFill($0, stack) : nil }
    let check = try AnswerCheck(answer, to: change, fill, outbox: name, transaction)
    var step = OutboxStep(entry: before, isMade: check.isMade, change: change, settings: settings)
    step.take(check.answer)
    var applied = OutboxApplied(outcome: step.outcome)
    applied.remarks += check.remarks
    var json = takesJSON ? step.json : nil
    if step.json != nil, let found = check.key {
      applied.key = found.value
      applied.isJoined = try take(found, check.copy, &step.entry, change, in: transaction)
    }
    if let json, let fill, step.entry.waiting?.kind == .delete {
      step.entry.takeVersion(try fill.attributes(in: json))
    }
    if step.isThereAlready, var edit = step.entry.waiting {
      try transaction.addWhatIsSet(to: &edit, of: change.objectID)
      step.put(edit)
      applied.outcome = step.outcome
    }
    if case .conflict = check.answer, let json, let fill {
      let carried = try OutboxCargo.carried(
        by: change.objectID, as: change.idempotencyKey, name, transaction
      ).map(\.id)
      var keys = try NestedKeys(carried, fill, outbox: name, transaction, isConflict: true)
      try keys.give(below: change.objectID, from: json)
    }
    try transaction.setOutboxEntry(step.entry, before: before, in: name)
    if step.outcome.isAccepted {
      try transaction.endLinks(
        from: before, to: step.entry, slots: reach.saidSlots(of: change.objectID.entity),
        in: name)
    }
    applied.carried = try OutboxCargo.arrive(
      step, change.objectID, as: change.idempotencyKey, name, &reach, in: transaction)
    let isThere = try !transaction.rows(change.objectID.entity, rows: [change.objectID.row])
      .isEmpty
    if !isThere { json = nil }
    if step.json != nil, let key = check.key, isThere, change.kind == .insert {
      // It counts, whatever becomes of the rest of the JSON, which may nest the object itself.
      try transaction.takeKey(key, of: change.objectID)
    }
    if step.deletesHere, isThere {
      try transaction.delete([change.objectID.row], of: change.objectID.entity)
    } else if let json, let fill {
      try take(json, fill, step, applied.carried, in: transaction)
    }
    if step.entry.refusal == nil, step.entry.edit != nil { applied.more = step.entry }
    return applied
  }

  /// Takes the key that an answer says of an object, which may have been deleted since, and of
  /// which a sync may have brought a copy.
  ///
  /// - Returns: Whether the object became one with its copy.
  private func take(
    _ key: (slot: Int, value: Value), _ copy: ManagedObjectID?, _ entry: inout OutboxEntry,
    _ change: OutboxChange, in transaction: StoreTransaction
  ) throws -> Bool {
    guard entry.waiting?.kind == .delete else {
      guard let copy else { return false }
      try RowMerger(transaction: transaction, outbox: name).join(&entry, copy)
      return true
    }
    if let copy {
      guard try isLate(copy, change.objectID, transaction) else {
        // One of the two was deleted here: the server has the other.
        entry.waiting = nil
        return false
      }
      try transaction.delete([copy.row], of: copy.entity)
    }
    // Made and deleted here: only now the key is known that is to be deleted there.
    let name = change.objectID.entity.properties[key.slot].name
    if change.kind != .delete { entry.tombstone[name] = key.value }
    return false
  }

  /// Takes over the server's version of an object.
  ///
  /// - Parameter carried: The objects that were sent inside it.
  private func take(
    _ json: JSONValue, _ fill: RowFill, _ step: OutboxStep, _ carried: [ManagedObjectID],
    in transaction: StoreTransaction
  ) throws {
    let id = step.entry.id
    var keys = try NestedKeys(carried, fill, outbox: name, transaction)
    if step.outcome.isAccepted { try keys.give(below: id, from: json) }
    // New objects that the list does not have are replaced by the objects that it has instead,
    // unless it is older than the edits here.
    let isOlder = step.entry.waiting?.hasLists(of: id.entity) == true
    let replaced = try isOlder ? [] : keys.replaceable()
    try fill.fill(id.row, from: json, isGuarded: replaced.isEmpty, in: transaction)
    for id in replaced { try transaction.delete([id.row], of: id.entity) }
  }

  /// Whether a sync brought a copy after the object was deleted here: the copy goes with it then,
  /// unless it was edited.
  private func isLate(
    _ copy: ManagedObjectID, _ id: ManagedObjectID, _ transaction: StoreTransaction
  ) throws -> Bool {
    try transaction.outboxEntry(copy, in: name) == nil
      && transaction.isMade(copy, afterDeletionOf: id)
  }
}

extension OutboxEntry {
  /// Takes over the server's values of an object that is to be deleted there: the version that the
  /// deletion has to name among it. The key stays.
  fileprivate mutating func takeVersion(_ attributes: [(slot: Int, value: Value)]) {
    for (slot, value) in attributes where slot != id.entity.primaryKey?.slot {
      let name = id.entity.properties[slot].name
      tombstone[name] = value
      waiting?.base[name] = value
    }
  }
}

extension StoreTransaction {
  /// Gives an object its key when it has none.
  fileprivate func takeKey(_ key: (slot: Int, value: Value), of id: ManagedObjectID) throws {
    if try value(key.slot, of: id).isNull { try write([key], to: [id.row], of: id.entity) }
  }

  /// Adds to the edits of an object that was made here all that is set in it: an empty property is
  /// no edit, unless it was edited since the object was sent.
  fileprivate func addWhatIsSet(to edit: inout OutboxEntry.Edit, of id: ManagedObjectID) throws {
    let entity = id.entity
    var values = try values(of: [id.row], in: entity)[id] ?? [:]
    for property in entity.properties where property.slot != entity.primaryKey?.slot {
      guard let list = property.relationship, list.isToMany else {
        if values[property.name]?.isNull == false { edit.slots.insert(property.slot) }
        continue
      }
      let members = try members(of: list, in: entity, owners: [id.row]).map(\.row)
      if !members.isEmpty { edit.slots.insert(list.slot) }
      // All its links are edits.
      if list.kind == .manyToMany { values[list: list].edited = Set(members) }
    }
    edit.base.join(values, of: entity)
    edit.base = edit.base.filter { name, _ in
      entity.property(named: name).map { edit.slots.contains($0.slot) } ?? false
    }
  }
}

extension OutboxEntry.Edit {
  /// Whether lists of objects that belong to the object were edited.
  fileprivate func hasLists(of entity: EntityDescription) -> Bool {
    entity.relationships.contains { $0.kind == .oneToMany && slots.contains($0.slot) }
  }
}
