import Foundation
public import SyncCore
import SyncEngine
import SyncGraph
import SyncStore

extension Outbox {
  // MARK: - Watching

  /// Everything that has not been accepted, in the order in which it came to wait; edits since the
  /// last run among them. An edit that no handler would send is not: the other end of a
  /// relationship that its objects send, say.
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: linear in the waiting entries.
  public var pending: [OutboxItem] {
    get throws { try stack.store.read { try items(try $0.pendingEntries(of: name), $0) } }
  }

  /// The changes that the server refused, with its reasons, across restarts.
  ///
  /// - Throws: `StoreError`.
  public var refused: [OutboxItem] {
    get throws {
      try stack.store.read { reader in
        try items(try reader.pendingEntries(of: name).filter { $0.refusal != nil }, reader)
      }
    }
  }

  /// How much there is to send.
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: linear in the waiting entries.
  public var status: OutboxStatus {
    get throws {
      var status = OutboxStatus()
      for item in try pending {
        if case .refused = item.state { status.refused += 1 } else { status.waiting += 1 }
      }
      (status.isSending, status.stopReason) = settings.withLock { ($0.running > 0, $0.stopReason) }
      let driver = driver.withLock { $0 }
      status.isStarted = driver != nil
      status.nextRun = driver?.pause.map { Date(timeIntervalSinceNow: $0 / .seconds(1)) }
      return status
    }
  }

  /// The status now, and whenever an answer or a run changes it; ends when the outbox goes.
  public var statusUpdates: AsyncStream<OutboxStatus> {
    updates.makeStream(.bufferingNewest(1), beginningWith: { try? self.status })
  }

  /// Tells those who follow the status, or await an outcome.
  func tell() {
    answers.yield(())
    if updates.isHeard, let status = try? status { updates.yield(status) }
  }

  // MARK: - Refused changes

  /// Sends a refused change again in the next run; soon, when the outbox was started.
  ///
  /// - Throws: `StoreError`.
  public func retry(_ item: OutboxItem) throws {
    try write { transaction in
      guard let before = try transaction.outboxEntry(item.objectID, in: name) else { return }
      var entry = before
      entry.refusal = nil
      entry.earliest = nil
      try transaction.setOutboxEntry(entry, before: before, in: name)
    }
    driver.withLock { $0 }?.send(.committed)
  }

  /// Gives a change up: it is not sent, and the next sync may overwrite it. Until then the object
  /// stays as it is. A new object stays as one that the server does not have: a sync may delete it,
  /// and a later edit of it, or of an object that it is linked with, sends it as new.
  ///
  /// - Throws: `StoreError`.
  public func discard(_ item: OutboxItem) throws {
    try write { _ = try give(up: item.objectID, staysNew: true, in: $0) }
  }

  /// Gives changes up, and goes back to the server's last values: objects that were made here are
  /// deleted, those that were edited take their values back, those that were deleted come back with
  /// their values and references. References to objects that are deleted here, and not among the
  /// items, stay empty.
  ///
  /// - Throws: ``SyncError`` when the server's values are not known, because an edit is older than
  ///   the outbox; `StoreError`, when the key of a deleted object has been given away, say. Nothing
  ///   has changed then.
  public func revert(_ items: [OutboxItem]) throws {
    try revert(items, needsAll: true)
  }

  /// Gives one change up as `revert(_:)` does for several.
  public func revert(_ item: OutboxItem) throws { try revert([item]) }

  /// Gives a change up as `revert(_:)` does, and takes over the server's version, when a person has
  /// asked for it.
  ///
  /// - Throws: ``SyncError`` when the JSON cannot be used; `StoreError`. Nothing has changed then.
  public func revert(_ item: OutboxItem, to json: JSONValue) throws {
    let destination = settings.withLock { $0.destinations }.destination(for: item.objectID.entity)
    let source = destination?.source(for: item.objectID.entity)
    let fill = try RowFill(source ?? Conventional(item.entity), stack)
    try revert([item], needsAll: false) { id, transaction in
      try fill.fill(id.row, from: json, in: transaction)
    }
  }

  /// - Parameters:
  ///   - needsAll: Whether nothing is done when a server's value is not known.
  ///   - finish: Called with each object that is there afterwards.
  private func revert(
    _ items: [OutboxItem], needsAll: Bool,
    then finish: (ManagedObjectID, StoreTransaction) throws -> Void = { _, _ in }
  ) throws {
    try write { transaction in
      var made: [ManagedObjectID] = []
      var reverters: [RowReverter] = []
      for item in items {
        guard let before = try give(up: item.objectID, staysNew: false, in: transaction),
          let edit = before.edit
        else { continue }
        if edit.kind == .insert {
          made.append(before.id)
          continue
        }
        let reverter = RowReverter(transaction: transaction, id: before.id, edit: edit)
        if needsAll, !reverter.unknown.isEmpty { throw unknown(reverter.unknown, item) }
        reverters.append(reverter)
      }
      for reverter in reverters { try reverter.bringBack() }
      for reverter in reverters where try reverter.isPresent {
        try reverter.revert()
        try finish(reverter.id, transaction)
      }
      for id in made {
        try RowReverter.release(from: id, beside: Set(made), outbox: name, transaction)
      }
      for id in made { try transaction.delete([id.row], of: id.entity) }
    }
  }

  private func unknown(_ names: [String], _ item: OutboxItem) -> SyncError {
    let object = "\(item.entity) \(item.key?.description ?? "#\(item.objectID.row)")"
    return SyncError(
      .invalidRequest, entity: item.entity,
      message: """
        The server's “\(names.joined(separator: "”, “"))” of \(object) is not known, as the object was edited before \
        there was an outbox. Give the server's version to revert(_:to:), or discard the change and sync the object.
        """)
  }

  /// Forgets the unsent edits of an object.
  ///
  /// - Parameter staysNew: Whether an object that was made here stays, as one that the server does
  ///   not have.
  /// - Returns: The entry before.
  private func give(
    up id: ManagedObjectID, staysNew: Bool, in transaction: StoreTransaction
  ) throws -> OutboxEntry? {
    guard let before = try transaction.outboxEntry(id, in: name) else { return nil }
    var entry = before
    entry.giveUp()
    if !staysNew { entry.forget() }
    try transaction.setOutboxEntry(entry, before: before, in: name)
    // The links of an object that the server does not have cannot be sent by their other ends.
    var reach = OutboxReach(name, stack, settings.withLock { $0.destinations })
    let slots = try before.edit?.kind == .insert ? nil : reach.saidSlots(of: id.entity)
    try transaction.endLinks(from: before, to: entry, slots: slots, isGivenUp: true, in: name)
    return before
  }

  /// Uses the entries, with the latest edits.
  private func write(_ body: (StoreTransaction) throws -> Void) throws {
    try stack.store.write(info) { transaction in
      try OutboxScopes(stack).drain(name, in: transaction)
      try body(transaction)
    }
    tell()
  }
}

extension StoreReader {
  /// The keys of objects, by which the server knows them: those before an edit, those that deleted
  /// objects had, else those that they have; none of objects without. A read per entity.
  func keys(of entries: [OutboxEntry]) throws -> [ManagedObjectID: Value] {
    var result: [ManagedObjectID: Value] = [:]
    var present: [ManagedObjectID] = []
    for entry in entries {
      let key = entry.id.entity.primaryKey?.name ?? ""
      switch entry.edit?.kind {
      case .delete: result[entry.id] = entry.tombstone[key]
      case .update where entry.edit?.base[key]?.isNull == false:
        result[entry.id] = entry.edit?.base[key]
      default: present.append(entry.id)
      }
    }
    for (entity, group) in Dictionary(grouping: present, by: \.entity) {
      guard let slot = entity.primaryKey?.slot else { continue }
      try scan(entity, .rows(group.map(\.row)), slots: [slot]) { cursor in
        let value = cursor.value(slot)
        if !value.isNull { result[ManagedObjectID(entity: entity, row: cursor.row)] = value }
      }
    }
    return result
  }
}

extension [OutboxDestination] {
  /// How objects of an entity are sent: by the handler of the nearest entity above it.
  func destination(for entity: EntityDescription) -> OutboxDestination? {
    var current: EntityDescription? = entity
    while let entity = current {
      if let destination = last(where: { $0.entityName == entity.name }) { return destination }
      current = entity.superentity
    }
    return nil
  }
}
