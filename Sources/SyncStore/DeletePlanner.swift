import SyncCore

/// Delete rules as set operations on rows: finds everything that goes, checks that it may, then
/// removes it together with what leads to it.
///
/// 1. *collect*: the rows, then wave after wave what cascades from them. A row that is doomed is
///    never looked at again, so cycles end.
/// 2. *check*: a relationship with the rule Deny must lead to doomed rows only.
/// 3. *apply*: references from rows that stay are cleared and recorded, links removed, rows deleted.
///
/// Memory grows with the number of doomed rows (their numbers and keys, which the change set needs
/// anyway), not with what they hold.
struct DeletePlanner {
  let transaction: StoreTransaction

  /// Doomed rows by table.
  private(set) var doomed: [RowSet]

  /// Doomed rows by concrete entity, with their keys.
  private(set) var rows: [[Int64]]
  private(set) var keys: [[Value]]

  /// Says of an object that a cascade reaches whether it stays.
  let survives: ((_ row: Int64, _ entity: EntityDescription) -> Bool)?

  init(
    transaction: StoreTransaction,
    survives: ((_ row: Int64, _ entity: EntityDescription) -> Bool)? = nil
  ) {
    self.transaction = transaction
    self.survives = survives
    doomed = Array(repeating: RowSet(), count: transaction.layout.tables.count)
    rows = Array(repeating: [], count: transaction.layout.entities.count)
    keys = Array(repeating: [], count: transaction.layout.entities.count)
  }

  var layout: TableLayout { transaction.layout }

  func isDoomed(_ row: Int64, in table: Table) -> Bool { doomed[table.index].contains(row) }

  /// Entities that have doomed rows.
  var entities: [EntityLayout] {
    layout.entities.filter { !rows[$0.entity.index].isEmpty }
  }

  // MARK: - Collecting

  mutating func collect(_ first: [Int64], of entity: EntityDescription) throws {
    var wave: [Int: [Int64]] = [entity.index: first]
    while !wave.isEmpty {
      let added = try doom(wave)
      wave = [:]
      for (index, rows) in added.sorted(by: { $0.key < $1.key }) {
        try cascade(from: layout.entities[index].entity, rows: rows, into: &wave)
      }
    }
  }

  /// Dooms rows that exist and were not doomed yet.
  ///
  /// - Parameter wave: rows by an entity they are a kind of.
  /// - Returns: those, by concrete entity.
  private mutating func doom(_ wave: [Int: [Int64]]) throws -> [Int: [Int64]] {
    let keepsHistory = try transaction.keepsHistory
    var added: [Int: [Int64]] = [:]
    for (index, candidates) in wave.sorted(by: { $0.key < $1.key }) {
      let target = layout.entities[index]
      let fresh = candidates.filter { !isDoomed($0, in: target.table) }
      let preserved = keepsHistory ? preservedSlots(below: target.entity) : []
      let keySlots = target.keySlot.map { [$0] } ?? []
      let slots = target.table.hasEntityColumn || !preserved.isEmpty ? nil : keySlots
      var found: [(row: Int64, entity: Int, key: Value)] = []
      try transaction.scan(target.entity, .rows(fresh), slots: slots) { cursor in
        let key = cursor.layout.keySlot.map(cursor.value) ?? .null
        found.append((cursor.row, cursor.entityIndex, key))
        if !preserved.isEmpty { bury(cursor) }
      }
      try transaction.token.checkpoint()
      for (row, entity, key) in found {
        doomed[target.table.index].insert(row)
        rows[entity].append(row)
        keys[entity].append(key)
        added[entity, default: []].append(row)
      }
    }
    return added
  }

  /// Slots whose values the history keeps, of an entity or one below it.
  private func preservedSlots(below entity: EntityDescription) -> [Int] {
    entity.familyEntities.flatMap { $0.attributes.filter(\.preservesValueInHistory).map(\.slot) }
  }

  /// Notes for the history what the model says is to be kept of a row.
  private func bury(_ cursor: RowCursor) {
    let kept = cursor.entity.attributes.filter(\.preservesValueInHistory)
    guard !kept.isEmpty else { return }
    transaction.tombstones[ManagedObjectID(entity: cursor.entity, row: cursor.row)] =
      Dictionary(uniqueKeysWithValues: kept.map { ($0.name, cursor.value($0.slot)) })
  }

  private func cascade(
    from entity: EntityDescription, rows: [Int64], into wave: inout [Int: [Int64]]
  ) throws {
    for relationship in entity.relationships where relationship.deleteRule == .cascade {
      for member in try transaction.members(of: relationship, in: entity, owners: rows) {
        let table = layout.table(of: member.entity)
        if !isDoomed(member.row, in: table), !(survives?(member.row, member.entity) ?? false) {
          wave[member.entity.index, default: []].append(member.row)
        }
      }
    }
  }
}
