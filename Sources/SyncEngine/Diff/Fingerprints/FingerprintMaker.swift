import SyncCore

/// Makes fingerprints of the items that were read, once it is decided what is stored: of those with which the
/// store then agrees in all they say, so that the same item would change nothing.
///
/// That is so for an item that gave no warning, unless another one had the last word about something of
/// its own. Confined to its sync.
struct FingerprintMaker {
  let trace: FingerprintTrace
  let planner: LinkPlanner

  /// What was made so far. The shapes are those of a set, which new ones are added to.
  private(set) var made: MadeFingerprints
  /// Numbers of shapes by their hash.
  private var shapeNumbers: [Int: [UInt32]] = [:]

  /// Who refers to a row that only one object may have, by table and row.
  private var takers: [Int: Int] = [:]

  /// The form of the item before: most items have the same.
  private var latestShape: UInt32?
  private var latestHabit: Int32 = -1
  private var entries: [FingerprintShape.Entry] = []
  private var latestEntries: [FingerprintShape.Entry] = []

  init(trace: FingerprintTrace, planner: LinkPlanner, shapes: [FingerprintShape]) {
    self.trace = trace
    self.planner = planner
    made = MadeFingerprints(shapes: shapes)
    for (number, shape) in shapes.enumerated() {
      shapeNumbers[shape.hashValue, default: []].append(UInt32(number))
    }
  }

  /// Looks at all items.
  ///
  /// - Throws: `CancellationError`.
  mutating func make(_ control: SyncControl) throws {
    made.items.reserve(trace.items.count)
    made.rows.reserve(trace.entryCount + trace.items.count)
    for (number, item) in trace.items.enumerated() {
      if number % SyncControl.stride == 0 { try control.checkpoint() }
      let firstRow = made.rows.count
      made.rows.append(item.length)
      entries.removeAll(keepingCapacity: true)
      var isGood = true
      for index in Int(item.firstEntry)..<Int(item.firstEntry + item.entryCount) {
        guard add(trace.entry(index), of: made.items.count) else {
          isGood = false
          break
        }
      }
      guard isGood else {
        made.rows.removeAll(from: firstRow)
        continue
      }
      made.byteCount += Int(item.length)
      made.items.append(
        MadeFingerprints.Item(
          fingerprint: item.fingerprint, shape: shapeNumber(item.habit), firstRow: UInt32(firstRow),
          rowCount: UInt32(1 + entries.count), isGood: true))
    }
  }

  private mutating func shapeNumber(_ habit: Int32) -> UInt32 {
    if let latestShape, habit == latestHabit, entries == latestEntries { return latestShape }
    var shape = trace.shape(ofHabit: habit)
    shape.entries = entries
    let hash = shape.hashValue
    let known = shapeNumbers[hash]?.first { made.shapes[Int($0)] == shape }
    let number = known ?? UInt32(made.shapes.count)
    if known == nil {
      made.shapes.append(shape)
      shapeNumbers[hash, default: []].append(number)
    }
    latestShape = number
    latestHabit = habit
    latestEntries = entries
    return number
  }

  /// Adds a row of an item.
  ///
  /// - Returns: False when the store does not agree with what the item says of it.
  private mutating func add(_ entry: FingerprintTrace.Entry, of item: Int) -> Bool {
    let batch = planner.batches[entry.batch]
    return entry.target >= 0
      ? describe(entry.target, in: batch)
      : refer(~entry.target, in: batch, entry.use, of: item)
  }

  private mutating func describe(_ index: Int32, in batch: Batch) -> Bool {
    let occurrence = batch.occurrences[Int(index)]
    guard occurrence.flags.contains(.active),
      occurrence.flags.isDisjoint(with: [.folded, .muted, .disputed, .referenceOnly]),
      !(occurrence.isOwned && occurrence.flags.contains(.shared)),
      let row = FingerprintMaker.number(occurrence.row)
    else { return false }
    if !batch.contested.isEmpty,
      batch.contested[batch.index.find(identityOf: batch.block[Int(index)])] != nil
    {
      return false
    }
    if occurrence.isOwned, !hasItsOwner(occurrence, index, in: batch) { return false }
    made.rows.append(row)
    entries.append(
      FingerprintShape.Entry(
        entity: batch.entity(of: occurrence).index,
        use: occurrence.isOwned ? .member : .described))
    return true
  }

  /// Whether a member ended up with the owner in whose list it stands.
  private func hasItsOwner(_ member: Occurrence, _ index: Int32, in batch: Batch) -> Bool {
    let owners = planner.batches[Int(member.ownerBatch)]
    let rule = owners.node.relationships[Int(member.ownerRule)]
    guard let inverse = rule.relationship.inverseSlot else { return false }
    let cell = batch.block[Int(index)][inverse]
    return cell.kind == .integer && cell.integer == owners.occurrences[Int(member.owner)].row
  }

  private mutating func refer(
    _ reference: Int32, in batch: Batch, _ use: FingerprintShape.Use?, of item: Int
  ) -> Bool {
    guard let use, batch.referenceDuplicates[reference] == nil,
      let row = planner.row(of: ~reference, in: batch).flatMap(FingerprintMaker.number)
    else { return false }
    if batch.referenceStored[Int(reference)] < 0 {
      // One of several new objects of the key.
      let head = batch.index.find(identityOf: batch.references[Int(reference)])
      if head >= 0, batch.occurrences[Int(head)].flags.contains(.shared) { return false }
    }
    if use != .shared {
      let stored = batch.referenceStored[Int(reference)]
      let described = stored >= 0 ? batch.stored.occurrences[Int(stored)] : -1
      if described >= 0, !batch.occurrences[Int(described)].flags.contains(.referenceOnly) {
        return false
      }
      let taken = batch.entity.rootIndex << 32 | Int(row)
      if let other = takers.updateValue(item, forKey: taken) {
        // Two items claim what only one of them can have.
        if other < made.items.count { made.items[other].isGood = false }
        return false
      }
    }
    made.rows.append(row)
    entries.append(FingerprintShape.Entry(entity: batch.entity.index, use: use))
    return true
  }

  private static func number(_ row: Int64) -> UInt32? {
    row > 0 ? UInt32(exactly: row) : nil
  }
}
