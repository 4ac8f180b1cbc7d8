package import SyncCore

/// One atomic write. Reads as a ``StoreReader`` does, sees its own changes, and records exactly its
/// insertions, updates and deletions. Confined to the body of ``Store/write(_:commit:_:)``.
///
/// ```
///  open ──body returns──▶ finishing ──▶ committed        each error leads to ended: nothing of the
///    └───────error─────────────┴──────▶ ended            transaction is left, and it takes no more
/// ```
///
/// ## At a glance
/// - Rows: ``reserveRows(_:in:)``, ``insert(_:of:indexes:rows:)``,
///   ``update(_:index:row:of:slots:)``,
///   ``update(_:from:rows:of:slots:)``, ``delete(_:of:)``
/// - One object: ``lead(_:of:row:to:)``, ``write(_:to:of:)``, ``restore(_:as:)``
/// - Links: ``addLinks(_:of:pairs:positions:)``, ``removeLinks(_:of:pairs:)``,
///   ``setPositions(_:of:positions:)``; ``arrange(_:of:owner:as:)`` and ``settle(_:)`` decide by
///   the stored rows
/// - Speed: ``expectRows(_:)``, ``prepareBulkInsert(_:count:)``, ``prepareBulkLinks(_:of:count:)``
package final class StoreTransaction: StoreReader {
  /// Names this run for ``Store/interrupt(_:)``.
  package let token: TransactionToken
  package let info: TransactionInfo

  /// Whether the transaction was committed or rolled back.
  var isEnded = false

  @exclusivity(unchecked) var recorder: ChangeRecorder
  var sequence: RowSequence
  var lateIndexes: LateIndexes
  let writers: RowWriters
  let configuration: StoreConfiguration

  /// The sets of fingerprints that are about the rows as the transaction leaves them.
  var keptFingerprints: [KeptFingerprintSet] = []

  /// The store's fold of unsent changes; see ``unsentHistory()``.
  let unsent: UnsentHistory

  /// Whether something that was to be sent is so no more, or again, once the transaction is
  /// committed.
  var changesUnsent = false

  /// Asked about all changes, at the end; an error that it throws undoes them.
  package var refusal: ((StoreReader, [ChangeSet.EntityChanges]) throws -> Void)?

  /// The rows as they were before; nil when neither an observer nor the history asks for values.
  var earlierRows: EarlierRows?

  /// The values that the history keeps of deleted objects, besides their keys.
  var tombstones: [ManagedObjectID: [String: Value]] = [:]

  /// The former values of changed objects, where an outbox may have to go back to them; see
  /// ``keepBase(of:in:slots:)``.
  var bases: [ManagedObjectID: [String: Value]] = [:]

  /// The links of objects that were edited here, by the names of their lists.
  var editedLinks: [ManagedObjectID: [String: Set<Int64>]] = [:]

  /// Whether that is kept; nil before it was asked for.
  var keepsBases: Bool?

  /// The edits that an undo has ended, or begun again.
  var undoneEdits: [UndoneEdit] = []

  /// The outboxes that have read the whole history.
  var drained: Set<String> = []

  init(
    layout: TableLayout, writers: RowWriters, connection: Connection, token: TransactionToken,
    info: TransactionInfo, configuration: StoreConfiguration, unsent: UnsentHistory
  ) {
    self.unsent = unsent
    self.configuration = configuration
    self.token = token
    self.info = info
    self.writers = writers
    recorder = ChangeRecorder(layout: layout)
    sequence = RowSequence(connection: connection)
    lateIndexes = LateIndexes(
      layout: layout, connection: connection, hasLog: configuration.journal == .writeAheadLog)
    super.init(layout: layout, connection: connection)
  }

  /// Throws when the transaction is over. After an error that ended it, further statements would
  /// each be committed on their own.
  /// And when it was stopped.
  func requireOpen() throws {
    if isEnded { throw StoreError.transactionEnded }
    try token.checkpoint()
    if connection.isAutocommit { throw StoreError.transactionEnded }
  }

  override func prepareToRead() throws {
    try requireOpen()
  }

  override func prepareToLookUp(_ table: Table) throws {
    try requireOpen()
    try lateIndexes.restore(table)
  }

  override func prepareToLookUp(_ link: LinkTable) throws {
    try requireOpen()
    try lateIndexes.restore(link)
  }

  /// The counters that the store keeps about its commits, once they were asked for: no other writer
  /// comes in between.
  private var counters: Metadata.Counters?

  private func readCounters() throws -> Metadata.Counters {
    if let counters { return counters }
    let read = try Metadata(connection: connection).counters()
    counters = read
    return read
  }

  /// Whether changes made here go into a history.
  package var keepsHistory: Bool {
    get throws { try readCounters().keepsHistory }
  }

  /// Whether the history keeps former values.
  var keepsFormerValues: Bool {
    get throws { try readCounters().keepsFormerValues }
  }

  /// Whether items of payloads are, or were, in quarantine.
  package var hasQuarantine: Bool {
    get throws { try readCounters().hasQuarantine }
  }

  /// Has to be called when the history or the quarantine is switched.
  func forgetCounters() { counters = nil }

  /// Takes out the changes so far, as if they were committed: for a rehearsal of several commits.
  package func takeChanges() throws -> ChangeSet {
    try requireOpen()
    if layout.hasUniquenessConstraints { try UniquenessCheck(transaction: self).run() }
    let entities = try recorder.finish(reading: self)
    recorder = ChangeRecorder(layout: layout)
    return ChangeSet(entities: entities)
  }

  /// Completes the transaction up to its commit: builds late indexes, checks uniqueness, writes
  /// sequences, the generation number and the history.
  ///
  /// - Returns: its changes.
  func finish() throws -> ChangeSet {
    try requireOpen()
    try lateIndexes.restoreAll()
    if layout.hasUniquenessConstraints { try UniquenessCheck(transaction: self).run() }
    try sequence.store()
    let entities = try recorder.finish(reading: self)
    try refusal?(self, entities)
    var generation = try readCounters().generation
    if !entities.isEmpty {
      generation += 1
      try Metadata(connection: connection).set(.generation, generation)
    }
    try FingerprintStore(connection: connection).finish(
      entities, generation: generation, oldest: try readCounters().fingerprints,
      kept: keptFingerprints)
    var changes = ChangeSet(
      entities: entities, author: info.author, contextName: info.contextName,
      generation: generation, date: configuration.now(), origin: info.origin)
    changes.source = info.source
    if let earlierRows, configuration.values.isThere {
      changes.values = try earlierRows.values(entities, self)
    }
    if !entities.isEmpty, try keepsHistory {
      let txn = try ChangeJournal(connection: connection).record(
        changes, source: info.source, process: configuration.processName, tombstones: tombstones,
        bases: bases, links: editedLinks)
      if let earlierRows, try keepsFormerValues {
        try earlierRows.keep(of: self, txn, at: changes.date)
      }
      if info.source == .undo { try passOverInOutboxes(txn) }
    }
    if !entities.isEmpty { try earlierRows?.clear() }
    return changes
  }
}

/// The rows that a deletion took with it.
package struct DeletionSummary: Sendable {
  /// Row numbers by concrete entity, in model order, ascending.
  package var deleted: [(entity: EntityDescription, rows: [Int64])] = []

  /// How many objects went, cascades included.
  package var count: Int { deleted.reduce(0) { $0 + $1.rows.count } }
}
