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
    var gone = GoneRecords()
    var isChanged = false
    for record in set.states.indices where set.isGone(record) {
      if record % SyncControl.stride == 0 { try control.checkpoint() }
      if set.states[record] != .absent { isChanged = true }
      gone.append(record, row: set.rows(of: record)[0])
    }
    var replacements: [Int: Int] = [:]
    var added: [Int] = []
    for (index, item) in made.items.enumerated() where item.size > 0 {
      if index % SyncControl.stride == 0 { try control.checkpoint() }
      if let record = gone.take(made.rows[Int(item.firstRow)]) {
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
    let identity = plan.nodes.reduce(into: Array(repeating: SlotSet(), count: count)) {
      for slot in $1.identity { $0[$1.entity.rootIndex].insert(slot) }
    }
    let (any, strongly) = try transaction.changedRows(identity, control.checkpoint)
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

/// Records whose places are free, by the row of the object at their top. Where most items changed, they are asked for in
/// the order in which they stand, and no dictionary is made of them.
private struct GoneRecords {
  private var list: [(row: UInt32, record: Int)] = []
  private var next = 0
  private var byRow: [UInt32: Int]?

  mutating func append(_ record: Int, row: UInt32) { list.append((row, record)) }

  /// The record of a row, once.
  mutating func take(_ row: UInt32) -> Int? {
    if byRow == nil {
      if next < list.count, list[next].row == row {
        next += 1
        return list[next - 1].record
      }
      byRow = list[next...].reduce(into: [:]) { $0[$1.row] = $1.record }
    }
    return byRow?.removeValue(forKey: row)
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
