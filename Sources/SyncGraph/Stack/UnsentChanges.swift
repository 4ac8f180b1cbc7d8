public import SyncCore
public import SyncStore

/// Changes made in this program since a place in the history that are to be sent, each object once.
///
/// An object that was inserted and then updated is an insertion; one that was inserted and deleted
/// again is not mentioned; one that was updated and deleted is a deletion. Changes by syncs are not
/// in it.
public struct UnsentChanges: Sendable {
  /// Up to which transaction the changes go: the token to acknowledge once they were sent.
  public let token: HistoryToken

  /// In the order in which the objects were changed first.
  public internal(set) var changes: [UnsentChange] = []

  /// Whether there is nothing to send.
  public var isEmpty: Bool { changes.isEmpty }

  /// The objects that were inserted.
  public var insertions: [UnsentChange] { changes.filter { $0.kind == .insertion } }

  /// The objects that were updated.
  public var updates: [UnsentChange] { changes.filter { $0.kind == .update } }

  /// The objects that were deleted.
  public var deletions: [UnsentChange] { changes.filter { $0.kind == .deletion } }
}

/// The change of one object, as far as it is to be sent.
public struct UnsentChange: Sendable, Hashable {
  /// The kind of change.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// The object is new.
    case insertion
    /// Properties of it were changed.
    case update
    /// It was deleted.
    case deletion
  }

  /// The kind of the change.
  public let kind: Kind
  /// The object that it happened to.
  public let objectID: ManagedObjectID

  /// The primary key that the object has now, or had when it was deleted; nil when the entity has
  /// none.
  public let key: Value?

  /// Names of the properties that an update changed, in model order.
  public let properties: [String]

  /// Of a deleted object the primary key and the attributes that the model preserves after
  /// deletion.
  public let preserved: [String: Value]

  /// Name of the object's own entity.
  public var entity: String { objectID.entity.name }
}

extension UnsentChange: CustomStringConvertible {
  /// The change as a person would say it: `update of User 6: email, name`.
  public var description: String {
    let name = "\(kind.rawValue) of \(entity) \(key?.description ?? "#\(objectID.row)")"
    return properties.isEmpty ? name : "\(name): \(properties.joined(separator: ", "))"
  }
}

extension StoreReader {
  /// Local changes after a place in the history, folded per object, with the keys that the objects
  /// have now.
  func unsentChanges(after token: HistoryToken, through latest: HistoryToken) throws
    -> UnsentChanges
  {
    var fold = HistoryFold(after: token)
    try readLocalHistory(into: &fold, base: .nothing)
    let entries = Array(fold.entries)
    let keys = try presentKeys(of: entries)
    var result = UnsentChanges(token: latest)
    for entry in entries {
      let entity = entry.id.entity
      let kind: UnsentChange.Kind
      var key: Value?
      switch entry.kind {
      case .delete:
        kind = .deletion
        key = entity.primaryKey.flatMap { entry.tombstone[$0.name] }
      case .insert, .update:
        // An object that a sync deleted since is not there any more, and need not be sent.
        guard let present = keys[entry.id] else { continue }
        kind = entry.kind == .insert ? .insertion : .update
        key = present
      }
      result.changes.append(
        UnsentChange(
          kind: kind, objectID: entry.id, key: key,
          properties: entry.slots.map { entity.properties[$0].name }, preserved: entry.tombstone))
    }
    return result
  }

  /// The keys of the objects that exist; a read per entity.
  private func presentKeys(of entries: [HistoryFold.Entry]) throws -> [ManagedObjectID: Value?] {
    var result: [ManagedObjectID: Value?] = [:]
    let present = entries.lazy.filter { $0.kind != .delete }.map(\.id)
    for (entity, group) in Dictionary(grouping: present, by: \.entity) {
      let slot = entity.primaryKey?.slot
      try scan(entity, .rows(group.map(\.row)), slots: slot.map { [$0] } ?? []) { cursor in
        result[ManagedObjectID(entity: entity, row: cursor.row)] = .some(slot.map(cursor.value))
      }
    }
    return result
  }
}
