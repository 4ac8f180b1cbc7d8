public import Foundation
public import SyncCore
public import SyncGraph
import SyncStore

/// An item that a sync could not store and kept, because it was asked to
/// (``ItemErrorPolicy/quarantine``).
public struct QuarantinedItem: Sendable, Hashable, Identifiable {
  /// Number in the quarantine of its store.
  public var id: Int64 { row.id }

  /// Name of its entity.
  public var entity: String { row.entity }

  /// Its primary key; nil when it cannot be read.
  public var key: Value? { row.key.isNull ? Value?.none : row.key }

  /// The JSON as it stood in the payload. Mend it before replaying, if it is the JSON that is
  /// wrong.
  public var json: Data {
    get { row.json }
    set { row.json = newValue }
  }

  /// Why it could not be stored, for programs.
  public var code: SyncError.Code { SyncError.Code(rawValue: row.code) ?? .invalidItem }
  /// Why it could not be stored, for people.
  public var reason: String { row.reason }

  /// Where it stood in the payload, as in `$[3]`.
  public var path: String { row.path }

  /// When it was kept.
  public var date: Date { row.date }

  /// How often it was replayed in vain.
  public var attempts: Int { row.attempts }

  var row: QuarantinedRow
}

extension QuarantinedItem: CustomStringConvertible {
  /// The item as a person would say it: `User 6: “name” of User 6 is required …`.
  public var description: String { "\(entity) \(key?.description ?? path): \(reason)" }
}

/// The items that syncs could not store and kept, in the store itself.
///
/// ```swift
/// sync.onItemError = .quarantine
/// …
/// for item in try stack.quarantine.items() { print(item) }
/// let report = try await stack.quarantine.replay()
/// ```
///
/// An item is forgotten when it was replayed with success, when a later sync brings its object in a
/// form that can be stored, and when it is discarded; a later item of the same key takes its place,
/// and one of the same JSON where the key cannot be read.
public struct Quarantine: Sendable {
  let stack: DataStack

  /// The items, oldest first.
  ///
  /// - Parameter name: Only those of an entity.
  public func items(ofEntityNamed name: String? = nil) throws -> [QuarantinedItem] {
    try stack.store.read { try $0.quarantine(of: name).map(QuarantinedItem.init) }
  }

  /// Syncs items again, without deleting objects that they do not mention: per entity and parent in
  /// one transaction. Those that can be stored now leave the quarantine in it, the others stay.
  ///
  /// - Parameters:
  ///   - items: Which, and in which form; nil is all as they are.
  ///   - source: The serializer whose sync kept them; items of its entity are read as it says. Nil
  ///     is conventional mapping for all.
  /// - Returns: The report of the syncs; ``SyncReport/skipped`` items are still there.
  /// - Throws: ``JSONError`` for an item that was changed into something else than one JSON value;
  ///   otherwise as a sync does. Items stored before stay stored.
  @discardableResult
  public func replay(
    _ items: [QuarantinedItem]? = nil, with source: (any PlanSource)? = nil
  ) async throws -> SyncReport {
    var report = SyncReport()
    for item in items ?? [] { _ = try JSONValue(parsing: item.json) }
    for rows in Quarantine.groups(try items ?? self.items()) {
      let sync = try Quarantine.sync(rows, stack)
      if let source, source.mappingSource.entityName == sync.entityName { sync.source = source }
      report.add(try await stack.sync(sync))
    }
    return report
  }

  /// Forgets items.
  ///
  /// - Parameter items: Which; nil is all.
  public func discard(_ items: [QuarantinedItem]? = nil) throws {
    let ids = try (items ?? self.items()).map(\.id)
    try stack.store.write { try $0.removeQuarantined(ids) }
  }

  /// The items by entity and parent.
  private static func groups(_ items: [QuarantinedItem]) -> [[QuarantinedRow]] {
    struct Place: Hashable {
      let entity: String
      let parent: QuarantinedRow.Parent?
    }
    let rows = items.map(\.row).sorted(on: \.id)
    return Dictionary(grouping: rows) { Place(entity: $0.entity, parent: $0.parent) }.values
      .sorted(on: { $0.first?.id ?? 0 })
  }

  private static func sync(_ rows: [QuarantinedRow], _ stack: DataStack) throws -> Sync {
    let sync = Sync(.replay(rows), with: Conventional(rows[0].entity), dataStack: stack)
    sync.name = "quarantine"
    sync.operations = SyncOperations.all.subtracting(.delete)
    if let parent = rows[0].parent {
      sync.parent = ManagedObjectID(
        entity: try stack.model.requireEntity(named: parent.entity), row: parent.row)
      sync.parentRelationship = parent.relationship
    }
    return sync
  }
}

extension DataStack {
  /// The items that syncs could not store and kept.
  public var quarantine: Quarantine { Quarantine(stack: self) }
}

/// A sync of items that are in quarantine: items that it leaves out stay there, all others leave
/// it.
struct QuarantineReplay {
  let rows: [QuarantinedRow]

  func prepare(_ request: inout SyncRequest) {
    var text = Data("[".utf8)
    for (index, row) in rows.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(row.json)
    }
    text.append(UInt8(ascii: "]"))
    request.payload = .data(text)
    request.settings.onItemError = .skip
    // A replay deletes nothing; an item of which nothing can be used is no reason to stop it.
    request.settings.deletionGuard = .off
    let failed = Locked<Set<Int>>([])
    request.hooks.onRejected = { [rows] item, transaction in
      failed.withLock { _ = $0.insert(item.index) }
      var row = rows[item.index]
      row.code = item.reason.code.rawValue
      row.reason = item.reason.message
      try transaction.updateQuarantined(row)
    }
    request.hooks.willEnd = { [rows] transaction in
      let failed = failed.withLock { $0 }
      try transaction.removeQuarantined(
        rows.indices.filter { !failed.contains($0) }.map { rows[$0].id })
    }
  }
}
