import SyncCore
import SyncStore

/// Deletes what nobody claimed, at the very end, when every owner and every item has been seen.
final class Deleter {
  let batches: [Batch]
  let root: Int
  let transaction: StoreTransaction
  let control: SyncControl
  let operations: SyncOperations
  let scope: Scope
  let guardsDeletion: Bool
  let report: ReportBuilder

  /// Rows to delete, by batch.
  private var rows: [Int: [Int64]] = [:]
  private(set) var rootScopeCount = 0
  private var rootCount = 0
  private var nestedCount = 0
  private var memberCount = 0

  init(planner: LinkPlanner, matcher: Matcher, root: Int, guardsDeletion: Bool) {
    batches = planner.batches
    self.root = root
    transaction = planner.transaction
    control = matcher.control
    operations = matcher.operations
    scope = matcher.scope
    self.guardsDeletion = guardsDeletion
    report = planner.report
  }

  /// Takes over what linking found.
  func take(_ planner: LinkPlanner) {
    for (number, unclaimed) in planner.unclaimed {
      rows[number, default: []] += unclaimed
      nestedCount += unclaimed.count
    }
    memberCount = planner.memberCount
  }

  /// Finds what the root scope holds and the payload does not mention. Has to run before anything is
  /// written: writing may move objects into or out of the scope.
  func findUnclaimed(isSuspended: Bool) throws {
    guard operations.contains(.delete) else { return }
    let batch = batches[root]
    switch scope.kind {
    case .none, .members:
      return
    case .all:
      rootScopeCount = batch.stored.count
      for index in 0..<batch.stored.count { consider(batch.stored.rows[index], in: batch) }
    case .roots(let slot):
      try considerSelection(.empty(slot: slot), in: batch)
    case .filter(let filter):
      try considerSelection(.filter(filter), in: batch)
    }
    rootCount = candidates.count
    if isSuspended, !candidates.isEmpty {
      report.note(
        .suspendedDeletion, batch.entity,
        message: """
          \(candidates.count) objects of “\(batch.entity.name)” are not in the payload and stay: the \
          key of an item could not be read, so nobody can tell which object it was.
          """)
      rootCount = 0
      return
    }
    rows[root, default: []] += candidates
  }

  private var candidates: [Int64] = []
  private lazy var claimedElsewhere: Set<Int64> = {
    var result = Set<Int64>()
    let table = batches[root].entity.rootIndex
    for batch in batches where batch.number != root && batch.entity.rootIndex == table {
      for (row, occurrence) in zip(batch.stored.rows, batch.stored.occurrences)
      where occurrence >= 0 { result.insert(row) }
    }
    return result
  }()
  private lazy var duplicates: [Int64: Int32] = {
    var result: [Int64: Int32] = [:]
    for (head, indexes) in batches[root].contested {
      for index in indexes { result[batches[root].stored.rows[Int(index)]] = head }
    }
    return result
  }()

  private func considerSelection(_ selection: RowSelection, in batch: Batch) throws {
    var count = 0
    var found: [Int64] = []
    try transaction.scan(batch.entity, selection, slots: []) { cursor in
      count += 1
      if count % SyncControl.stride == 0 { try control.checkpoint() }
      found.append(cursor.row)
    }
    rootScopeCount = count
    for row in found { consider(row, in: batch) }
  }

  private func consider(_ row: Int64, in batch: Batch) {
    if let index = batch.stored.index(ofRow: row), batch.stored.occurrences[Int(index)] >= 0 {
      return
    }
    if claimedElsewhere.contains(row) { return }
    if let head = duplicates[row] {
      guard isFoldable(row, head: head, in: batch) else { return }
      report.note(
        .foldedDuplicates, batch.entity,
        key: batch.key(batch.block[Int(head)]).description,
        message: """
          \(batch.entity.name) \(batch.key(batch.block[Int(head)])) was stored more than once; the \
          first one stays.
          """)
    }
    candidates.append(row)
  }

  /// Whether a stored object of a repeated key has the same owners as the one that stays.
  private func isFoldable(_ row: Int64, head: Int32, in batch: Batch) -> Bool {
    let kept = batch.occurrences[Int(batch.representative(head))].stored
    guard kept >= 0, let index = batch.stored.index(ofRow: row) else { return false }
    return batch.stored.references.allSatisfy { $0[Int(kept)] == $0[Int(index)] }
  }

  /// Deletes by the model's delete rules.
  ///
  /// - Throws: ``SyncError`` with ``SyncError/Code/deletionRefused`` when the deletion guard objects.
  func delete() throws {
    let total = rows.values.reduce(0) { $0 + $1.count }
    try control.begin(.delete, total: total)
    var deleted = 0
    for number in rows.keys.sorted() {
      guard let rows = rows[number], !rows.isEmpty else { continue }
      let summary = try transaction.delete(rows, of: batches[number].entity)
      for (entity, rows) in summary.deleted {
        report[entity].deleted += rows.count
        deleted += rows.count
      }
      try control.advance(.delete, to: deleted, of: max(total, deleted))
    }
    try checkGuard(deleted)
  }

  /// More than 500 objects, whatever takes them away, and more than half of what is in scope: of the
  /// objects at the top, or of the members of the lists that the payload speaks of.
  private func checkGuard(_ deleted: Int) throws {
    guard guardsDeletion, deleted > Deleter.guardedCount else { return }
    let isMostOfRoot = rootCount > 0 && rootCount * 2 > rootScopeCount
    let isMostOfLists = nestedCount > 0 && nestedCount * 2 > memberCount
    guard isMostOfRoot || isMostOfLists else { return }
    throw Deleter.refusal(
      batches[root].entity, deleting: deleted,
      reason: "that is more than half of what is stored")
  }

  private static let guardedCount = 500

  /// Refuses payloads that cannot be meant: nothing at all, or items of which none can be used.
  func checkPayload(items: Int, usable: Int) throws {
    guard rootCount > 0 || (operations.contains(.delete) && rootScopeCount > 0) else { return }
    if items == 0, rootScopeCount > Deleter.emptyCount {
      throw Deleter.refusal(
        batches[root].entity, deleting: rootScopeCount, reason: "the payload is empty")
    }
    if items > 0, usable == 0 {
      throw Deleter.refusal(
        batches[root].entity, deleting: rootScopeCount,
        reason: "none of the \(items) items of the payload can be used")
    }
  }

  /// Objects an empty payload may delete.
  private static let emptyCount = 100

  static func refusal(
    _ entity: EntityDescription, deleting count: Int, reason: String
  ) -> SyncError {
    SyncError(
      .deletionRefused, entity: entity.name,
      message: """
        The sync would delete \(count) objects: \(reason). Nothing was changed. If it is meant, set \
        deletionGuard to off; if the payload is only a part, leave .delete out of the operations, or \
        use a predicate or a page session.
        """)
  }
}
