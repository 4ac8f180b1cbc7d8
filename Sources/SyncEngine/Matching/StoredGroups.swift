import SyncCore
import SyncStore

/// Which stored rows the groups of a batch mean, before anything is written.
///
/// A few groups are read as a whole. Where there are many, one for each parent as a rule, a read for each would take the
/// square of their number, and where the payload may mean few of the rows, as pages of a large table do, a read of whole groups
/// takes the square of the pages: then the rows that the payload may mean are read once, with what they lead to, and the
/// groups are asked in memory. Confined to its matcher.
final class StoredGroups {
  /// How many groups are read as a whole.
  private static let limit = 16

  /// Rows of a table below which groups are read as a whole, and so many of them for each row that is asked about.
  private static let smallTable = 1_000
  private static let rowsPerRow = 16

  /// Whether groups are asked about single rows in memory, and not read as a whole.
  static func asksInMemory(
    _ groups: Int, rows: Int, of entity: EntityDescription, _ reader: StoreReader
  ) throws -> Bool {
    if groups > limit { return true }
    let estimate = try reader.estimatedCount(of: entity)
    return estimate >= smallTable && rows * rowsPerRow < estimate
  }

  private let batch: MatchedBatch
  private let transaction: StoreTransaction
  private var sets: [Int: RowSet] = [:]
  private var evaluation: GroupEvaluation?
  private var filters: [ResolvedFilter?] = []

  /// An object of a key in a group.
  private struct GroupKey: Hashable {
    /// The first occurrence of the key.
    let head: Int32
    let group: Int32
  }

  private var objects: [GroupKey: Int32] = [:]

  init(_ batch: MatchedBatch, _ transaction: StoreTransaction) throws {
    self.batch = batch
    self.transaction = transaction
    filters = Array(repeating: nil, count: batch.staged.groups.filters.count)
    if batch.staged.groups.isEmpty { return }
    var rows: Set<Int64> = []
    for occurrence in batch.occurrences where occurrence.stored >= 0 {
      rows.insert(batch.stored.rows[occurrence.stored])
    }
    for stored in batch.contested.values.joined() { rows.insert(batch.stored.rows[stored]) }
    guard
      try StoredGroups.asksInMemory(
        batch.staged.groups.filters.count, rows: rows.count, of: batch.entity, transaction)
    else {
      for group in batch.staged.groups.filters.indices { _ = try self.rows(of: group) }
      return
    }
    evaluation = try GroupEvaluation(batch.entity, rows: rows.sorted(), transaction)
  }

  /// Notes the occurrence of a key that is decided first in a group.
  ///
  /// - Returns: The one that was before it.
  func noteObject(_ occurrence: Int32, ofKey head: Int32, in group: Int32) -> Int32? {
    let key = GroupKey(head: head, group: group)
    if let known = objects[key] { return known }
    objects[key] = occurrence
    return nil
  }

  /// All rows of a group.
  func rows(of group: Int) throws -> RowSet {
    if let known = sets[group] { return known }
    var rows = RowSet()
    try transaction.scan(batch.entity, .filter(batch.staged.groups.filters[group]), slots: []) {
      cursor in
      rows.insert(cursor.row)
    }
    sets[group] = rows
    return rows
  }

  /// Whether a row whose key the payload mentions is in a group.
  func contains(_ row: Int64, in group: Int) throws -> Bool {
    guard let evaluation, evaluation.knows(row) else { return try rows(of: group).contains(row) }
    let filter =
      try filters[group] ?? batch.staged.groups.filters[group].resolved(for: batch.entity)
    filters[group] = filter
    return try evaluation.contains(row, filter)
  }
}

/// Says in memory whether filters mean rows: one read of the rows, and one for each relationship on the way, however many
/// filters there are. Confined to whoever made it.
final class GroupEvaluation {
  private let source: RowSource
  private let positions: [Int64: Int]

  init(_ entity: EntityDescription, rows: [Int64], _ reader: StoreReader) throws {
    source = RowSource(reader)
    let stored = try reader.rows(entity.rootEntity, rows: rows)
    let range = source.begin(stored)
    positions = Dictionary(uniqueKeysWithValues: zip(stored.lazy.map(\.row), range))
  }

  /// Whether the row was among those that were read.
  func knows(_ row: Int64) -> Bool { positions[row] != nil }

  /// Whether a filter means one of the rows.
  func contains(_ row: Int64, _ filter: ResolvedFilter) throws -> Bool {
    guard let position = positions[row] else { return false }
    return try filter.matches(RowSubject(source: source, position: position))
  }
}

/// A stored row, as filters look at it.
private struct RowSubject: FilterSubject {
  let source: RowSource
  let position: Int

  var filterRow: Int64 { source.identifier(of: position).row }

  func filterValue(at slot: Int) throws -> Value { source.value(at: slot, of: position) }

  func filterReference(at slot: Int) throws -> Int64? {
    if case .int(let row) = source.value(at: slot, of: position) { row } else { nil }
  }

  func filterObject(at slot: Int) throws -> (any FilterSubject)? { try objects(at: slot).first }

  func filterMembers(at slot: Int) throws -> [any FilterSubject] { try objects(at: slot) }

  private func objects(at slot: Int) throws -> [RowSubject] {
    let entity = source.identifier(of: position).entity
    guard let relationship = entity.properties[slot].relationship else { return [] }
    return try source.objects(of: relationship, from: position).map {
      RowSubject(source: source, position: $0)
    }
  }
}
