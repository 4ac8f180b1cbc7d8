import SyncCore
import SyncStore

/// Which stored rows the groups of a batch mean, before anything is written.
///
/// A few groups are read as a whole. Where there are many, one for each parent as a rule, a read
/// for each would take the square of their number, and where the payload may mean few of the rows,
/// as pages of a large table do, a read of whole groups takes the square of the pages: then the
/// rows that the payload may mean are read once, with the rows that they lead to, and the groups
/// are asked in memory. Confined to its matcher.
final class StoredGroups {
  /// How many groups are read as a whole.
  private static let limit = 16

  /// Rows of a table below which groups are read as a whole, and so many of them for each row that
  /// is asked about.
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
    for match in batch.matches where match.stored >= 0 {
      rows.insert(batch.stored.rows[match.stored])
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

/// Which stored row an occurrence of explicit mapping is: the one of its key in its group, under
/// any owner; else a new object.
extension Matcher {
  func decideByKey(_ occurrence: Int32, in batch: MatchedBatch) throws {
    let match = batch.matches[occurrence]
    guard match.traits.isDisjoint(with: [.forced, .keyless]) else {
      if match.traits.contains(.forced) { return fixIdentity(of: occurrence, in: batch) }
      return decideByLink(occurrence, in: batch)
    }
    let head = batch.head(of: occurrence)
    let group = batch.staged.groups.group(of: occurrence)
    if let known = groups[batch.number].noteObject(occurrence, ofKey: head, in: group) {
      return join(occurrence, batch.representative(known), in: batch)
    }
    var rows = storedRows(of: head, in: batch)
    if group >= 0 {
      rows = try rows.filter {
        try groups[batch.number].contains(batch.stored.rows[$0], in: Int(group))
      }
    }
    guard let first = rows.first else {
      forget(occurrence, in: batch)
      return fixIdentity(of: occurrence, in: batch)
    }
    if rows.count > 1 { try decideDuplicates(rows.dropFirst(), of: occurrence, in: batch) }
    share(first, with: occurrence, in: batch)
  }

  /// Decides about the other stored objects of a key, by the policy.
  private func decideDuplicates(
    _ rows: ArraySlice<Int32>, of occurrence: Int32, in batch: MatchedBatch
  ) throws {
    switch batch.node.policy.storedDuplicates {
    case .keepOne: return
    case .fail:
      let key = batch.key(batch.cells(occurrence)).description
      throw SyncError(
        .ambiguousStored, entity: batch.entity.name, property: batch.node.identityName, key: key,
        message: """
          \(rows.count + 1) stored objects of “\(batch.entity.name)” have the key \(key). Delete all but one, or \
          let the policy say what becomes of them.
          """)
    case .updateAll:
      let isAllowed = isAllowed(batch.matches[occurrence], isStored: true)
      for index in rows where batch.stored.occurrences[index] < 0 {
        batch.appendCopy(index, of: occurrence, takesValues: isAllowed)
      }
    }
  }

  /// Notes which stored objects nested lists speak for, before anything is written.
  func noteDeletingGroups() throws {
    for batch in batches {
      for group in batch.staged.groups.deleting.sorted() {
        try claims.update(.nested(batch.entity.index)) { rows in
          if group >= 0 {
            rows.formUnion(try groups[batch.number].rows(of: Int(group)))
          } else {
            try transaction.rowNumbers(of: batch.entity) { rows.insert($0) }
          }
        }
      }
    }
  }
}
