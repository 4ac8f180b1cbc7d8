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
  private var latestUsage: UInt32 = 0
  /// Its entries as words: ``word(_:_:)``.
  private let latest = PlainArray<UInt32>()
  private let entries = PlainArray<UInt32>()
  private let traced: TracedBatches

  init(trace: FingerprintTrace, planner: LinkPlanner, shapes: [FingerprintShape]) {
    self.trace = trace
    self.planner = planner
    traced = TracedBatches(planner.batches)
    made = MadeFingerprints(shapes: shapes)
    for (number, shape) in shapes.enumerated() {
      shapeNumbers[shape.hashValue, default: []].append(UInt32(number))
    }
  }

  /// Looks at all items. Nothing of the trace can be asked for any more.
  ///
  /// - Throws: `CancellationError`.
  mutating func make(_ control: SyncControl) throws {
    let (trace, entries) = (trace, entries)
    made.items = trace.items
    made.rows = trace.targets
    for number in 0..<trace.items.count {
      if number % SyncControl.stride == 0 { try control.checkpoint() }
      let item = trace.items[number]
      let count = trace.entryCount(of: item)
      entries.removeAll(from: 0)
      var index = 0
      while index < count, let entry = entry(trace.entry(index, of: item), of: number) {
        made.rows[Int(item.firstRow) + index] = entry.row
        entries.append(entry.word)
        index += 1
      }
      guard index == count else {
        made.items[number].size = 0
        continue
      }
      made.items[number].size = UInt32(truncatingIfNeeded: count)
      made.items[number].form = shapeNumber(item.form)
      made.byteCount += Int(item.length)
    }
  }

  private mutating func shapeNumber(_ usage: UInt32) -> UInt32 {
    if let latestShape, usage == latestUsage, entries.isEqual(to: latest) { return latestShape }
    var shape = trace.shape(ofUsage: usage)
    shape.entries = entries.compactMap(FingerprintMaker.entry)
    let hash = shape.hashValue
    let known = shapeNumbers[hash]?.first { made.shapes[Int($0)] == shape }
    let number = known ?? UInt32(made.shapes.count)
    if known == nil {
      made.shapes.append(shape)
      shapeNumbers[hash, default: []].append(number)
    }
    latestShape = number
    latestUsage = usage
    latest.removeAll(from: 0)
    for entry in entries { latest.append(entry) }
    return number
  }

  // MARK: - Rows of an item

  private static func word(_ entity: UInt32, _ use: FingerprintShape.Use) -> UInt32 {
    entity << 8 | use.rawValue
  }

  private static func entry(_ word: UInt32) -> FingerprintShape.Entry? {
    FingerprintShape.Use(rawValue: word & 0xFF).map {
      FingerprintShape.Entry(entity: Int(word >> 8), use: $0)
    }
  }

  /// A row of an item, and how it has to do with it.
  private typealias Entry = (row: UInt32, word: UInt32)

  /// - Returns: Nil when the store does not agree with what the item says of the row.
  @inline(__always)
  private mutating func entry(_ entry: FingerprintTrace.Entry, of item: Int) -> Entry? {
    if entry.target >= 0 { return describe(entry.target, in: entry.batch) }
    guard let use = entry.use else { return nil }
    let traced = traced.batches[entry.batch]
    let row = traced.references[Int(~entry.target)]
    if use == .shared, row > 0 { return (row, FingerprintMaker.word(traced.entity, use)) }
    return refer(~entry.target, in: planner.batches[entry.batch], use, of: item)
  }

  private static let flags: Occurrence.Flags = [
    .active, .folded, .ignored, .conflicting, .referenceOnly,
  ]

  @inline(__always)
  private func describe(_ index: Int32, in number: Int) -> Entry? {
    let traced = traced.batches[number]
    let occurrence = traced.occurrences[Int(index)]
    guard occurrence.flags.intersection(FingerprintMaker.flags) == .active,
      let row = FingerprintMaker.number(occurrence.row)
    else { return nil }
    let isMember = !occurrence.flags.isDisjoint(with: [.owned, .listed])
    if isMember {
      guard !occurrence.flags.contains(.shared), hasItsOwner(occurrence, index, in: traced) else {
        return nil
      }
    }
    let use = isMember ? FingerprintShape.Use.member : .described
    if traced.isPlain { return (row, FingerprintMaker.word(traced.entity, use)) }
    return entity(of: occurrence, index, in: planner.batches[number]).map {
      (row, FingerprintMaker.word($0, use))
    }
  }

  /// The entity of an object; nil when its key is contested.
  private func entity(of occurrence: Match, _ index: Int32, in batch: MatchedBatch) -> UInt32? {
    if !batch.contested.isEmpty,
      batch.contested[batch.index.find(identityOf: batch.block[index])] != nil
    {
      return nil
    }
    return UInt32(truncatingIfNeeded: batch.entity(of: occurrence).index)
  }

  /// Whether a member ended up with the owner in whose list it stands.
  @inline(__always)
  private func hasItsOwner(_ member: Match, _ index: Int32, in batch: TracedBatch) -> Bool {
    let owners = traced.batches[Int(member.ownerBatch)]
    let inverse = traced.inverses[owners.firstInverse + Int(member.ownerRule)]
    guard inverse >= 0 else { return false }
    let cell = batch.cell(index, inverse)
    guard case .integer = cell.kind else { return false }
    return cell.integer == owners.occurrences[Int(member.owner)].row
  }

  private mutating func refer(
    _ reference: Int32, in batch: MatchedBatch, _ use: FingerprintShape.Use, of item: Int
  ) -> Entry? {
    guard batch.references.duplicates[reference] == nil,
      let row = planner.row(of: ~reference, in: batch).flatMap(FingerprintMaker.number)
    else { return nil }
    let stored = batch.references.first[Int(reference)]
    var described = stored >= 0 ? batch.stored.occurrences[stored] : -1
    if stored < 0 {
      described = batch.index.find(identityOf: batch.staged.references[reference])
      // One of several new objects of the key.
      if described >= 0, batch.occurrences[described].flags.contains(.shared) { return nil }
    }
    if use != .shared {
      if described >= 0, !batch.occurrences[described].flags.contains(.referenceOnly) {
        return nil
      }
      let taken = batch.entity.rootIndex << 32 | Int(row)
      if let other = takers.updateValue(item, forKey: taken) {
        // Two items claim what only one of them can have.
        made.items[other].size = 0
        return nil
      }
    }
    return (row, FingerprintMaker.word(UInt32(truncatingIfNeeded: batch.entity.index), use))
  }

  static func number(_ row: Int64) -> UInt32? {
    row > 0 ? UInt32(exactly: row) : nil
  }
}
