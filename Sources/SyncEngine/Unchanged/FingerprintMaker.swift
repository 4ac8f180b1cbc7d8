import SyncCore

/// Makes fingerprints of the items that were read, once their objects are decided: of those with
/// which the store then agrees in every value, so that the same item would change nothing.
///
/// That is so for an item that gave no warning, unless another one had the last word about
/// something of its own. Confined to its sync.
struct FingerprintMaker {
  private let planner: LinkPlanner
  private let batches: [MatchedBatch]
  private let contents: ItemContents
  private let read: PlainArray<ItemContents.ReadItem>
  private let set: FingerprintSet

  /// The list of each relationship, by batch and rule.
  private let lists: [[FingerprintShape.Entry.List]]

  /// Numbers of shapes; asked when an item has another form than the one before.
  private lazy var shapeNumbers = Dictionary(zip(set.head.shapes, UInt32(0)...)) { first, _ in first
  }

  /// The items that refer to a row that only one object may have, by table and row.
  private var takers: [Int: Int] = [:]

  /// The form of the item before: most items have the same.
  private var latestShape: UInt32?
  private var latestUsage = -1
  /// Its entries as words.
  private let latest = PlainArray<UInt64>()
  private let entries = PlainArray<UInt64>()

  init(
    _ planner: LinkPlanner, _ contents: ItemContents,
    _ read: PlainArray<ItemContents.ReadItem>, _ set: FingerprintSet
  ) {
    self.planner = planner
    self.contents = contents
    self.read = read
    self.set = set
    batches = planner.batches
    lists = batches.map { batch in
      batch.node.relationships.map { Claims.Relationship($0.relationship) }
    }
  }

  /// Records of a set, from which on no more are made: two hundred megabytes of memory.
  static let recordLimit = 1 << 22

  /// Adds the fingerprints of all items to the set.
  ///
  /// - Throws: `CancellationError`.
  mutating func make(_ control: SyncControl) throws {
    let (entries, records) = (entries, set.records)
    for item in 0..<min(contents.items.count, read.count) {
      if item % SyncControl.stride == 0 { try control.checkpoint() }
      let usage = contents.items[item].usage
      if usage < 0 { continue }
      if records.count >= FingerprintMaker.recordLimit { break }
      let (record, read) = (records.count, read[item])
      records.begin(read.fingerprint, length: read.length)
      entries.removeAll(from: 0)
      var isKnown = true
      for target in contents.targets(of: item) {
        guard let entry = entry(target, of: record) else {
          isKnown = false
          break
        }
        records.words.append(entry.row)
        entries.append(entry.word)
      }
      guard isKnown else {
        records.cancel()
        continue
      }
      records.setShape(shapeNumber(usage), of: record)
      set.madeByteCount += read.length
    }
  }

  private mutating func shapeNumber(_ usage: Int) -> UInt32 {
    if let latestShape, usage == latestUsage, entries.isEqual(to: latest) { return latestShape }
    let shape = FingerprintShape(
      entries: entries.compactMap(FingerprintShape.Entry.init),
      usage: contents.usages[usage])
    let number = shapeNumbers[shape] ?? UInt32(set.head.shapes.count)
    if number == set.head.shapes.count {
      set.head.shapes.append(shape)
      set.records.add(shape)
      shapeNumbers[shape] = number
    }
    latestShape = number
    latestUsage = usage
    latest.removeAll(from: 0)
    for entry in entries { latest.append(entry) }
    return number
  }

  // MARK: - Rows of an item

  /// A row of an item, and the entry of its shape as a word.
  private typealias Entry = (row: UInt32, word: UInt64)

  @inline(__always)
  private static func entry(
    _ row: Int64, _ entity: EntityDescription, _ use: ItemContents.Use,
    in list: FingerprintShape.Entry.List? = nil
  ) -> Entry? {
    guard row > 0, let row = UInt32(exactly: row) else { return nil }
    return (row, FingerprintShape.Entry.word(entity.index, use, list))
  }

  /// - Returns: Nil when the store does not agree with the item about the row.
  @inline(__always)
  private mutating func entry(_ target: ItemContents.Target, of record: Int) -> Entry? {
    let batch = batches[Int(target.batch)]
    if target.number >= 0 { return describe(target.number, in: batch) }
    return refer(~target.number, in: batch, target.use, of: record)
  }

  private static let doubts: Occurrence.Traits = [.conflicting, .referenceOnly]
  private static let flags: Match.Flags = [.active, .folded, .ignored]

  @inline(__always)
  private func describe(_ index: Int32, in batch: MatchedBatch) -> Entry? {
    let match = batch.matches[index]
    guard match.flags.intersection(FingerprintMaker.flags) == .active,
      match.traits.isDisjoint(with: FingerprintMaker.doubts)
    else { return nil }
    // The object of a contested key is unknown.
    if !batch.contested.isEmpty,
      batch.contested[batch.head(of: index)] != nil
    {
      return nil
    }
    let isMember = !match.traits.isDisjoint(with: [.owned, .listed])
    if isMember, match.traits.contains(.shared) || !hasItsOwner(match, index, in: batch) {
      return nil
    }
    let list = match.list
    return FingerprintMaker.entry(
      match.row, batch.entity(of: match), isMember ? .member : .described,
      in: isMember ? lists[list.batch][list.rule] : nil)
  }

  /// Whether a member ended up with the owner in whose list it stands.
  @inline(__always)
  private func hasItsOwner(_ member: Match, _ index: Int32, in batch: MatchedBatch) -> Bool {
    let owners = batches[member.list.batch]
    let rule = owners.node.relationships[member.list.rule]
    guard let inverse = rule.relationship.inverseSlot else { return false }
    let owner = planner.references[batch.number][inverse, index]
    return owner > 0 && owner == owners.matches[member.owner].row
  }

  private mutating func refer(
    _ reference: Int32, in batch: MatchedBatch, _ use: ItemContents.Use, of record: Int
  ) -> Entry? {
    guard batch.references.duplicates[reference] == nil,
      let row = planner.row(of: ~reference, in: batch)
    else { return nil }
    let stored = batch.references.first[Int(reference)]
    var described = stored >= 0 ? batch.stored.occurrences[stored] : -1
    if stored < 0 {
      described = batch.occurrence { batch.staged.references[reference][$0] }
      // One of several new objects of the key.
      if described >= 0, batch.matches[described].traits.contains(.shared) { return nil }
    }
    if use != .shared {
      if described >= 0, !batch.matches[described].traits.contains(.referenceOnly) {
        return nil
      }
      if let other = takers.updateValue(record, forKey: batch.entity.rootIndex << 32 | Int(row)) {
        // Two items claim a row that only one of them can have.
        if other < record { set.records.setShape(nil, of: other) }
        return nil
      }
    }
    return FingerprintMaker.entry(row, batch.entity, use)
  }
}
