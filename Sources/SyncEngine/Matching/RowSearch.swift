import SyncCore
import SyncStore

/// Finds what the payload says of the rows of a scan as they go by.
///
/// A class, so that the callback of a scan holds one reference and not a copy: copies took a third of the reference
/// counts of a sync that changes nothing. Confined to the thread that made it.
final class RowSearch {
  /// What a scan has to read, at least.
  let slots: [Int]

  /// What is compared: all but the key, by which the row was found.
  private let compared: [Int]
  private let block: RowBlock
  private let occurrences: PlainArray<Occurrence>
  private let index: KeyIndex
  private let referenceIndex: KeyIndex
  private let keySlot: Int

  /// The occurrence that is tried first. Rows were numbered in the order of an earlier payload, and most services send
  /// the same order again.
  private var likely: Int32 = 0

  init(_ batch: Batch) {
    let node = batch.node
    compared = node.columns.attributes.filter { !node.identity.contains($0) }
    slots = Set(node.columns.attributes + node.columns.toOne + node.identity).sorted()
    block = batch.block
    occurrences = batch.occurrences
    index = batch.index
    referenceIndex = batch.references.index
    keySlot = batch.keySlot
  }

  /// The first occurrence of the row's key, or -1.
  @inline(__always)
  func head(_ cursor: RowCursor) -> Int32 {
    guard keySlot >= 0 else { return index.find { cursor.cell($0) } }
    let key = cursor.cell(keySlot)
    if Int(likely) < occurrences.count,
      flags(likely).isDisjoint(with: RowSearch.unlikely),
      index.isKey(key, of: likely)
    {
      likely += 1
      return likely - 1
    }
    let found = index.find(key)
    if found >= 0 { likely = found + 1 }
    return found
  }

  private static let unlikely: Occurrence.Flags = [.shared, .keyless, .referenceOnly]

  @inline(__always)
  private func flags(_ occurrence: Int32) -> Occurrence.Flags {
    (occurrences.start + Int(occurrence)).pointee.flags
  }

  /// The reference to the row's key, or -1.
  @inline(__always)
  func reference(_ cursor: RowCursor) -> Int32 {
    referenceIndex.find { cursor.cell($0) }
  }

  /// What the row and an occurrence say differently.
  @inline(__always)
  func difference(_ cursor: RowCursor, _ occurrence: Int32) -> SlotSet {
    cursor.differs(from: block[occurrence], among: compared)
  }
}

@available(*, unavailable, message: "A search is confined to the thread that made it.")
extension RowSearch: Sendable {}
