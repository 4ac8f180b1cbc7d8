import SyncCore
import SyncStore

/// Keeps from deletion the objects edited here, and those that depend on them. Looks at the store
/// only when something is about to be deleted.
final class Keeper {
  private let edits: UnsentEdits
  private let transaction: StoreTransaction
  private var kept: [Int: Set<Int64>]?

  init(edits: UnsentEdits, transaction: StoreTransaction) {
    self.edits = edits
    self.transaction = transaction
  }

  /// Reads the rows to keep, before anything is deleted.
  func prepare() throws {
    if kept == nil { kept = try edits.kept(in: transaction) }
  }

  /// Leaves out the rows that are kept, and notes them.
  func deletable(_ rows: [Int64], of entity: EntityDescription) throws -> [Int64] {
    guard !rows.isEmpty else { return rows }
    try prepare()
    return rows.filter { !survives($0, entity) }
  }

  /// Whether a row that would be deleted is kept; notes it then.
  func survives(_ row: Int64, _ entity: EntityDescription) -> Bool {
    guard kept?[entity.rootIndex]?.contains(row) == true else { return false }
    edits.withholdDeletion(of: row, entity)
    return true
  }
}

@available(*, unavailable, message: "A keeper is confined to its sync.")
extension Keeper: Sendable {}

/// Which objects a sync must not delete.
extension UnsentEdits {
  /// The rows to keep, by root entity: edited objects, and further targets of an edit whose
  /// deletion would undo it, objects that an edited one requires, and those that could not be
  /// deleted without it.
  ///
  /// - Complexity: one read per entity with edited objects.
  func kept(in transaction: StoreTransaction) throws -> [Int: Set<Int64>] {
    var result: [Int: Set<Int64>] = [:]
    var wave: [EntityDescription: [Int64]] = [:]
    for id in edits.lazy.map(\.id) {
      result[id.entity.rootIndex, default: []].insert(id.row)
      wave[id.entity, default: []].append(id.row)
    }
    while !wave.isEmpty {
      var next: [EntityDescription: [Int64]] = [:]
      for (entity, rows) in wave.sorted(on: \.key.index) {
        try collectColumns(of: rows, entity, in: transaction, &result, &next)
        try collectMembers(of: rows, entity, in: transaction, &result, &next)
      }
      wave = next
    }
    return result
  }

  private func collectColumns(
    of rows: [Int64], _ entity: EntityDescription, in transaction: StoreTransaction,
    _ result: inout [Int: Set<Int64>], _ next: inout [EntityDescription: [Int64]]
  ) throws {
    let columns = entity.relationships.filter { !$0.isToMany }
    guard !columns.isEmpty else { return }
    try transaction.scan(entity, .rows(rows), slots: columns.map(\.slot)) { cursor in
      for relationship in columns {
        guard let row = cursor.integer(relationship.slot), row > 0 else { continue }
        let isHeld = !relationship.isOptional || deniesDeletion(relationship, of: entity)
        guard isHeld || protects(relationship.slot, of: cursor.row, entity) else { continue }
        let destination = entity.destination(of: relationship)
        if result[destination.rootIndex, default: []].insert(row).inserted {
          next[destination, default: []].append(row)
        }
      }
    }
  }

  /// Whether an object cannot be deleted as long as this one leads to it.
  private func deniesDeletion(
    _ relationship: RelationshipDescription, of entity: EntityDescription
  ) -> Bool {
    entity.inverse(of: relationship)?.deleteRule == .deny
  }

  /// Members of edited lists whose members know nothing of it; others were edited too.
  private func collectMembers(
    of rows: [Int64], _ entity: EntityDescription, in transaction: StoreTransaction,
    _ result: inout [Int: Set<Int64>], _ next: inout [EntityDescription: [Int64]]
  ) throws {
    for relationship in entity.relationships
    where relationship.isToMany && relationship.inverseSlot == nil {
      let owners = rows.filter { protects(relationship.slot, of: $0, entity) }
      guard !owners.isEmpty else { continue }
      for member in try transaction.members(of: relationship, in: entity, owners: owners)
      where result[member.entity.rootIndex, default: []].insert(member.row).inserted {
        next[member.entity, default: []].append(member.row)
      }
    }
  }
}
