import SyncCore

/// What making fingerprints asks of a batch for every object, ready at hand: plain values and addresses, because
/// to go through the batch would count its owners each time. Valid as long as nothing is added to the batch.
struct TracedBatch: BitwiseCopyable {
  let occurrences: UnsafeMutablePointer<Match>
  let cells: UnsafeMutablePointer<Cell>
  let width: Int
  let entity: UInt32

  /// Whether all objects are of the entity itself, and nobody else has their keys.
  let isPlain: Bool

  /// Where the inverses of its relationships stand in ``TracedBatches/inverses``.
  let firstInverse: Int

  /// The row of each reference, 0 where it takes more to know it.
  let references: UnsafeMutablePointer<UInt32>

  @inline(__always)
  func cell(_ row: Int32, _ slot: Int) -> Cell { cells[Int(row) * width + slot] }
}

/// All batches of a part. Confined to its sync.
struct TracedBatches {
  let batches: [TracedBatch]

  /// The slot of each relationship's inverse, batch after batch; -1 where there is none.
  let inverses: [Int]

  private let references: [PlainArray<UInt32>]

  init(_ batches: [MatchedBatch]) {
    references = batches.map(TracedBatches.rows)
    var inverses: [Int] = []
    self.batches = zip(batches, references).map { batch, references in
      defer { inverses += batch.node.relationships.map { $0.relationship.inverseSlot ?? -1 } }
      return TracedBatch(
        occurrences: batch.occurrences.start, cells: batch.block[0], width: batch.block.width,
        entity: UInt32(truncatingIfNeeded: batch.entity.index),
        isPlain: batch.stored.entities.isEmpty && batch.contested.isEmpty,
        firstInverse: inverses.count, references: references.start)
    }
    self.inverses = inverses
  }

  private static func rows(ofReferencesIn batch: MatchedBatch) -> PlainArray<UInt32> {
    let rows = PlainArray<UInt32>(capacity: batch.staged.references.count)
    for reference in 0..<batch.staged.references.count {
      let stored = Int(batch.references.first[reference])
      let isOne = stored >= 0 && batch.references.duplicates[Int32(reference)] == nil
      rows.append(isOne ? FingerprintMaker.number(batch.stored.rows[stored]) ?? 0 : 0)
    }
    return rows
  }
}

@available(*, unavailable, message: "Batches are confined to the sync that owns them.")
extension TracedBatch: Sendable {}

@available(*, unavailable, message: "Batches are confined to the sync that owns them.")
extension TracedBatches: Sendable {}
