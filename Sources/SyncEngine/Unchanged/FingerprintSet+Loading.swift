import SyncCore
import SyncStore

/// Reading a set, and finding out what of it still counts.
extension FingerprintSet {
  /// Reads the fingerprints of a kind of sync, and finds out which of them still count.
  ///
  /// - Returns: Nil when the payload is so small against what is kept that reading the fingerprints would cost
  ///   more than they save.
  static func load(
    _ key: ContentFingerprint, of plan: MappingPlan, payloadBytes: Int, from reader: StoreReader
  ) throws -> FingerprintSet? {
    let generation = try reader.generation()
    let kept = try reader.fingerprintSet(key)
    guard let kept, let head = FingerprintHead(kept.head, plan), head.shapes.count <= shapeLimit,
      let changes = try reader.fingerprintChanges(after: kept.generation)
    else { return FingerprintSet(id: kept?.id, generation: generation) }
    guard head.byteCount / smallestShare <= payloadBytes else { return nil }
    let set = try FingerprintSet(kept, generation: generation, head: head) { body in
      try reader.readFingerprints(of: kept.id, areMany: head.byteCount >= manyBytes, body)
    }
    guard let set else { return FingerprintSet(id: kept.id, generation: generation) }
    try set.outdate(changes, plan: plan, reader: reader)
    return set
  }

  /// Bytes of items whose fingerprints are some hundred pages: a statement to find out whether they fill the cache pays.
  private static let manyBytes = 1 << 23

  /// A payload has to be at least one in this many of the bytes that fingerprints are kept of.
  private static let smallestShare = 64

  /// Shapes of a set; when there are more, most of them are of items that are gone, and the set is made
  /// anew.
  private static let shapeLimit = 1 << 16

  /// Changes that are looked at one by one; after more of them everything is read again.
  private static let changeLimit = 50_000

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
        for row in try FingerprintSet.namesakes(of: changed, node.entity, slot, reader) {
          any[table].insert(row)
          strongly[table].insert(row)
        }
      }
    }
    outdate(any: any, strongly: strongly, model: plan.model)
  }

  private static func namesakes(
    of rows: [Int64], _ entity: EntityDescription, _ slot: Int, _ reader: StoreReader
  ) throws -> [Int64] {
    let arena = CellArena()
    var keys: [Cell] = []
    try reader.scan(entity, .rows(rows), slots: [slot]) { keys.append(arena.cell($0.value(slot))) }
    var result: [Int64] = []
    try reader.scan(entity, .keys(slot: slot, keys), slots: [slot]) { result.append($0.row) }
    return withExtendedLifetime(arena) { result }
  }
}
