import SyncCore
import SyncStore

/// A set in the store: the part of it that still counts when it is read, and the part that does
/// after a sync.
///
/// ```
/// part 0 │ part 1 │ … │ amendment
/// ```
///
/// Records that still count stay where they are, new ones take the places of those they replace, or
/// go to the end. Where little changed, only the amendment is written: the places that have changed
/// since the parts were written. Otherwise the whole set is.
extension FingerprintSet {
  // MARK: - Reading

  /// A payload has to be at least one in this many of the bytes that fingerprints are kept of.
  private static let smallestShare = 64

  /// Shapes of a set; when there are more, most of them are of items that are gone, and the set is
  /// made anew.
  private static let shapeLimit = 1 << 16

  /// Changes that are looked at one by one; after more of them everything is read again.
  private static let changeLimit = 50_000

  /// Reads the fingerprints of a kind of sync, and finds out which of them still count.
  ///
  /// - Returns: Nil when the payload is so small against the kept set that reading the fingerprints
  ///   would cost more than they save.
  static func load(
    _ key: ContentFingerprint, of plan: MappingPlan, payloadBytes: Int, from reader: StoreReader
  ) throws -> FingerprintSet? {
    let generation = try reader.generation()
    let kept = try reader.fingerprintSet(key)
    let none = FingerprintSet(generation: generation)
    none.keptHead = kept?.head
    guard let kept, let head = FingerprintHead(kept.head, plan), head.shapes.count <= shapeLimit
    else { return none }
    guard head.byteCount / smallestShare <= payloadBytes else { return nil }
    guard let changes = try reader.fingerprintChanges(after: kept.generation) else { return none }
    let set = FingerprintSet(generation: generation, kept: kept.generation, head)
    set.keptHead = kept.head
    guard try set.readRecords(of: kept.id, from: reader) else { return none }
    try set.outdate(changes, plan: plan, reader: reader)
    return set
  }

  private func outdate(_ changes: [FingerprintChange], plan: MappingPlan, reader: StoreReader)
    throws
  {
    guard !changes.isEmpty else { return }
    guard changes.count <= FingerprintSet.changeLimit else { return outdateAll() }
    var any = Array(repeating: RowSet(), count: plan.model.entities.count)
    var strongly = any
    var keyed: [Int: [Int64]] = [:]
    for change in changes where any.indices.contains(change.table) {
      any[change.table].insert(change.row)
      if change.kind != .linked { strongly[change.table].insert(change.row) }
      if change.kind == .inserted || change.kind == .updated {
        keyed[change.table, default: []].append(change.row)
      }
    }
    // An object of the same key may be meant now.
    for (table, changed) in keyed {
      for node in plan.nodes where node.entity.rootIndex == table {
        guard let slot = node.identity.first else { continue }
        let arena = CellArena()
        var keys: [Cell] = []
        try reader.scan(node.entity, .rows(changed), slots: [slot]) {
          keys.append(arena.cell($0.value(slot)))
        }
        try reader.scan(node.entity, .keys(slot: slot, keys), slots: [slot]) {
          any[table].insert($0.row)
          strongly[table].insert($0.row)
        }
        withExtendedLifetime(arena) {}
      }
    }
    outdate(any: any, strongly: strongly, model: plan.model)
  }

  // MARK: - Keeping

  /// Words of a part.
  private static let partSize = 1 << 16

  /// The amendment has at most one record for this many in the parts, and may always have a few.
  private static let amendedShare = 8
  private static let amendedLimit = 4

  /// In place of a record: there is none any more.
  private static let gone = Int.max

  /// Keeps the records that still count, and the new ones. A set that another sync has kept since
  /// this one was read stays as it is.
  ///
  /// - Parameters:
  ///   - spoken: The relationships of which the items speak that were read.
  ///   - touched: The rows that these items have to do with: another item that holds one of them
  ///     is read next time.
  ///   - trace: Tells the rows that the sync has changed.
  func keep(
    _ spoken: SpokenRelationships, touched: [RowSet], _ trace: ReadTrace,
    as key: ContentFingerprint, of plan: MappingPlan, in transaction: StoreTransaction,
    _ control: SyncControl
  ) throws {
    head.byteCount = max(head.byteCount, madeByteCount)
    if count > 0 {
      // Rows that the sync itself changed may differ from their items.
      var (any, strongly) = try trace.changedRows(in: transaction, control)
      for table in any.indices { any[table].formUnion(touched[table]) }
      outdate(any: any, strongly: strongly, model: plan.model)
      try control.checkpoint()
    }
    let places = try places(control)
    let isChanged =
      places.count > count
      || places.indices.contains {
        places[$0] != $0 && !(places[$0] == FingerprintSet.gone && isAbsent($0))
      }
    guard isChanged || generation != keptGeneration,
      try transaction.fingerprintSet(key)?.head == keptHead
    else { return }
    let id = try transaction.makeFingerprintSet(key)
    if isChanged || keptGeneration < 0 { try write(places, to: id, in: transaction) }
    let before = head.spoken
    head.spoken = spoken
    head.revision = .random(in: 0 ... .max)
    if places.contains(where: { $0 < count }) { head.spoken.formUnion(before) }
    try transaction.keepFingerprints(
      KeptFingerprintSet(
        id: id, key: key, head: head.encoded,
        tables: StoreTransaction.fingerprintTables(plan.nodes.map(\.entity))))
  }

  /// Which record stands in each place from now on, if any.
  private func places(_ control: SyncControl) throws -> PlainArray<Int> {
    let places = PlainArray<Int>(capacity: count)
    // By the row of the object at the top.
    var free: [Int64: Int] = [:]
    for record in 0..<count {
      if record % SyncControl.stride == 0 { try control.checkpoint() }
      let isGone = isGone(record)
      places.append(isGone ? FingerprintSet.gone : record)
      if isGone { free[records.row(0, of: record)] = record }
    }
    for record in count..<records.count where !records.isGone(record) {
      if record % SyncControl.stride == 0 { try control.checkpoint() }
      if let place = free.removeValue(forKey: records.row(0, of: record)) {
        places[place] = record
      } else {
        places.append(record)
      }
    }
    return places
  }

  private func write(
    _ places: PlainArray<Int>, to id: Int64, in transaction: StoreTransaction
  ) throws {
    let amended = places.indices.filter {
      $0 >= partCount || places[$0] != $0 || isAmended($0)
    }
    let limit = max(partCount / FingerprintSet.amendedShare, FingerprintSet.amendedLimit)
    let part = PlainArray<UInt32>()
    guard keptGeneration < 0 || partCount == 0 || amended.count > limit else {
      append(amended, of: places, to: part)
      return try transaction.write(part, FingerprintSet.amendment, of: id)
    }
    try transaction.clearFingerprints(of: id)
    var number = 0
    for place in places.indices {
      if places[place] != FingerprintSet.gone { records.append(places[place], to: part) }
      guard part.count >= FingerprintSet.partSize || place == places.count - 1, !part.isEmpty
      else { continue }
      try transaction.write(part, number, of: id, isNew: true)
      number += 1
      part.removeAll(from: 0)
    }
  }

  /// Adds places with their records; behind those of the parts they follow each other.
  private func append(
    _ amended: [Int], of places: PlainArray<Int>, to part: PlainArray<UInt32>
  ) {
    var end = partCount
    for place in amended {
      let isGone = places[place] == FingerprintSet.gone
      if isGone, place >= partCount { continue }
      part.append(UInt32(min(place, end)))
      if place >= partCount { end += 1 }
      if isGone {
        FingerprintRecords.appendGone(to: part)
      } else {
        records.append(places[place], to: part)
      }
    }
  }
}

extension StoreTransaction {
  fileprivate func write(
    _ part: PlainArray<UInt32>, _ number: Int, of id: Int64, isNew: Bool = false
  ) throws {
    FingerprintRecords.seal(part)
    try writeFingerprints(number, of: id, UnsafeRawBufferPointer(part.elements), isNew: isNew)
  }
}
