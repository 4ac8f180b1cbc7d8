import SyncCore
import SyncStore

/// Reading of stored rows: by one scan where the payload covers much of a table, by key elsewhere.
extension Matcher {
  /// Reads the rows whose keys the payload mentions.
  func loadKeys(of batch: MatchedBatch, isRoot: Bool) throws {
    let touched =
      batch.matches.count - batch.staged.ofSubentities.bareCount + batch.staged.references.count
    batch.references = ReferencedRows(count: batch.staged.references.count)
    let coversTable =
      isRoot && coversScope && operations.contains(.delete) && scannedRowsPerKey > 0
    guard touched > 0 || coversTable else { return }
    guard !batch.node.identity.isEmpty else { return }
    if let seen = claims.seenKeys[batch.number], seen.slot == batch.node.identity[0] {
      let keys = keys(of: batch).filter(seen.mayContain)
      if !keys.isEmpty { try read(batch, .keys(slot: batch.node.identity[0], keys)) }
      return
    }
    let estimate = try transaction.estimatedCount(of: batch.entity)
    if coversTable || touched * scannedRowsPerKey >= estimate {
      batch.stored.reserve(min(estimate, touched))
      batch.stored.isComplete = true
      return try transaction.readingThrough { try read(batch, .all) }
    }
    try read(batch, .keys(slot: batch.node.identity[0], keys(of: batch)))
  }

  /// Remembers which tables are empty, before the first part of several is written.
  func noteEmptyTables() throws {
    for batch in batches {
      guard let slot = batch.node.identity.first else { continue }
      // Objects of a family share their table and may be told apart by different attributes.
      let isAlone = batch.entity.subentities.isEmpty && batch.entity.rootIndex == batch.entity.index
      if isAlone, try transaction.estimatedCount(of: batch.entity) == 0 {
        claims.seenKeys[batch.number] = SeenKeys(slot: slot)
      }
    }
  }

  /// Notes the keys that a written part put into tables that were empty. Each part decides anew how
  /// a serializer tells nested objects apart: one without any does not, and one that does it by
  /// another attribute makes the keys that were seen useless.
  func noteKeys() {
    for batch in batches {
      guard let seen = claims.seenKeys[batch.number], let slot = batch.node.identity.first
      else { continue }
      guard slot == seen.slot else {
        claims.seenKeys[batch.number] = nil
        continue
      }
      for key in keys(of: batch) { seen.insert(key) }
    }
  }

  /// Reads the rows that belong to owners, under any key.
  func loadMembers(of owners: [Int64], column slot: Int, in batch: MatchedBatch) throws {
    guard !batch.stored.isComplete else { return }
    try read(batch, .references(slot: slot, owners))
  }

  /// Reads rows by number.
  func loadRows(_ rows: [Int64], in batch: MatchedBatch) throws {
    guard !batch.stored.isComplete else { return }
    try read(batch, .rows(rows))
  }

  private func keys(of batch: MatchedBatch) -> [Cell] {
    let slot = batch.node.identity[0]
    var keys: [Cell] = []
    keys.reserveCapacity(batch.matches.count + batch.staged.references.count)
    for (row, match) in batch.matches.enumerated()
    where !match.traits.contains(.keyless) && !match.traits.contains(.referenceOnly) {
      keys.append(batch.cells(row)[slot])
    }
    for row in 0..<batch.staged.references.count { keys.append(batch.staged.references[row][slot]) }
    return keys
  }

  /// Reads rows into the stored rows of a batch.
  private func read(_ batch: MatchedBatch, _ selection: RowSelection) throws {
    let search = RowSearch(batch.staged)
    let mayRepeat = batch.stored.count > 0
    let toOneSlots = batch.node.columns.toOne
    let hasFamily = !batch.entity.subentities.isEmpty
    let stored = batch.stored
    var count = 0
    // To list the columns pays where there are many rows.
    let isTable = if case .all = selection { true } else { false }
    try transaction.scan(batch.entity, selection, slots: isTable ? search.slots : nil) { cursor in
      count += 1
      if count % SyncControl.stride == 0 { try control.checkpoint() }
      let row = cursor.row
      if mayRepeat, let known = stored.index(ofRow: row) {
        if batch.stored.placeholder == known {
          batch.stored.placeholder = nil
          stored.setReferences(of: known) { cursor.integer(toOneSlots[$0]) ?? 0 }
          attach(known, cursor, search, in: batch)
        }
        return
      }
      let index = stored.append(row: row, entity: hasFamily ? cursor.entityIndex : nil) {
        cursor.integer(toOneSlots[$0]) ?? 0
      }
      attach(index, cursor, search, in: batch)
    }
  }

  /// Connects a stored row with the mention of its key, and compares the two at once when they are
  /// certainly the same object.
  @inline(__always)
  private func attach(
    _ index: Int32, _ cursor: RowCursor, _ search: RowSearch, in batch: MatchedBatch
  ) {
    let head = search.head(cursor)
    attach(index, to: head, in: batch) { search.difference(cursor, head) }
    if batch.staged.references.count > 0 { refer(search.reference(cursor), to: index, in: batch) }
  }

  /// Connects a stored row with the first occurrence of its key, or -1.
  ///
  /// - Parameter difference: The slots in which the two differ; asked for when they are the same
  ///   object.
  @inline(__always)
  func attach(_ index: Int32, to head: Int32, in batch: MatchedBatch, difference: () -> SlotSet) {
    guard head >= 0 else { return }
    let match = batch.matches[head]
    if match.stored < 0, !match.traits.contains(.shared) {
      batch.matches[head].stored = index
      batch.matches[head].row = batch.stored.rows[index]
      batch.noteDifference(difference(), of: head)
    } else {
      let first = match.stored >= 0 ? [match.stored] : []
      batch.contested[head, default: first].append(index)
    }
  }

  /// Connects a stored row with a reference to its key, or -1.
  @inline(__always)
  func refer(_ reference: Int32, to index: Int32, in batch: MatchedBatch) {
    guard reference >= 0 else { return }
    batch.references.note(index, for: reference, among: batch.stored.rows)
  }

  /// Compares the objects whose row was not certain yet when it was read.
  func compareRemaining(_ batch: MatchedBatch) throws {
    var rows: [Int64] = []
    for match in batch.matches
    where match.flags.contains(.uncompared) && !match.flags.contains(.folded)
      && match.stored >= 0
    {
      rows.append(match.row)
    }
    guard !rows.isEmpty else { return }
    try transaction.scan(batch.entity, .rows(rows)) { cursor in
      guard let index = batch.stored.index(ofRow: cursor.row) else { return }
      let occurrence = batch.stored.occurrences[index]
      guard occurrence >= 0 else { return }
      batch.noteDifference(
        cursor.differs(from: batch.cells(occurrence), among: batch.node.columns.attributes),
        of: occurrence)
    }
  }
}

/// Finds the mentions of the rows of a scan as they go by.
///
/// A class, so that the callback of a scan holds one reference and not a copy: copies took a third
/// of the reference counts of a sync that changes nothing. Confined to the thread that made it.
final class RowSearch {
  /// The slots that a scan has to read, at least.
  let slots: [Int]

  /// The slots that are compared: all but the key, by which the row was found.
  private let compared: [Int]
  private let batch: Batch
  private let occurrences: PlainArray<Occurrence>
  private let index: KeyIndex
  private let referenceIndex: KeyIndex
  private let keySlot: Int

  /// The occurrence that is tried first. Rows were numbered in the order of an earlier payload, and
  /// most services send the same order again.
  private var likely: Int32 = 0

  init(_ batch: Batch) {
    let node = batch.node
    compared = node.columns.attributes.filter { !node.identity.contains($0) }
    slots = Set(node.columns.attributes + node.columns.toOne + node.identity).sorted()
    self.batch = batch
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
      traits(likely).isDisjoint(with: RowSearch.unlikely),
      index.isKey(key, of: likely)
    {
      likely += 1
      return likely - 1
    }
    let found = index.find(key)
    if found >= 0 { likely = found + 1 }
    return found
  }

  private static let unlikely: Occurrence.Traits = [.shared, .keyless, .referenceOnly]

  @inline(__always)
  private func traits(_ occurrence: Int32) -> Occurrence.Traits {
    (occurrences.start + Int(occurrence)).pointee.traits
  }

  /// The reference to the row's key, or -1.
  @inline(__always)
  func reference(_ cursor: RowCursor) -> Int32 {
    referenceIndex.find { cursor.cell($0) }
  }

  /// The slots in which the row and an occurrence differ.
  @inline(__always)
  func difference(_ cursor: RowCursor, _ occurrence: Int32) -> SlotSet {
    cursor.differs(from: batch.cells(occurrence), among: compared)
  }
}

@available(*, unavailable, message: "A search is confined to the thread that made it.")
extension RowSearch: Sendable {}
