public import SyncCore
public import SyncGraph
import SyncStore

/// Objects that are on the server and not here.
extension CloudEngine {
  /// Removes an object here only: it stays on the server and elsewhere, and a pull does not bring
  /// it back. ``bringBack(_:)`` and ``replaceLocal()`` do. References to the object stay on the
  /// server. Delete rules do not apply.
  ///
  /// - Throws: ``CloudError`` with ``CloudError/Code/unsent`` when it has edits that were not sent,
  ///   and ``CloudError/Code/notFound`` when it is not synced; `StoreError`.
  public func evict(_ object: ManagedObjectID) async throws {
    try await write { writing in
      let known = try writing.transaction.remoteRecord(of: object.row, object.entity)
      guard let record = known, writing.fields.travels(object.entity) else {
        throw CloudError(.notFound, message: "\(object) is no object that is synced.")
      }
      guard record.waiting.isEmpty else {
        throw CloudError(
          .unsent,
          message: "\(object) has edits that were not sent yet. Push, then remove it.")
      }
      try Self.evict(record, object, in: writing)
    }
    monitor.tell()
  }

  /// Removes here only the objects that a fetch finds, and those that the model's delete rules
  /// would delete with them.
  ///
  /// ```swift
  /// try await cloud.evict(where: Fetch<Note>("date < %@", lastYear))
  /// ```
  ///
  /// An object with edits that were not sent stays, and so does one that would take it along. A
  /// relationship to an object that goes is empty here, and stays on the server.
  ///
  /// - Returns: How many objects went.
  /// - Throws: `StoreError` with the code `deletionDenied` when a rule of a many-to-many
  ///   relationship is in the way, with nothing removed; `GraphError`, `FilterError` as a fetch
  ///   does.
  /// - Complexity: Linear in the objects that go.
  @discardableResult
  public func evict<Object: ManagedObject>(where fetch: Fetch<Object>) async throws -> Int {
    let context = stack.newNonMergingBackgroundContext()
    let found = try await context.perform { try context.identifiers(fetch) }
    let count = try await write { writing in
      let eviction = Eviction(writing: writing)
      return try eviction.whole(found).count { record, object in
        try Self.evict(record, object, in: writing)
        return true
      }
    }
    monitor.tell()
    return count
  }

  private static func evict(
    _ known: RemoteRecord, _ object: ManagedObjectID, in writing: CloudWriting
  ) throws {
    var record = known
    try writing.enter(record.zone) {
      try ObjectDeleter(writing: writing).delete(object, name: record.name)
      try writing.forgetReferences(of: record.name)
    }
    record.evict()
    try writing.transaction.setRemoteRecord(record)
  }

  /// Fetches again the objects that were removed here only.
  ///
  /// - Parameter entityName: Of which entity, subentities included; nil is all.
  /// - Returns: How many objects are here again; the server may have deleted others.
  /// - Throws: As ``pull(progress:)``.
  /// - Complexity: Linear in the records of the server: all are read once.
  @discardableResult
  public func bringBack(_ entityName: String? = nil) async throws -> Int {
    let wanted = try entityName.map { try stack.model.requireEntity(named: $0) }
    let count = try await turn.run {
      var count = 0
      for zone in [zone] + (try await sharedZones()) {
        count += try await bringBack(wanted, in: zone)
      }
      return count
    }
    monitor.tell()
    return count
  }

  /// Fetches again the objects of one zone.
  @discardableResult
  func bringBack(_ wanted: EntityDescription?, in zone: CloudZone) async throws -> Int {
    let evicted = try await write(in: zone) { [model = stack.model] writing in
      try writing.transaction.allRemoteRecords(in: zone.key).filter { record in
        guard record.isEvicted else { return false }
        return wanted.map { model.entity(named: record.entity)?.isKind(of: $0) == true } ?? true
      }.map(\.name)
    }
    guard !evicted.isEmpty else { return 0 }
    return try await bringBack(Set(evicted), in: zone, try await connect(zone).limits)
  }

  private func bringBack(
    _ names: Set<String>, in zone: CloudZone, _ limits: CloudLimits
  ) async throws -> Int {
    var count = 0
    try await readAll(zone, limits) { records in
      let shown = records.filter { names.contains($0.name) }
      guard !shown.isEmpty else { return }
      try await write(in: zone) { writing in
        // As if it had never been here.
        for record in shown {
          try writing.transaction.removeRemoteRecord(record.name, in: writing.zone.name)
        }
      }
      count += try await store(shown, in: zone, isFeed: false, deletionGuard) { _ in }.inserted
    }
    return count
  }
}

extension RemoteRecord {
  /// Notes that the object was removed here only.
  mutating func evict() {
    (row, kept, problem, isEvicted) = (nil, nil, nil, true)
    (stamps, waiting) = (RemoteStamps(), [])
  }
}

/// The objects that go when some are removed here only.
private struct Eviction: WritingPart {
  let writing: CloudWriting

  /// The objects whose whole cascade was sent, with that.
  func whole(
    _ objects: [ManagedObjectID]
  ) throws -> [(record: RemoteRecord, object: ManagedObjectID)] {
    var result: [(record: RemoteRecord, object: ManagedObjectID)] = []
    var going: Set<ManagedObjectID> = []
    for object in objects where !going.contains(object) {
      guard let part = try cascade(of: object, going) else { continue }
      going.formUnion(part.map(\.object))
      result += part
    }
    return result
  }

  /// An object and those that it would take along; nil when any of them has to stay.
  private func cascade(
    of object: ManagedObjectID, _ going: Set<ManagedObjectID>
  ) throws -> [(record: RemoteRecord, object: ManagedObjectID)]? {
    var seen = going.union([object])
    var next = [object]
    var result: [(record: RemoteRecord, object: ManagedObjectID)] = []
    while let each = next.popLast() {
      let transaction = writing.transaction
      guard let record = try transaction.remoteRecord(of: each.row, each.entity),
        record.waiting.isEmpty,
        let entity = writing.model.entity(named: record.entity), writing.fields.travels(entity)
      else { return nil }
      result.append((record, each))
      for relationship in entity.relationships
      where relationship.deleteRule == .cascade && !relationship.isTransient {
        for member in try targets(of: relationship, entity, each.row)
        where seen.insert(member).inserted { next.append(member) }
      }
    }
    return result
  }

  private func targets(
    of relationship: RelationshipDescription, _ entity: EntityDescription, _ row: Int64
  ) throws -> [ManagedObjectID] {
    try writing.transaction.members(of: relationship, in: entity, owners: [row])
      .map { ManagedObjectID(entity: $0.entity, row: $0.row) }
  }
}

@available(*, unavailable, message: "Confined to the body of a write.")
extension Eviction: Sendable {}
