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
    if set.count > 0 { markChanged(made.concerned) }
    var gone: [UInt32: Int] = [:]
    for record in set.states.indices where set.isGone(record) {
      gone[set.rows(of: record)[0]] = record
    }
    var replacements: [Int: Int] = [:]
    var added: [Int] = []
    for (index, item) in made.items.enumerated() where item.isGood {
      if index % SyncControl.stride == 0 { try control.checkpoint() }
      if let record = gone.removeValue(forKey: made.rows[Int(item.firstRow)]) {
        replacements[record] = index
      } else {
        added.append(index)
      }
    }
    let isChanged =
      !replacements.isEmpty || !added.isEmpty || gone.values.contains { set.states[$0] != .absent }
    guard isChanged || set.generation != set.keptGeneration else { return }
    let tables = StoreTransaction.fingerprintTables(plan.nodes.map(\.entity))
    let id = try transaction.makeFingerprintSet(key, tables: tables)
    if isChanged || set.id != id {
      try FingerprintWriter(
        set: set, made: made, replacements: replacements, added: added, id: id,
        transaction: transaction
      ).write()
    }
    let head = FingerprintHead(
      seed: set.seed, byteCount: max(set.byteCount, made.byteCount), shapes: made.shapes)
    try transaction.keepFingerprints(KeptFingerprintSet(id: id, head: head.encoded, tables: tables))
  }

  /// What the sync itself changed, or read anew.
  private func markChanged(_ concerned: [Int: RowSet]) {
    var any: [Int: RowSet] = [:]
    var strongly: [Int: RowSet] = [:]
    var identity: [Int: SlotSet] = [:]
    for node in plan.nodes {
      for slot in node.identity { identity[node.entity.rootIndex, default: SlotSet()].insert(slot) }
    }
    transaction.changedRows { table, row, slots in
      any[table, default: RowSet()].insert(row)
      let keySlots = identity[table] ?? SlotSet()
      if slots?.contains(where: keySlots.contains) ?? true {
        strongly[table, default: RowSet()].insert(row)
      }
    }
    set.mark(
      .outdated, from: [.matched, .unseen], any: any, strongly: strongly, model: plan.model)
    set.mark(.outdated, from: [.unseen], any: concerned, strongly: [:], model: plan.model)
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
