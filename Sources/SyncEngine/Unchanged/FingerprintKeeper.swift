import SyncCore
import SyncStore

/// Decides what of a set still counts after a sync, and has it written: records that still count stay where they are, new
/// ones take the places of those they replace, or go to the end.
///
/// ```
/// part 0 │ part 1 │ … │ amendment
/// ```
///
/// Where little changed, only the amendment is written: what has become of a few places since the parts were. Otherwise
/// everything is.
struct FingerprintKeeper {
  let key: ContentFingerprint
  let set: FingerprintSet
  let made: MadeFingerprints
  let plan: MappingPlan
  let transaction: StoreTransaction
  let control: SyncControl

  /// The number of the amendment, behind those of all parts.
  static let amendment = (1 << 24) - 1

  /// Words of a part.
  private static let partSize = 1 << 16

  /// The amendment has at most one record for this many in the parts, and may always have a few.
  private static let amendedShare = 8
  private static let amendedLimit = 4

  /// In place of a record: there is none any more.
  private static let gone = Int.max

  /// Keeps the fingerprints of what was matched, and of what was made.
  func keep() throws {
    if set.count > 0 { try outdateChanged() }
    let places = try places()
    let isChanged = areNew(places)
    guard isChanged || set.generation != set.keptGeneration else { return }
    let id = try transaction.makeFingerprintSet(key)
    if isChanged || set.id != id { try write(places, to: id) }
    var head = FingerprintHead(seed: set.seed)
    head.byteCount = max(set.byteCount, made.byteCount)
    head.shapes = made.records.shapes
    head.spoken = made.spoken
    if places.contains(where: { $0 >= 0 && $0 != FingerprintKeeper.gone }) {
      head.spoken.formUnion(set.spoken)
    }
    try transaction.keepFingerprints(
      KeptFingerprintSet(
        id: id, key: key, head: head.encoded,
        tables: StoreTransaction.fingerprintTables(plan.nodes.map(\.entity))))
  }

  /// Of what the sync itself changed nobody knows what the items say.
  private func outdateChanged() throws {
    var identity = Array(repeating: SlotSet(), count: plan.model.entities.count)
    for node in plan.nodes {
      for slot in node.identity { identity[node.entity.rootIndex].insert(slot) }
    }
    let (any, strongly) = try transaction.changedRows(identity, control.checkpoint)
    set.outdate(any: any, strongly: strongly, model: plan.model)
    try control.checkpoint()
  }

  // MARK: - Places

  /// What stands in each place from now on: a record, the ones' complement of one that was made, or none.
  private func places() throws -> PlainArray<Int> {
    let places = PlainArray<Int>(capacity: set.count)
    // By the row of the object at the top.
    var free: [UInt32: Int] = [:]
    for record in 0..<set.count {
      if record % SyncControl.stride == 0 { try control.checkpoint() }
      let isGone = set.isGone(record)
      places.append(isGone ? FingerprintKeeper.gone : record)
      if isGone { free[set.records.rows(of: record)[0]] = record }
    }
    for index in 0..<made.records.count
    where made.records.shape(of: index) != FingerprintRecords.goneShape {
      if index % SyncControl.stride == 0 { try control.checkpoint() }
      if let place = free.removeValue(forKey: made.records.rows(of: index)[0]) {
        places[place] = ~index
      } else {
        places.append(~index)
      }
    }
    return places
  }

  /// Whether anything is not as it was.
  private func areNew(_ places: PlainArray<Int>) -> Bool {
    places.count > set.count
      || places.indices.contains {
        places[$0] != $0 && !(places[$0] == FingerprintKeeper.gone && set.isAbsent($0))
      }
  }

  // MARK: - Writing

  private func write(_ places: PlainArray<Int>, to id: Int64) throws {
    let amended = places.indices.filter {
      $0 >= set.partCount || places[$0] != $0 || set.isAmended($0)
    }
    let limit = max(
      set.partCount / FingerprintKeeper.amendedShare, FingerprintKeeper.amendedLimit)
    if set.id == id, set.partCount > 0, amended.count <= limit {
      try writeAmendment(amended, places, to: id)
    } else {
      try writeAll(places, to: id)
    }
  }

  private func writeAmendment(
    _ amended: [Int], _ places: PlainArray<Int>, to id: Int64
  ) throws {
    let part = PlainArray<UInt32>()
    var end = set.partCount
    for place in amended {
      let isGone = places[place] == FingerprintKeeper.gone
      if place >= set.partCount {
        if isGone { continue }
        part.append(UInt32(end))
        end += 1
      } else {
        part.append(UInt32(place))
      }
      if isGone {
        for _ in 0..<FingerprintRecords.headSize { part.append(FingerprintRecords.goneShape) }
      } else {
        append(places[place], to: part)
      }
    }
    try write(part, FingerprintKeeper.amendment, of: id)
  }

  private func writeAll(_ places: PlainArray<Int>, to id: Int64) throws {
    try transaction.clearFingerprints(of: id)
    let part = PlainArray<UInt32>()
    var number = 0
    for place in places.indices {
      if places[place] != FingerprintKeeper.gone { append(places[place], to: part) }
      guard part.count >= FingerprintKeeper.partSize || place == places.count - 1, !part.isEmpty
      else { continue }
      try write(part, number, of: id, isNew: true)
      number += 1
      part.removeAll(from: 0)
    }
  }

  private func append(_ source: Int, to part: PlainArray<UInt32>) {
    if source >= 0 {
      set.records.append(source, to: part)
    } else {
      made.records.append(~source, to: part)
    }
  }

  private func write(
    _ part: PlainArray<UInt32>, _ number: Int, of id: Int64, isNew: Bool = false
  ) throws {
    FingerprintRecords.seal(part)
    try transaction.writeFingerprints(
      number, of: id, UnsafeRawBufferPointer(part.elements), isNew: isNew)
  }
}

@available(*, unavailable, message: "A keeper is confined to its transaction.")
extension FingerprintKeeper: Sendable {}
