import SyncCore
import SyncStore

/// Writes the fingerprints of a sync: those that still count stay where they are, new ones take the places of
/// those they replace, or go to the end. Parts in which nothing changed are not written.
struct FingerprintKeeper {
  let key: ContentFingerprint
  let set: FingerprintSet
  let plan: MappingPlan
  let transaction: StoreTransaction
  let control: SyncControl

  /// Records of a part: large enough that reading all of them costs nothing, small against what one
  /// changed item should cost.
  private static let partSize = 1024

  /// Keeps the fingerprints of what was matched, and of what was made.
  func keep(_ made: MadeFingerprints) throws {
    if set.count > 0 { markChanged(made.concerned) }
    var replaced: [UInt32: Int] = [:]
    for record in set.states.indices where isGone(record) {
      replaced[set.rows(of: record)[0]] = record
    }
    var replacements: [Int: Int] = [:]
    var added: [UInt32] = []
    for (index, item) in made.items.enumerated() where item.isGood {
      if index % SyncControl.stride == 0 { try control.checkpoint() }
      if let record = replaced.removeValue(forKey: made.rows[Int(item.firstRow)]) {
        replacements[record] = index
      } else {
        added.append(UInt32(index))
      }
    }
    let isChanged = !replacements.isEmpty || !added.isEmpty || !replaced.isEmpty
    guard isChanged || set.generation != set.keptGeneration else { return }
    try write(made, replacements: replacements, added: added)
  }

  private func isGone(_ record: Int) -> Bool {
    switch set.states[record] {
    case .refused, .outdated: true
    case .unseen, .matched: false
    }
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

  // MARK: - Parts

  private func write(
    _ made: MadeFingerprints, replacements: [Int: Int], added: [UInt32]
  ) throws {
    let tables = StoreTransaction.fingerprintTables(plan.nodes.map(\.entity))
    let id = try transaction.makeFingerprintSet(key, tables: tables)
    var part = Part(set: set, new: made)
    var rest = added[...]
    var number = 0
    let kept = set.states.indices.reduce(0) { $0 + (isGone($1) ? 0 : 1) } + replacements.count
    // Parts that have become thin are put together again.
    let isLoose = set.parts.count > 4 && kept * 2 < set.parts.count * FingerprintKeeper.partSize
    if set.parts.isEmpty || isLoose || set.id != id {
      try transaction.clearFingerprints(of: id)
      for record in set.states.indices {
        add(record, replacements, to: &part)
        if part.count == FingerprintKeeper.partSize { try flush(&part, &number, id) }
      }
    } else {
      for (index, (partNumber, first)) in set.parts.enumerated() {
        let end = index + 1 < set.parts.count ? set.parts[index + 1].first : set.count
        var isChanged = false
        for record in first..<end where !add(record, replacements, to: &part) { isChanged = true }
        if index == set.parts.count - 1 {
          while part.count < FingerprintKeeper.partSize, let next = rest.popFirst() {
            part.append(made: Int(next))
            isChanged = true
          }
        }
        if isChanged {
          try part.withBytes { try transaction.writeFingerprints(partNumber, of: id, $0) }
        }
        part.removeAll()
        number = partNumber + 1
      }
    }
    for index in rest {
      part.append(made: Int(index))
      if part.count == FingerprintKeeper.partSize { try flush(&part, &number, id) }
    }
    if part.count > 0 { try flush(&part, &number, id) }
    let head = FingerprintHead(
      seed: set.seed, byteCount: max(set.byteCount, made.byteCount), shapes: made.shapes)
    try transaction.keepFingerprints(KeptFingerprintSet(id: id, head: head.encoded, tables: tables))
  }

  private func flush(_ part: inout Part, _ number: inout Int, _ id: Int64) throws {
    try part.withBytes { try transaction.writeFingerprints(number, of: id, $0) }
    number += 1
    part.removeAll()
  }

  /// Adds what is at the place of a record from now on.
  ///
  /// - Returns: Whether it is the record itself.
  @discardableResult
  private func add(_ record: Int, _ replacements: [Int: Int], to part: inout Part) -> Bool {
    guard isGone(record) else {
      part.append(record: record)
      return true
    }
    if let made = replacements[record] { part.append(made: made) }
    return false
  }

  /// The records of one part while they are put together.
  private struct Part {
    let set: FingerprintSet
    let new: MadeFingerprints
    private let records = PlainArray<FingerprintSet.Record>(capacity: FingerprintKeeper.partSize)
    private let rows = PlainArray<UInt32>(capacity: FingerprintKeeper.partSize)

    init(set: FingerprintSet, new: MadeFingerprints) {
      self.set = set
      self.new = new
    }

    var count: Int { records.count }

    mutating func append(record: Int) {
      var new = set.records[record]
      new.firstRow = UInt32(rows.count)
      for row in set.rows(of: record) { rows.append(row) }
      records.append(new)
    }

    mutating func append(made index: Int) {
      let item = new.items[index]
      records.append(
        FingerprintSet.Record(
          fingerprint: item.fingerprint, shape: item.shape, firstRow: UInt32(rows.count)))
      for position in 0..<Int(item.rowCount) {
        rows.append(new.rows[Int(item.firstRow) + position])
      }
    }

    mutating func removeAll() {
      records.removeAll(from: 0)
      rows.removeAll(from: 0)
    }

    func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
      if rows.count % 2 == 1 { rows.append(0) }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(
        FingerprintSet.partHead + records.count * MemoryLayout<FingerprintSet.Record>.stride + rows
          .count * 4)
      let counts = (UInt64(records.count), UInt64(rows.count))
      withUnsafeBytes(of: counts) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: UnsafeRawBufferPointer(records.elements))
      bytes.append(contentsOf: UnsafeRawBufferPointer(rows.elements))
      try bytes.withUnsafeBytes(body)
    }
  }
}
