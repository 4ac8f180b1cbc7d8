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
    guard let kept, let head = FingerprintHead(decoding: kept.head),
      head.shapes.allSatisfy({ $0.fits(plan) }), head.shapes.count <= shapeLimit,
      let changes = try reader.fingerprintChanges(after: kept.generation)
    else {
      return none(kept?.id, generation)
    }
    guard head.byteCount / smallestShare <= payloadBytes else { return nil }
    var contents = FingerprintContents(shapes: head.shapes)
    try reader.readFingerprints(of: kept.id, areMany: head.byteCount >= manyBytes) {
      contents.add($0, $1)
    }
    guard !contents.isDamaged else { return none(kept.id, generation) }
    let set = FingerprintSet(kept, generation: generation, head: head, contents)
    try set.outdate(changes, plan: plan, reader: reader)
    return set
  }

  private static func none(_ id: Int64?, _ generation: Int64) -> FingerprintSet {
    FingerprintSet(id: id, generation: generation, seed: UInt64.random(in: 0 ... .max))
  }

  /// Bytes of items whose fingerprints are some hundred pages.
  private static let manyBytes = 1 << 20

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
    guard changes.count <= FingerprintSet.changeLimit else {
      for record in states.indices where states[record] != .absent { states[record] = .outdated }
      return
    }
    var any: [Int: RowSet] = [:]
    var strongly: [Int: RowSet] = [:]
    var keyed: [Int: [Int64]] = [:]
    for change in changes {
      any[change.table, default: RowSet()].insert(change.row)
      if change.kind != .linked { strongly[change.table, default: RowSet()].insert(change.row) }
      if change.kind == .inserted || change.kind == .updated {
        keyed[change.table, default: []].append(change.row)
      }
    }
    // An object of the same key may be meant now.
    for (table, changed) in keyed {
      for node in plan.nodes where node.entity.rootIndex == table {
        guard let slot = node.identity.first else { continue }
        for row in try FingerprintSet.namesakes(of: changed, node.entity, slot, reader) {
          any[table, default: RowSet()].insert(row)
          strongly[table, default: RowSet()].insert(row)
        }
      }
    }
    mark(.outdated, from: [.unseen], any: any, strongly: strongly, model: plan.model)
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

extension FingerprintShape {
  /// Whether all numbers in it are those of something in the plan.
  fileprivate func fits(_ plan: MappingPlan) -> Bool {
    let entityCount = plan.model.entities.count
    return entries.allSatisfy { $0.entity < entityCount }
      && filled.allSatisfy { (0..<plan.readerCount).contains($0.node) }
      && unused.allSatisfy { (0..<plan.readerCount).contains($0.node) }
      && mentions.allSatisfy {
        plan.nodes.indices.contains($0.node)
          && plan.nodes[$0.node].relationships.indices.contains($0.rule)
      }
  }
}
