import SyncCore
import SyncStore

/// The members put into the many-to-many lists of an object, and taken out, by a change as it is
/// handed over: for APIs that have a request for each member.
struct ListChanges {
  /// Keys of the members by name of the relationship; lists without any are left out.
  private(set) var added: [String: [Value]] = [:]
  private(set) var removed: [String: [Value]] = [:]

  /// - Parameters:
  ///   - edit: The edit that is handed over.
  ///   - later: The edits since, or sent afterwards: they were made on the lists that count.
  init(
    _ id: ManagedObjectID, _ edit: OutboxEntry.Edit, later: OutboxEntry.Edit?, outbox: String,
    _ reader: StoreReader
  ) throws {
    guard edit.kind != .delete else { return }
    for list in id.entity.relationships
    where list.kind == .manyToMany && (edit.kind == .insert || edit.slots.contains(list.slot)) {
      let made = later.flatMap { later in
        later.slots.contains(list.slot) ? later.base[list: list].before : nil
      }
      let now = try made ?? reader.members(of: list, in: id.entity, owners: [id.row]).map(\.row)
      // Where the server's list is not known, every member may be new to it.
      let before = edit.kind == .insert ? [] : edit.base[list: list].before ?? []
      let keys = try KeysOfMembers(list, of: id.entity, Set(now + before), outbox, reader)
      added[list.name] = keys[now.filter { !before.contains($0) }]
      removed[list.name] = keys[before.filter { !now.contains($0) }]
    }
  }
}

/// The keys of some objects that a list leads to, or led to before they were deleted.
private struct KeysOfMembers {
  private var keys: [Int64: Value] = [:]

  init(
    _ list: RelationshipDescription, of owner: EntityDescription, _ rows: Set<Int64>,
    _ outbox: String, _ reader: StoreReader
  ) throws {
    let entity = owner.destination(of: list)
    guard !rows.isEmpty, let key = entity.primaryKey else { return }
    for row in try reader.rows(entity.rootEntity, rows: rows.sorted()) {
      keys[row.row] = row.values[key.slot]
    }
    for row in rows where keys[row] == nil {
      let entry = try reader.outboxEntry(ManagedObjectID(entity: entity, row: row), in: outbox)
      keys[row] = entry?.tombstone[key.name]
    }
  }

  subscript(rows: [Int64]) -> [Value]? {
    let found = rows.compactMap { keys[$0] }.filter { !$0.isNull }
    return found.isEmpty ? nil : found
  }
}
