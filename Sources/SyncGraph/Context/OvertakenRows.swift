import SyncCore
import SyncStore

/// The rows as a context read them, of objects with unsaved changes that commits of others have
/// overtaken.
///
/// A merge lays unsaved values on top of the new row, so that a program sees the changes of others.
/// Conflicts of a save are another matter: there the row counts that the program had before its
/// eyes when it made its changes. Otherwise a program that reads a counter, adds one and saves
/// would undo the additions of others meanwhile, only because they were merged before the save.
struct OvertakenRows {
  struct Row {
    let values: RowValues
    let version: Int64
  }

  private var rows: [ObjectIdentifier: Row] = [:]

  subscript(_ object: ManagedObject) -> Row? {
    rows.isEmpty ? nil : rows[ObjectIdentifier(object)]
  }

  /// Notes the row as which an object was read, unless an earlier merge did.
  ///
  /// - Parameter row: nil is the row that the object has.
  mutating func note(_ object: ManagedObject, readAs row: Row? = nil) {
    let id = ObjectIdentifier(object)
    if rows[id] == nil { rows[id] = row ?? Row(values: object.base, version: object.version) }
  }

  /// Forgets an object that has no unsaved changes any more, or was read again.
  mutating func forget(_ object: ManagedObject) {
    if !rows.isEmpty { rows[ObjectIdentifier(object)] = nil }
  }

  mutating func removeAll() {
    rows = [:]
  }
}

extension ManagedObject {
  /// The version of the row on which the unsaved changes were made.
  final var versionAsRead: Int64 { owner?.overtaken[self]?.version ?? version }

  /// The values on which the unsaved changes were made.
  final var baseAsRead: RowValues { owner?.overtaken[self]?.values ?? base }

  /// Whether merging a commit would exchange the row under unsaved changes.
  final var hasChangedRow: Bool { !committed.isNone || flags.contains(.deleted) }
}
