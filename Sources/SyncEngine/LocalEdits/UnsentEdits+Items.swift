import SyncCore
import SyncStore

/// Which items have to do with unsent edits: only they can say something that the sync leaves
/// alone, since the store agrees with all others.
extension UnsentEdits {
  /// The rows whose items can disagree with an edit: the edited ones, those that they lead to by an
  /// edited relationship, because the lists of these have a member that the payload may not know,
  /// and the members of edited lists.
  ///
  /// An edit is of one row, and its relationship may be said at the other end. There it is noted as
  /// well by most that edit; it counts here in any case. Has to be asked before the sync writes.
  ///
  /// - Returns: The rows by the root entity of their table.
  /// - Complexity: one read per entity with edited relationships.
  func concernedRows(
    _ model: ManagedObjectModel, in transaction: StoreTransaction
  ) throws -> [RowSet] {
    var result = Array(repeating: RowSet(), count: model.entities.count)
    var changed: [EntityDescription: [Int64]] = [:]
    for edit in all {
      let entity = edit.id.entity
      result[entity.rootIndex].insert(edit.id.row)
      guard edit.kind != .delete else { continue }
      var leads = false
      for relationship in entity.relationships
      where edit.kind == .insert || edit.slots.contains(relationship.slot) {
        if relationship.kind == .manyToMany {
          let table = entity.destination(of: relationship).rootIndex
          for row in edit.base[list: relationship].edited ?? [] { result[table].insert(row) }
        }
        leads = true
      }
      if leads { changed[entity, default: []].append(edit.id.row) }
    }
    for (entity, rows) in changed.sorted(on: { $0.key.index }) {
      try addTargets(of: rows, entity, in: transaction, to: &result) {
        protects($0, of: $1, entity)
      }
    }
    return result
  }

  /// Adds the rows of the objects that the sync left alone and, of those that it would have
  /// deleted, the rows that they lead to: the item of an owner holds no member that it omits.
  ///
  /// - Parameter result: By the root entity of their table.
  func addWithheld(to result: inout [RowSet], in transaction: StoreTransaction) throws {
    var kept: [EntityDescription: [Int64]] = [:]
    for (id, entry) in withheld where result.indices.contains(id.entity.rootIndex) {
      result[id.entity.rootIndex].insert(id.row)
      if entry.isKept { kept[id.entity, default: []].append(id.row) }
    }
    for (entity, rows) in kept.sorted(on: { $0.key.index }) {
      try addTargets(of: rows, entity, in: transaction, to: &result) { _, _ in true }
    }
  }

  /// Adds the rows that relationships lead to.
  ///
  /// - Parameter isMeant: Whether a relationship, by its slot, of a row counts.
  private func addTargets(
    of rows: [Int64], _ entity: EntityDescription, in transaction: StoreTransaction,
    to result: inout [RowSet], where isMeant: (Int, Int64) -> Bool
  ) throws {
    let columns = entity.relationships.filter { !$0.isToMany }
    if !columns.isEmpty {
      try transaction.scan(entity, .rows(rows), slots: columns.map(\.slot)) { cursor in
        for relationship in columns where isMeant(relationship.slot, cursor.row) {
          guard let row = cursor.integer(relationship.slot), row > 0 else { continue }
          result[entity.destination(of: relationship).rootIndex].insert(row)
        }
      }
    }
    for list in entity.relationships where list.kind == .manyToMany {
      let owners = rows.filter { isMeant(list.slot, $0) }
      guard !owners.isEmpty else { continue }
      for member in try transaction.members(of: list, in: entity, owners: owners) {
        result[member.entity.rootIndex].insert(member.row)
      }
    }
  }
}
