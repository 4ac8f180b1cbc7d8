import Foundation
import SyncCore
import SyncEngine
import SyncGraph
import SyncStore

/// What became of a change in the store.
struct OutboxApplied: Sendable {
  enum Outcome: Sendable {
    case accepted
    case refused(String)
    /// It is sent again, in another form.
    case again

    var isAccepted: Bool {
      if case .accepted = self { true } else { false }
    }
  }

  var outcome = Outcome.accepted

  /// What is left to send of the object at once.
  var more: OutboxEntry?

  /// The key that the answer gave the object.
  var key: Value?

  /// Objects that were sent inside it.
  var carried: [ManagedObjectID] = []

  /// Whether the object became one with a copy of it.
  var isJoined = false

  /// Why the JSON of an answer was not taken over.
  var remarks: [String] = []
}

extension Outbox {
  /// Takes answers in: the changes count as sent, and what the JSON says is written, in one
  /// transaction. JSON that cannot be used costs nothing but itself.
  ///
  /// - Returns: What became of each, in their order.
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
        return try answered.map {
          try write($0.answer, $0.change, settings, in: transaction, takesJSON: takesJSON)
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
    _ answer: OutboxAnswer, _ change: OutboxChange, _ settings: Settings,
    in transaction: StoreTransaction, takesJSON: Bool
  ) throws -> OutboxApplied {
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
    var step = OutboxStep(before, change, settings, isMade: check.isMade)
    step.take(check.answer)
    var applied = OutboxApplied(outcome: step.outcome)
    applied.remarks += check.remarks
    var json = takesJSON ? step.json : nil
    if step.json != nil, let found = check.key {
      applied.key = found.value
      if step.entry.waiting?.kind == .delete, check.copy != nil {
        // One of the two was deleted here: what the server has is the other.
        step.entry.waiting = nil
      } else if step.entry.waiting?.kind == .delete {
        // Made and deleted here: only now it is known what to delete there.
        let key = change.objectID.entity.properties[found.slot].name
        if change.kind != .delete { step.entry.tombstone[key] = found.value }
      } else if let copy = check.copy {
        try RowMerger(transaction, outbox: name).join(&step.entry, copy)
        applied.isJoined = true
      }
    }
    if let json, let fill, step.entry.waiting?.kind == .delete {
      step.entry.takeVersion(try fill.attributes(in: json))
    }
    if step.isThereAlready {
      step.entry.waiting?.base = try transaction.valuesMadeHere(change.objectID)
    }
    try transaction.setOutboxEntry(step.entry, before: before, in: name)
    if step.outcome.isAccepted {
      try transaction.endLinks(from: before, to: step.entry, isGivenUp: false, in: name)
    }
    applied.carried = try OutboxCargo.arrive(
      step, change.objectID, as: change.idempotencyKey, name, in: transaction)
    let isThere = try !transaction.rows(change.objectID.entity, rows: [change.objectID.row])
      .isEmpty
    if !isThere { json = nil }
    if step.deletesHere, isThere {
      try transaction.delete([change.objectID.row], of: change.objectID.entity)
    } else if let json, let fill {
      var keys = try NestedKeys(applied.carried, fill, outbox: name, transaction)
      if step.outcome.isAccepted { try keys.give(below: change.objectID, from: json) }
      // What the list does not say of new objects is told by the objects that it has instead,
      // unless it is older than what is here.
      let isOlder = step.entry.waiting?.hasLists(of: change.objectID.entity) == true
      let replaced = try isOlder ? [] : keys.replaceable()
      _ = try fill.fill(
        change.objectID.row, from: json, replacesNested: !replaced.isEmpty, in: transaction)
      for id in replaced { try transaction.delete([id.row], of: id.entity) }
    }
    if step.json != nil, let key = check.key, isThere, change.kind == .insert {
      // It counts, whatever becomes of the rest of the JSON.
      try transaction.takeKey(key, of: change.objectID)
    }
    if step.entry.refusal == nil, step.entry.edit != nil { applied.more = step.entry }
    return applied
  }
}

extension OutboxEntry {
  /// Takes over what the server has of an object that is to be deleted there: the version that the
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

  /// What an object has that was made here: all its links are edits.
  fileprivate func valuesMadeHere(_ id: ManagedObjectID) throws -> [String: Value] {
    var values = try values(of: [id.row], in: id.entity)[id] ?? [:]
    for list in id.entity.relationships where list.kind == .manyToMany {
      values[list: list].edited = values[list: list].before.map(Set.init)
    }
    return values
  }
}

extension OutboxEntry.Edit {
  /// Whether lists of objects that belong to the object were edited.
  fileprivate func hasLists(of entity: EntityDescription) -> Bool {
    entity.relationships.contains { $0.kind == .oneToMany && slots.contains($0.slot) }
  }
}

/// What an answer means for what is kept of an object: the table of the page *Sending edits*.
struct OutboxStep {
  private(set) var outcome = OutboxApplied.Outcome.accepted
  var entry: OutboxEntry

  /// The server's version, to be taken over.
  private(set) var json: JSONValue?
  private(set) var deletesHere = false

  /// Whether what was new here turned out to be on the server: what is here counts as what the
  /// server has, but where its version says something else.
  private(set) var isThereAlready = false

  /// Whether the server has made what is refused: the same goes again then, and nothing else.
  let isMade: Bool
  private let change: OutboxChange
  private let settings: Outbox.Settings

  init(
    _ entry: OutboxEntry, _ change: OutboxChange, _ settings: Outbox.Settings, isMade: Bool
  ) {
    self.entry = entry
    self.isMade = isMade
    self.change = change
    self.settings = settings
  }

  /// Why an edit of an object is refused that the server does not have.
  static let goneReason = "The server does not have the object any more."

  mutating func take(_ answer: OutboxAnswer) {
    entry.tries += 1
    entry.earliest = nil
    if entry.isGivenUp { return takeLate(answer) }
    switch answer {
    case .accepted(let json): accept(json)
    case .refused(let reason): refuse(reason)
    case .gone where change.kind == .delete: accept(nil)
    case .gone: takeGone()
    case .conflict(let json): takeConflict(json)
    case .retry: break
    }
  }

  /// Takes an answer to a new object that was given up while it was under way.
  private mutating func takeLate(_ answer: OutboxAnswer) {
    switch answer {
    case .accepted(let json): accept(json)
    case .conflict(let json?): accept(json)
    case .refused(let reason): refuse(reason)
    case .conflict, .gone, .retry: refuse("It was given up here.")
    }
  }

  private mutating func accept(_ json: JSONValue?) {
    entry.acknowledge()
    if change.kind != .delete { self.json = json }
  }

  private mutating func refuse(_ reason: String) {
    // What the server has not made need not be deleted there.
    let isOver = change.kind == .insert && entry.waiting?.kind == .delete
    if isOver || !isMade { entry.takeBack() }
    if isOver { entry.waiting = nil }
    if !entry.isGivenUp { entry.refusal = reason }
    outcome = .refused(reason)
  }

  private mutating func takeGone() {
    switch settings.whenGone {
    case .deleteHere where change.kind == .update:
      entry.sent = nil
      entry.waiting = nil
      deletesHere = true
    case .insertAgain where change.kind == .update && entry.waiting?.kind != .delete:
      entry.sent = nil
      entry.waiting = OutboxEntry.Edit(.insert)
      outcome = .again
    case _ where change.kind == .insert:
      refuse(
        "The server has nothing at the address where it was to be made, or not what it belongs to.")
    default:
      refuse(OutboxStep.goneReason)
    }
  }

  private mutating func takeConflict(_ json: JSONValue?) {
    switch settings.whenInConflict {
    case .refuse: refuse("The object has changed on the server.")
    case .takeServer:
      guard json != nil || change.kind == .delete else {
        return refuse("The object has changed on the server, and the answer does not say how.")
      }
      accept(json)
      if entry.waiting?.kind != .delete { entry.waiting = nil }
    case .merge:
      guard let json else {
        return refuse(
          "The object has changed on the server, and the answer does not say how. Sync it, then try again."
        )
      }
      let edit = entry.edit
      entry.takeBack()
      // It is there already, under the key that the JSON says: what is here goes on top.
      if edit?.kind == .insert {
        var slots = SlotSet()
        let entity = change.objectID.entity
        for property in entity.properties where property.slot != entity.primaryKey?.slot {
          slots.insert(property.slot)
        }
        entry.waiting = OutboxEntry.Edit(.update, slots: slots)
        isThereAlready = true
      }
      self.json = json
      outcome = .again
    }
  }
}
