import SyncCore
import SyncStore

/// The traces that the items leave which a sync has read so far, in all its parts, lists and
/// transactions: an item that comes later, or was passed over, is looked at in their light.
/// Confined to its sync; that of a session, to one page at a time.
///
/// ```
/// part 1 reads a, b │ part 2 reads b, c │ …
///        any a, b   │      any a, b, c, again b
/// ```
final class ReadTrace {
  /// The rows that items of any part have to do with, by the root entity of their table: an item of
  /// a later part that holds one of them is read, because an earlier part may have changed it.
  private(set) var any: [RowSet]

  /// Those that items of several parts have to do with: of items of different parts that hold one
  /// of them none has a fingerprint.
  private(set) var again: [RowSet]

  /// How often a part gave stored objects other keys. References of items before and behind may
  /// mean other objects since.
  private(set) var rekeyings = 0

  /// The relationships of which the items speak that were read, and those that a part matched.
  private var spoken: Set<Claims.Relationship> = []

  /// Whether no relationship is spoken of from both ends.
  private(set) var isOneSided = true

  /// The attributes by which plans of the sync know objects, by the root entity of their table.
  private let keySlots: [SlotSet]

  /// The rows that transactions before the current one changed, and those of them that were
  /// deleted or got another key.
  private var changed: (any: [RowSet], strongly: [RowSet])

  /// Those of all transactions, once one of several lists has asked for them in the last one.
  private var changedInAll: (any: [RowSet], strongly: [RowSet])?
  private let hasLists: Bool

  /// The generation that the last of several transactions led to; nil in the first.
  private var generation: Int64?

  /// Whether another writer committed between two transactions of the sync, or one of them failed:
  /// the trace does not tell all that happened since fingerprints were read, so none counts.
  private(set) var isLost = false

  init(_ plans: [MappingPlan]) {
    let count = plans.first?.model.entities.count ?? 0
    any = Array(repeating: RowSet(), count: count)
    again = any
    changed = (any, any)
    hasLists = plans.count > 1
    var slots = Array(repeating: SlotSet(), count: count)
    for plan in plans {
      for node in plan.nodes {
        for slot in node.identity { slots[node.entity.rootIndex].insert(slot) }
        if let key = node.entity.primaryKey { slots[node.entity.rootIndex].insert(key.slot) }
      }
    }
    keySlots = slots
  }

  // MARK: - A part

  /// Adds the rows of a part.
  func add(_ rows: [RowSet]) {
    for (table, rows) in rows.enumerated() where !rows.isEmpty {
      for row in rows.rows where !any[table].insert(row) { again[table].insert(row) }
    }
  }

  /// Adds relationships.
  func add(_ relationships: SpokenRelationships, of plan: MappingPlan) {
    guard isOneSided else { return }
    let ends = relationships.ends(in: plan)
    for end in ends { spoken.insert(Claims.Relationship(end.relationship)) }
    isOneSided = !ends.contains { end in
      end.entity.inverse(of: end.relationship).map(Claims.Relationship.init)
        .map(spoken.contains) ?? false
    }
  }

  /// Whether stored objects of a part get other keys.
  func hasNewKeys(_ batches: [MatchedBatch]) -> Bool {
    batches.contains { batch in
      let keys = keySlots[batch.entity.rootIndex]
      return batch.differences.contains { !$0.isDisjoint(with: keys) }
    }
  }

  func noteRekeying() { rekeyings += 1 }

  // MARK: - Several transactions

  /// Whether no transaction of the sync was committed before.
  var isFirst: Bool { generation == nil }

  /// Adds the changes of a transaction that is not the last one.
  func settle(in transaction: StoreTransaction, _ control: SyncControl) throws {
    let (any, strongly) = try transaction.changedRows(keySlots, control.checkpoint)
    for table in any.indices {
      changed.any[table].formUnion(any[table])
      changed.strongly[table].formUnion(strongly[table])
    }
  }

  /// Notes the generation that a transaction led to.
  func didCommit(_ generation: Int64) { self.generation = generation }

  /// Whether the trace is lost, or is now, because another writer committed after the last
  /// transaction of the sync.
  func isLost(in transaction: StoreTransaction) throws -> Bool {
    if let generation, try transaction.generation() != generation { isLost = true }
    return isLost
  }

  func lose() { isLost = true }

  /// The rows that the sync has changed, in the last transaction and before; and those of them that
  /// were deleted or got another key. All lists ask for the same, once everything is written.
  func changedRows(
    in transaction: StoreTransaction, _ control: SyncControl
  ) throws -> (any: [RowSet], strongly: [RowSet]) {
    if let changedInAll { return changedInAll }
    guard !isFirst || hasLists else {
      return try transaction.changedRows(keySlots, control.checkpoint)
    }
    try settle(in: transaction, control)
    changedInAll = changed
    return changed
  }
}

@available(*, unavailable, message: "The trace of a sync is confined to it.")
extension ReadTrace: Sendable {}
