import SyncCore
import SyncStore

/// Deletions that a context decided on while it knew older values than the store has.
///
/// Only ``MergePolicy/error`` asks: under every other policy a deletion is carried out. Objects
/// that the context never read have no values to compare.
struct DeletionConflicts {
  let transaction: StoreTransaction

  /// - Throws: ``GraphError`` with ``GraphError/Code/conflict`` and both versions of each object
  ///   whose values moved on.
  func check(_ objects: [ManagedObject]) throws {
    let families = Dictionary(
      grouping: objects.filter { !$0.isFault || $0.owner?.overtaken[$0] != nil },
      by: \.entity.rootIndex)
    var conflicts: [SaveConflict] = []
    for family in families.inKeyOrder.map(\.value) {
      conflicts += try self.conflicts(family)
    }
    guard !conflicts.isEmpty else { return }
    let names = conflicts.prefix(10).map { "\($0.objectID)" }.joined(separator: ", ")
    throw GraphError(
      .conflict, entity: conflicts[0].objectID.entity.name, objects: conflicts.map(\.objectID),
      conflicts: conflicts,
      message: """
        \(conflicts.count) object\(conflicts.count == 1 ? "" : "s") to be deleted changed in the store \
        since this context read them: \(names). Look at the error's conflicts, roll back, refresh the \
        objects and delete them again, or choose another merge policy: all others delete them.
        """)
  }

  private func conflicts(_ family: [ManagedObject]) throws -> [SaveConflict] {
    guard let root = family.first?.entity.rootEntity else { return [] }
    let rows = family.map(\.rowNumber).sorted()
    var known: [Int64: ManagedObject] = [:]
    for object in family { known[object.rowNumber] = object }
    return try transaction.rows(root, rows: rows).compactMap { stored in
      guard let object = known[stored.row], object.versionAsRead != stored.version else {
        return nil
      }
      let base = object.baseAsRead
      let columns = object.home.shape.columns
      guard columns.contains(where: { stored.values[$0] != base[$0] }) else { return nil }
      func named(_ values: RowValues) -> [String: Value] {
        Dictionary(uniqueKeysWithValues: columns.map { (object.home.shape.names[$0], values[$0]) })
      }
      return SaveConflict(
        objectID: object.objectID, committed: named(base), edited: [:], stored: named(stored.values)
      )
    }
  }
}
