import SyncCore

/// Which mention under a subentity writes the object that a batch of a superentity speaks of, too.
struct TwinWriters {
  struct Found: Hashable {
    let batch: Int
    let occurrence: Int32
  }

  private let batch: Batch
  /// The batches of subentities, deepest first.
  private let writers: [Batch]
  /// The new objects of each of them by row, made when first asked for.
  private var newObjects: [[Int64: Int32]?]

  init(_ batch: Batch, among batches: [Batch]) {
    self.batch = batch
    writers = batch.subentityBatches(among: batches)
      .filter { !$0.occurrences.isEmpty }
      .sorted { $0.entity.depth > $1.entity.depth }
    newObjects = writers.map { _ in nil }
  }

  /// - Parameter occurrence: One of the batch, of a stored object or one that counts as stored.
  /// - Complexity: O(1) expected; the first call for an object of a subentity that is new looks at all of them.
  mutating func find(_ occurrence: Occurrence) -> Found? {
    guard !writers.isEmpty,
      Int(batch.stored.entities[Int(occurrence.stored)]) != batch.entity.index
    else { return nil }
    for (position, writer) in writers.enumerated() {
      if let index = writer.stored.index(ofRow: occurrence.row) {
        let holder = writer.stored.occurrences[Int(index)]
        if holder >= 0, let found = found(holder, in: writer) { return found }
      } else if let holder = newObject(occurrence.row, position) {
        return found(holder, in: writer)
      }
    }
    return nil
  }

  /// The same for a stored row that the batch does not mention.
  mutating func find(ofStored index: Int32) -> Found? {
    guard !writers.isEmpty else { return nil }
    var occurrence = Occurrence()
    occurrence.row = batch.stored.rows[Int(index)]
    occurrence.stored = index
    return find(occurrence)
  }

  private func found(_ occurrence: Int32, in writer: Batch) -> Found? {
    let occurrence = writer.representative(occurrence)
    let flags = writer.occurrences[Int(occurrence)].flags
    return flags.contains(.referenceOnly)
      ? nil : Found(batch: writer.number, occurrence: occurrence)
  }

  private mutating func newObject(_ row: Int64, _ position: Int) -> Int32? {
    if let known = newObjects[position] { return known[row] }
    var rows: [Int64: Int32] = [:]
    for (index, occurrence) in writers[position].occurrences.enumerated()
    where occurrence.row > 0 && occurrence.stored < 0 && !occurrence.flags.contains(.folded) {
      rows[occurrence.row] = Int32(index)
    }
    newObjects[position] = rows
    return rows[row]
  }
}

extension Batch {
  /// The batches of objects of subentities that are told apart by the same key.
  func subentityBatches(among batches: [Batch]) -> [Batch] {
    guard !entity.subentities.isEmpty, !node.identity.isEmpty else { return [] }
    return batches.filter {
      $0.number != number && $0.entity.isKind(of: entity) && $0.node.identity == node.identity
    }
  }
}

extension EntityDescription {
  /// How many entities it inherits from.
  var depth: Int {
    var result = 0
    var entity = superentity
    while let next = entity {
      result += 1
      entity = next.superentity
    }
    return result
  }
}
