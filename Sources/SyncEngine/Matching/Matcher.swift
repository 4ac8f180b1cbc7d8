import SyncCore
import SyncStore

/// Finds out which stored row each object of the payload is, wave by wave from the top of the payload
/// down, and compares their attributes while the rows go by.
///
/// ```
/// load keys ──▶ wave: decide ──▶ number new objects ──▶ load members ──▶ next wave … ──▶ compare the rest
/// ```
///
/// Identity:
///
/// 1. An object mentioned by its key alone is the first stored one of that key, or a new one.
/// 2. An object in an owner's one-to-many list is the owner's own child of that key; else the entity's only object of
///    that key, unless another owner has listed it before in this payload or session; else a new one.
/// 3. An object without a key in a list that owns its members is one of them by its values, or by its place
///    (``matchValues(_:in:)``).
final class Matcher {
  let batches: [Batch]
  let transaction: StoreTransaction
  let operations: SyncOperations
  /// Whether the payload is complete and stands for the whole entity.
  let coversScope: Bool
  let control: SyncControl
  let claims: Claims
  /// What the sync has to leave alone; nil when that is nothing.
  let edits: UnsentEdits?
  let unreadableLists: Set<ListKey>
  /// Memory for values that occurrences take over.
  let arena: CellArena
  let report: ReportBuilder
  /// Does a part of the reading; nil where it takes one thread.
  let helper: SecondReader?

  /// The column of ``StoredRows/references`` that leads to the owner, by the owner's batch and rule;
  /// -1 where none does.
  let memberColumns: [[Int]]

  /// First row number given out by this sync, by root entity: rows from there on are new.
  private(set) var firstNewRows: [Int: Int64] = [:]
  /// Rows in scope, when they come before others of their key.
  private(set) var preferred: Set<Int64> = []
  /// Members of many-to-many lists, by owner, where keys do not tell objects apart.
  var sharedMembers: [KeyObjects.List: [Int64: Set<Int64>]] = [:]
  /// The rows of each batch's groups, and the object of each key in them that was decided first.
  private(set) var groups: [StoredGroups] = []
  var objectsOfGroups: [GroupKey: Int32] = [:]
  /// Objects without key by the place they stand in.
  var keyless: [ListKey: Int32] = [:]
  var waves: [[Int32]]
  /// Whether the payload has other parts.
  let hasParts: Bool
  /// What a look-up costs; see ``SyncRequest/scannedRowsPerKey``.
  let scannedRowsPerKey: Int
  private let targets: [Int64]
  /// Occurrences that nothing has to lead to.
  private let beside: [SubentityMention]
  private(set) var rootOwner: Owner?
  private var completed = 0
  private let total: Int

  init(
    part: StagedPart, report: ReportBuilder, transaction: StoreTransaction,
    operations: SyncOperations,
    coversScope: Bool, hasParts: Bool, scannedRowsPerKey: Int, claims: Claims,
    edits: UnsentEdits?, control: SyncControl, helper: SecondReader? = nil
  ) {
    self.edits = edits
    self.helper = helper
    self.claims = claims
    self.hasParts = hasParts
    self.scannedRowsPerKey = scannedRowsPerKey
    batches = part.batches
    self.transaction = transaction
    self.operations = operations
    self.coversScope = coversScope
    self.control = control
    unreadableLists = part.unreadableLists
    arena = part.arena
    self.report = report
    targets = part.targetRows
    beside = part.beside
    waves = batches.map { _ in [] }
    memberColumns = part.batches.map { owners in
      owners.node.relationships.map { rule in
        rule.relationship.inverseSlot
          .flatMap { part.batches[rule.node].node.columns.toOne.firstIndex(of: $0) } ?? -1
      }
    }
    total = batches.reduce(0) { $0 + $1.occurrences.count }
  }

  /// Reads the rows of the keys that the payload mentions.
  func loadKeys(root: Int) throws {
    var tables: [WholeTable] = []
    for batch in batches {
      if let count = try loadKeys(of: batch, isRoot: batch.number == root) {
        tables.append(WholeTable(batch: batch, count: count))
      }
    }
    try read(tables)
    groups = try batches.map { try StoredGroups($0, transaction) }
  }

  /// Whether mentions of a key alone were laid together, and several stored objects have it: each may mean
  /// another one, as when several objects of the key are linked to.
  var hasMixedKeys: Bool {
    batches.contains { batch in
      batch.hasRepeats
        && batch.contested.keys.contains { !batch.occurrences[$0].isOwned }
    }
  }

  /// Matches every object that is reached through objects the sync may write, once the keys are loaded.
  ///
  /// - Parameter scope: Reads the rows in scope, nil for all. Asked for only when several stored
  ///   objects have one key.
  func match(rootOwner: Owner?, root: Int, scope: () throws -> [Int64]?) throws {
    self.rootOwner = rootOwner
    if !batches[root].contested.isEmpty, rootOwner == nil, let rows = try scope() {
      preferred = Set(rows)
    }
    if let rootOwner {
      batches[rootOwner.batch].occurrences[rootOwner.owner].flags.insert(.current)
      try openNextWave()
    } else {
      let occurrences = batches[root].occurrences
      waves[root].reserveCapacity(occurrences.count)
      for index in occurrences.indices where occurrences[index].flags.contains(.root) {
        if let other = batches[root].ofSubentities[Int32(index)] {
          reach(other.occurrence, in: batches[other.batch], &waves)
        } else {
          waves[root].append(Int32(index))
        }
      }
      if !targets.isEmpty { try loadRows(targets, in: batches[root]) }
    }
    for mention in beside {
      let other = batches[mention.batch].ofSubentities[mention.occurrence] ?? mention
      let batch = batches[other.batch]
      guard !batch.occurrences[other.occurrence].flags.contains(.root) else { continue }
      reach(other.occurrence, in: batch, &waves)
    }
    while waves.contains(where: { !$0.isEmpty }) {
      for batch in batches where !waves[batch.number].isEmpty {
        try Namesakes(batch).learnNames(in: transaction)
        try decide(waves[batch.number], in: batch)
        try numberNewObjects(waves[batch.number], in: batch)
      }
      try openNextWave()
    }
    try makeStubs()
    for batch in batches {
      for (occurrence, other) in batch.ofSubentities {
        let others = batches[other.batch]
        batch.occurrences[occurrence].row =
          others.occurrences[others.representative(other.occurrence)].row
      }
      batch.layFoldedCells()
      batch.layCopies()
      try compareRemaining(batch)
    }
  }

  // MARK: - Waves

  /// Decides the identity of a wave's occurrences. Children that their owner already has come first,
  /// so that nobody else takes them.
  private func decide(_ wave: [Int32], in batch: Batch) throws {
    try matchValues(wave, in: batch)
    var undecided: [Int32] = []
    var certain = CertainMatches(batch, self)
    for (position, occurrence) in wave.enumerated() {
      if position % SyncControl.stride == 0 {
        try advance(by: min(SyncControl.stride, wave.count), in: batch)
      }
      if certain.decide(occurrence) { continue }
      batch.occurrences[occurrence].flags.formUnion([.reached, .current])
      if batch.occurrences[occurrence].flags.contains(.value) {
        if batch.occurrences[occurrence].stored < 0 { settle(occurrence, in: batch) }
        continue
      }
      if batch.goesByKeyAlone || batch.occurrences[occurrence].flags.contains(.forced),
        !batch.occurrences[occurrence].isOwned
      {
        try decideByKey(occurrence, in: batch)
        continue
      }
      if decideAlone(occurrence, in: batch) { continue }
      if !takeOwnChild(occurrence, in: batch), !takeLinked(occurrence, in: batch),
        !takeMember(occurrence, in: batch)
      {
        undecided.append(occurrence)
      }
    }
    for (position, occurrence) in undecided.enumerated() {
      if position % SyncControl.stride == 0 { try control.checkpoint() }
      decideAmongOthers(occurrence, in: batch)
    }
  }

  private func advance(by count: Int, in batch: Batch) throws {
    completed = min(completed + count, total)
    try control.advance(.match, to: completed, of: total)
  }

  /// Gives the wave's new objects their row numbers, in payload order.
  private func numberNewObjects(_ wave: [Int32], in batch: Batch) throws {
    var count = 0
    for occurrence in wave
    where isUnnumbered(batch.representative(occurrence), in: batch) { count += 1 }
    guard count > 0 else { return }
    var row = try reserveRows(count, in: batch)
    for occurrence in wave {
      let occurrence = batch.representative(occurrence)
      guard isUnnumbered(occurrence, in: batch) else { continue }
      batch.occurrences[occurrence].row = row
      row += 1
    }
  }

  func reserveRows(_ count: Int, in batch: Batch) throws -> Int64 {
    let row = try transaction.reserveRows(count, in: batch.entity)
    if firstNewRows[batch.entity.rootIndex] == nil { firstNewRows[batch.entity.rootIndex] = row }
    return row
  }

  private func isUnnumbered(_ occurrence: Int32, in batch: Batch) -> Bool {
    let occurrence = batch.occurrences[occurrence]
    return occurrence.flags.contains(.inserted) && !occurrence.flags.contains(.folded)
      && occurrence.row == 0
  }
}
