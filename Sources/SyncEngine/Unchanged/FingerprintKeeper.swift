import SyncCore
import SyncStore

/// Decides what of a set still counts after a sync, and has it written: records that still count stay where they
/// are, new ones take the places of those they replace, or go to the end.
struct FingerprintKeeper {
  let key: ContentFingerprint
  let set: FingerprintSet
  let plan: MappingPlan
  let transaction: StoreTransaction
  let control: SyncControl

  /// Keeps the fingerprints of what was matched, and of what was made.
  func keep(_ made: MadeFingerprints) throws {
    if set.count > 0 { try markChanged(made.concerned) }
    var gone: [UInt32: Int] = [:]
    var isChanged = false
    for record in set.states.indices where set.isGone(record) {
      if record % SyncControl.stride == 0 { try control.checkpoint() }
      if set.states[record] != .absent { isChanged = true }
      gone[set.rows(of: record)[0]] = record
    }
    var replacements: [Int: Int] = [:]
    var added: [Int] = []
    for (index, item) in made.items.enumerated() where item.size > 0 {
      if index % SyncControl.stride == 0 { try control.checkpoint() }
      if let record = gone.removeValue(forKey: made.rows[Int(item.firstRow)]) {
        replacements[record] = index
      } else {
        added.append(index)
      }
    }
    isChanged = isChanged || !replacements.isEmpty || !added.isEmpty
    guard isChanged || set.generation != set.keptGeneration else { return }
    let tables = StoreTransaction.fingerprintTables(plan.nodes.map(\.entity))
    let id = try transaction.makeFingerprintSet(key)
    if isChanged || set.id != id {
      try FingerprintWriter(
        set: set, made: made, replacements: replacements, added: added, id: id,
        transaction: transaction
      ).write()
    }
    let head = FingerprintHead(
      seed: set.seed, byteCount: max(set.byteCount, made.byteCount), shapes: made.shapes)
    try transaction.keepFingerprints(
      KeptFingerprintSet(id: id, key: key, head: head.encoded, tables: tables))
  }

  /// What the sync itself changed, or read anew.
  private func markChanged(_ concerned: [Int: RowSet]) throws {
    let count = plan.model.entities.count
    var identity = Array(repeating: SlotSet(), count: count)
    for node in plan.nodes {
      for slot in node.identity { identity[node.entity.rootIndex].insert(slot) }
    }
    // By table: a dictionary would be asked twice for each row, 80 ms for 360,000.
    var any = Array(repeating: RowSet(), count: count)
    var strongly = any
    var rest = SyncControl.stride
    try transaction.changedRows { table, row, slots in
      any[table].insert(row)
      if slots?.contains(where: identity[table].contains) ?? true { strongly[table].insert(row) }
      rest -= 1
      guard rest == 0 else { return }
      rest = SyncControl.stride
      try control.checkpoint()
    }
    set.mark(
      .outdated, from: [.matched, .unseen], any: FingerprintKeeper.byTable(any),
      strongly: FingerprintKeeper.byTable(strongly), model: plan.model)
    try control.checkpoint()
    set.mark(.outdated, from: [.unseen], any: concerned, strongly: [:], model: plan.model)
  }

  private static func byTable(_ sets: [RowSet]) -> [Int: RowSet] {
    var result: [Int: RowSet] = [:]
    for (table, rows) in sets.enumerated() where !rows.isEmpty { result[table] = rows }
    return result
  }
}

extension FingerprintSet {
  /// Whether the item of a record, as it was then, does not count any more.
  func isGone(_ record: Int) -> Bool {
    switch states[record] {
    case .refused, .outdated, .absent: true
    case .unseen, .matched: false
    }
  }
}
