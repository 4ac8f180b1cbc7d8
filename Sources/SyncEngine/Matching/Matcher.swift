import SyncCore
import SyncStore

/// Finds out which stored row each object of the payload is, wave by wave from the top of the
/// payload down, and compares their attributes while the rows go by.
///
/// ```
/// load keys ──▶ wave: decide ──▶ number new objects ──▶ load members ──▶ next wave … ──▶ compare the rest
/// ```
///
/// Identity:
///
/// 1. An object mentioned by its key alone is the first stored one of that key, or a new one.
/// 2. An object in an owner's one-to-many list is the owner's own child of that key; else the
///    entity's only object of that key, unless another owner has listed it before in this payload
///    or session; else a new one.
/// 3. An object without a key in a list that owns its members is one of them by its values, or by
///    its place (``matchValues(_:in:)``).
final class Matcher: PartPhase {
  let work: PartWork
  let part: StagedPart

  /// The matches so far, and in the end the result.
  let matches: Matches
  /// Whether the payload is complete and stands for the whole entity.
  let coversScope: Bool
  /// The costs of a look-up; see ``SyncTuning``.
  let scannedRowsPerKey: Int

  /// Whether the payload has other parts.
  let hasParts: Bool

  /// Rows in scope, when they come before others of their key.
  private(set) var preferred: Set<Int64> = []
  /// The rows of each batch's groups, and the object of each key in them that was decided first.
  private(set) var groups: [StoredGroups] = []
  /// Objects without key by the place they stand in.
  var keyless: [Owner: Int32] = [:]
  @exclusivity(unchecked) var waves: [[Int32]]
  /// Lists of objects without key whose owner may be given again, by place: they wait until
  /// everything else is matched.
  var postponed: [ListPlace: [Int]] = [:]
  private var completed = 0

  init(
    _ part: StagedPart, coversScope: Bool, scannedRowsPerKey: Int, hasParts: Bool, _ work: PartWork
  ) {
    self.work = work
    self.part = part
    self.coversScope = coversScope
    self.scannedRowsPerKey = scannedRowsPerKey
    self.hasParts = hasParts
    matches = Matches(part)
    waves = part.batches.map { _ in [] }
  }

  var batches: [MatchedBatch] { matches.batches }

  /// Reads the rows of the keys that the payload mentions.
  func loadKeys() throws {
    for batch in batches { try loadKeys(of: batch, isRoot: batch.number == part.root) }
    groups = try batches.map { try StoredGroups($0, transaction) }
  }

  /// Whether mentions of a key alone were laid together, and several stored objects have it: each
  /// may mean another one, as when several objects of the key are linked to.
  var hasMixedKeys: Bool {
    batches.contains { batch in
      batch.hasRepeats
        && batch.contested.keys.contains { !batch.matches[$0].isOwned }
    }
  }

  /// Matches every object that is reached through objects the sync may write, once the keys are
  /// loaded.
  ///
  /// - Parameter scope: Reads the rows in scope, nil for all. Asked for only when several stored
  ///   objects have one key.
  func match(scope: () throws -> [Int64]?) throws {
    let root = part.root
    let rootOwner = part.rootOwner
    if !batches[root].contested.isEmpty, rootOwner == nil, let rows = try scope() {
      preferred = Set(rows)
    }
    if let rootOwner {
      batches[rootOwner.batch].matches[rootOwner.owner].flags.insert(.current)
      try openNextWave()
    } else {
      let matches = batches[root].matches
      waves[root].reserveCapacity(matches.count)
      for index in matches.indices where matches[index].traits.contains(.root) {
        if let other = batches[root].staged.ofSubentities[Int32(index)] {
          reach(other.occurrence, in: batches[other.batch], &waves)
        } else {
          waves[root].append(Int32(index))
        }
      }
      if !part.items.targetRows.isEmpty {
        try loadRows(part.items.targetRows.values.sorted(), in: batches[root])
      }
    }
    for mention in part.items.beside {
      let other = batches[mention.batch].staged.ofSubentities[mention.occurrence] ?? mention
      let batch = batches[other.batch]
      guard !batch.matches[other.occurrence].traits.contains(.root) else { continue }
      reach(other.occurrence, in: batch, &waves)
    }
    while waves.contains(where: { !$0.isEmpty }) {
      for batch in batches where !waves[batch.number].isEmpty {
        if !batch.contested.isEmpty { try Namesakes(batch).learnNames(in: transaction) }
        try decide(waves[batch.number], in: batch)
        try numberNewObjects(waves[batch.number], in: batch)
      }
      try openNextWave()
    }
    try makeStubs()
    for batch in batches {
      for occurrence in batch.staged.ofSubentities.objects.keys {
        batch.matches[occurrence].row = matches.object(occurrence, in: batch).match.row
      }
      batch.layFoldedCells()
      batch.layCopies()
      try compareRemaining(batch)
    }
  }

  // MARK: - Waves

  /// Decides the identity of a wave's occurrences. Children that their owner already has come
  /// first, so that no other owner takes them.
  private func decide(_ wave: [Int32], in batch: MatchedBatch) throws {
    try matchValues(wave, in: batch)
    var undecided: [Int32] = []
    var certain = CertainMatches(batch, self)
    for (position, occurrence) in wave.enumerated() {
      if position % SyncControl.stride == 0 {
        try advance(by: min(SyncControl.stride, wave.count), in: batch)
      }
      if certain.decide(occurrence) { continue }
      batch.matches[occurrence].flags.formUnion([.reached, .current])
      if batch.matches[occurrence].traits.contains(.value) {
        if batch.matches[occurrence].stored < 0 { fixIdentity(of: occurrence, in: batch) }
        continue
      }
      if batch.staged.goesByKeyAlone || batch.matches[occurrence].traits.contains(.forced),
        !batch.matches[occurrence].isOwned
      {
        try decideByKey(occurrence, in: batch)
        continue
      }
      if decideAlone(occurrence, in: batch) { continue }
      if !takeOwnChild(occurrence, in: batch), !takeLinked(occurrence, in: batch) {
        undecided.append(occurrence)
      }
    }
    for (position, occurrence) in undecided.enumerated() {
      if position % SyncControl.stride == 0 { try control.checkpoint() }
      decideAmongOthers(occurrence, in: batch)
    }
  }

  private func advance(by count: Int, in batch: MatchedBatch) throws {
    let total = matches.count
    completed = min(completed + count, total)
    try control.advance(.match, to: completed, of: total)
  }

  /// Gives the wave's new objects their row numbers, in payload order.
  private func numberNewObjects(_ wave: [Int32], in batch: MatchedBatch) throws {
    var count = 0
    for occurrence in wave
    where isUnnumbered(batch.representative(occurrence), in: batch) { count += 1 }
    guard count > 0 else { return }
    var row = try reserveRows(count, in: batch)
    for occurrence in wave {
      let occurrence = batch.representative(occurrence)
      guard isUnnumbered(occurrence, in: batch) else { continue }
      batch.matches[occurrence].row = row
      row += 1
    }
  }

  func reserveRows(_ count: Int, in batch: MatchedBatch) throws -> Int64 {
    let row = try transaction.reserveRows(count, in: batch.entity)
    if matches.firstNewRows[batch.entity.rootIndex] == nil {
      matches.firstNewRows[batch.entity.rootIndex] = row
    }
    return row
  }

  private func isUnnumbered(_ occurrence: Int32, in batch: MatchedBatch) -> Bool {
    let match = batch.matches[occurrence]
    return match.flags.contains(.inserted) && !match.flags.contains(.folded)
      && match.row == 0
  }
}

/// Stubs: objects that have nothing but the key by which the payload refers to them, made where the
/// relationship says so and no object has the key. Later items fill them.
extension Matcher {
  func makeStubs() throws {
    guard operations.contains(.insertRelationships) else { return }
    for batch in batches where !batch.staged.references.stubs.isEmpty {
      let family = [batch] + batch.subentityBatches(among: batches)
      let missing = batch.staged.references.stubs.sorted().filter { reference in
        let key = batch.staged.references[reference]
        return batch.references.first[Int(reference)] < 0
          && family.allSatisfy { $0.occurrence { key[$0] } < 0 }
          && edits?.deletedObject(key, identity: batch.node.identity, of: batch.entity) == nil
      }
      guard !missing.isEmpty else { continue }
      var row = try reserveRows(missing.count, in: batch)
      for (step, reference) in missing.enumerated() {
        if step % SyncControl.stride == 0 { try control.checkpoint() }
        batch.appendStub(of: reference, row: row)
        row += 1
      }
    }
  }
}
