import Foundation
public import SyncCore
import SyncEngine
import SyncGraph
import SyncStore

extension Outbox {
  // MARK: - Watching

  /// Everything that has not been accepted, in the order in which it came to wait; edits since the last run among it.
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: linear in what waits.
  public var pending: [OutboxItem] {
    get throws { try stack.store.read { try items(try $0.pendingEntries(of: name), $0) } }
  }

  /// What the server refused, with its reasons, across restarts.
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
  /// - Complexity: linear in what waits.
  public var status: OutboxStatus {
    get throws {
      var status = OutboxStatus()
      let entries = try stack.store.read { try $0.pendingEntries(of: name) }
      status.refused = entries.count { $0.refusal != nil }
      status.waiting = entries.count - status.refused
      status.isSending = settings.withLock { $0.running > 0 }
      return status
    }
  }

  /// The status now, and whenever an answer or a run changes it.
  public var statusUpdates: AsyncStream<OutboxStatus> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let id = UUID()
      settings.withLock { $0.listeners[id] = continuation }
      continuation.onTermination = { [weak self] _ in
        self?.settings.withLock { $0.listeners[id] = nil }
      }
      if let status = try? status { continuation.yield(status) }
    }
  }

  /// Tells those who follow the status.
  func tell() {
    let listeners = settings.withLock { Array($0.listeners.values) }
    guard !listeners.isEmpty, let status = try? status else { return }
    for listener in listeners { listener.yield(status) }
  }

  private func items(_ entries: [OutboxEntry], _ reader: StoreReader) throws -> [OutboxItem] {
    let keys = try reader.keys(of: entries)
    return entries.compactMap { entry in
      entry.edit.map { OutboxItem(entry, $0, key: keys[entry.id]) }
    }
  }

  // MARK: - What was refused

  /// Sends a refused change again in the next run.
  ///
  /// - Throws: `StoreError`.
  public func retry(_ item: OutboxItem) throws {
    try change(item) { entry in
      entry.refusal = nil
      entry.earliest = nil
    }
  }

  /// Gives a change up: it is not sent, and the next sync may overwrite it. Until then the object stays as it is.
  ///
  /// - Throws: `StoreError`.
  public func discard(_ item: OutboxItem) throws {
    try change(item) { entry in
      entry.waiting = nil
      entry.sent = nil
    }
  }

  /// Gives a change up, and takes over what the server has: an object that was made here is deleted, one that was edited
  /// takes the values of the JSON.
  ///
  /// - Parameter json: The server's version; nil where the object was made here. A deletion is only given up: the next sync
  ///   brings the object back.
  /// - Throws: ``SyncError`` when the JSON cannot be used; `StoreError`. Nothing has changed then.
  public func revert(_ item: OutboxItem, to json: JSONValue? = nil) throws {
    let destination = settings.withLock { $0.destinations }.destination(for: item.objectID.entity)
    let source = destination?.source(for: item.objectID.entity)
    let fill = try RowFill(source ?? Conventional(item.entity), stack)
    try change(item) { entry in
      entry.waiting = nil
      entry.sent = nil
    } then: { before, transaction in
      if before.edit?.kind == .insert {
        try transaction.delete([before.id.row], of: before.id.entity)
      } else if before.edit?.kind == .update, let json {
        _ = try fill.fill(before.id.row, from: json, in: transaction)
      }
    }
  }

  private func change(
    _ item: OutboxItem, _ body: (inout OutboxEntry) -> Void,
    then finish: (OutboxEntry, StoreTransaction) throws -> Void = { _, _ in }
  ) throws {
    try stack.store.write(info) { transaction in
      try transaction.drainHistory(intoOutbox: name)
      guard let before = try transaction.outboxEntry(item.objectID, in: name) else { return }
      var entry = before
      body(&entry)
      try transaction.setOutboxEntry(entry, before: before, in: name)
      try finish(before, transaction)
    }
    tell()
  }
}

extension StoreReader {
  /// The keys of objects, those that they have, or had when they were deleted; none of objects without. A read per entity.
  func keys(of entries: [OutboxEntry]) throws -> [ManagedObjectID: Value] {
    var result: [ManagedObjectID: Value] = [:]
    for entry in entries where entry.edit?.kind == .delete {
      result[entry.id] = entry.id.entity.primaryKey.flatMap { entry.tombstone[$0.name] }
    }
    let present = entries.lazy.filter { $0.edit?.kind != .delete }.map(\.id)
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
