import Dispatch
package import Foundation
package import SyncCore

/// One SQLite file, or a database in memory, and its only writer in this program.
///
/// Mutable states and their guards:
/// - `writer`, `writers`, `isClosed`, `transaction`, `unsent`, `earlierRows`, `keepsFormerValues`,
///   `others`: the writer queue. Nothing else touches that connection, but for `sqlite3_interrupt`,
///   which is meant to be called from elsewhere.
/// - idle readers: the mutex of ``ReaderPool``; a reader that was taken belongs to its taker.
/// - `suspension`: its mutex; no connection of the store is open while it is asleep, but for those
///   of readers that must not wait.
/// - `running`: its mutex; says which transaction an interrupt would hit.
package final class Store: @unchecked Sendable {
  package typealias Configuration = StoreConfiguration

  package let model: ManagedObjectModel
  package let layout: TableLayout
  package let configuration: Configuration
  package let hub = ChangeHub()

  /// Which entities the outboxes of this program send, as indexes, by the names of the outboxes.
  package let outboxEntities = Locked<[String: Set<Int>]>([:])

  /// Where syncs wait for each other.
  package let gate = WriteGate()

  /// Where syncs on operation queues wait before they get a thread.
  package let waitingRoom = WaitingRoom()

  /// Counts statements and keeps their texts, for tests.
  package let recorder: StatementRecorder

  /// Where writes wait for each other, and for the log to be folded back, before they enter the
  /// writer queue: unlike the queue, it can be left.
  package let turn = WriteGate()

  let writerQueue: DispatchQueue
  private let queueKey = DispatchSpecificKey<Bool>()
  private(set) var writer: Connection?
  private var writers: RowWriters?
  private var isClosed = false
  private var transaction: StoreTransaction?
  private let unsent = UnsentHistory()
  private var earlierRows: EarlierRows?

  /// Whether the history keeps former values, as far as the last transaction has seen.
  private var keepsFormerValues: Bool
  private var others: OtherCommits?

  /// Held during a look for commits of others, so that no call goes on before they were told.
  private let look = Locked(())
  let readers: ReaderPool?

  /// Whether the file is left alone for a while.
  let suspension = Locked(Suspension())

  /// Whether reading does not wait for a write that runs.
  package var readsBesideWrites: Bool {
    readers != nil && configuration.journal == .writeAheadLog
  }

  private let running = Locked<(token: TransactionToken, interrupter: ConnectionInterrupter)?>(nil)

  /// Opens the store, and makes it when there is none.
  ///
  /// - Throws: ``StoreError`` that tells the obstacle.
  package init(model: ManagedObjectModel, configuration: Configuration) throws {
    recorder = StatementRecorder()
    let opened = try StoreOpener(
      model: model, configuration: configuration, recorder: recorder
    ).open()
    self.model = model
    self.configuration = configuration
    layout = opened.layout
    writer = opened.connection
    keepsFormerValues =
      try !configuration.isReadOnly && ValueJournal(connection: opened.connection).exists()
    writers = RowWriters(layout: opened.layout, connection: opened.connection)
    others = try OtherCommits(of: StoreReader(layout: opened.layout, connection: opened.connection))
    readers = opened.path.isEmpty ? nil : ReaderPool(path: opened.path, configuration, recorder)
    writerQueue = DispatchQueue(label: "SyncStack.Store.writer")
    writerQueue.setSpecific(key: queueKey, value: true)
    writerQueue.setSpecific(key: Store.writerKey, value: ObjectIdentifier(self))
  }

  /// Says on a writer queue whose it is.
  private static let writerKey = DispatchSpecificKey<ObjectIdentifier>()

  /// The store inside whose ``write(_:commit:_:)`` the caller runs; nil when there is none.
  package static var writing: ObjectIdentifier? { DispatchQueue.getSpecific(key: writerKey) }

  /// Whether the caller runs on the writer queue: inside a ``write(_:commit:_:)``.
  package var isOnWriterQueue: Bool { DispatchQueue.getSpecific(key: queueKey) == true }

  // MARK: - Reading

  /// Reads one consistent state of the store. Inside a write of the same store, the rows written so
  /// far.
  package func read<T>(_ body: (StoreReader) throws -> T) throws -> T {
    if isOnWriterQueue { return try readFromWriter(body) }
    guard let readers else { return try writerQueue.sync { try readFromWriter(body) } }
    return try readers.read(layout: layout, body)
  }

  private func readFromWriter<T>(_ body: (StoreReader) throws -> T) throws -> T {
    let writer = try openWriter()
    return try body(transaction ?? StoreReader(layout: layout, connection: writer))
  }

  // MARK: - Writing

  /// Runs the body in one transaction. Commits when it returns, rolls back when it throws, and then
  /// publishes the changes, if there are any.
  ///
  /// - Parameters:
  ///   - commit: false rolls back in any case: the same work and the same change set, for nothing.
  ///   - token: The token by which ``interrupt(_:)`` stops this transaction.
  /// - Precondition: not called from inside the body of another write of the store.
  @discardableResult
  package func write<T>(
    _ info: TransactionInfo = TransactionInfo(), commit: Bool = true,
    token: TransactionToken = TransactionToken(),
    _ body: (StoreTransaction) throws -> T
  ) throws -> (T, ChangeSet) {
    require(
      !isOnWriterQueue,
      "A write was started inside a write of the same store. Use the transaction that is there.")
    let ticket = turn.ticket(priority: 0)
    token.onStop { [turn] in turn.withdraw(ticket) }
    let mayWait = configuration.mayWait()
    if !mayWait, !admit(ticket) { turn.withdraw(ticket) }
    defer { if !mayWait { forget(ticket) } }
    guard turn.wait(ticket) else {
      throw token.isStopped ? StoreError.interrupted : StoreError.suspended
    }
    token.onStop(nil)
    var isFolding = false
    defer { if !isFolding { turn.leave(ticket) } }
    return try writerQueue.sync {
      defer { isFolding = foldLog(before: ticket) }
      return try runTransaction(info, commit: commit, token, body)
    }
  }

  private func runTransaction<T>(
    _ info: TransactionInfo, commit: Bool, _ token: TransactionToken,
    _ body: (StoreTransaction) throws -> T
  ) throws -> (T, ChangeSet) {
    let writer = try openWriter()
    guard let writers else { throw StoreError.closed }
    if configuration.isReadOnly { throw StoreError.readOnly }
    try token.checkpoint()
    writer.token = token
    defer { writer.token = nil }
    try followDemand(for: configuration.values, writer)
    try writer.beginImmediate()
    let transaction = StoreTransaction(
      layout: layout, writers: writers, connection: writer, token: token, info: info,
      configuration: configuration, unsent: unsent)
    transaction.earlierRows = earlierRows
    self.transaction = transaction
    let interrupter = ConnectionInterrupter(writer)
    running.withLock { $0 = (token, interrupter) }
    defer {
      self.transaction = nil
      writer.expectNoRows()
    }
    do {
      try tellOfOthers(reading: transaction)
      let result = try body(transaction)
      let changes = try transaction.finish()
      keepsFormerValues = try transaction.keepsFormerValues
      try passPointOfNoReturn(token)
      writer.token = nil
      if commit { try writer.commit() } else { try writer.rollback() }
      if !commit, transaction.changesUnsent { unsent.clear() }
      transaction.isEnded = true
      if commit { others?.note(changes, on: writer) }
      // Observers may read; the transaction is none to read from any more.
      self.transaction = nil
      if commit, !changes.isEmpty { hub.publish(changes) }
      return (result, changes)
    } catch {
      running.withLock { $0 = nil }
      writer.token = nil
      transaction.isEnded = true
      if transaction.changesUnsent { unsent.clear() }
      // The first error matters; a connection that cannot even roll back says so when the next
      // transaction begins.
      try? writer.rollback()
      throw error
    }
  }

  /// Begins or ends to keep the rows that transactions change.
  private func followDemand(for values: ValueDemand, _ writer: Connection) throws {
    let isWanted = values.isThere || keepsFormerValues
    guard isWanted != (earlierRows != nil) else { return }
    let rows = earlierRows ?? EarlierRows(layout: layout, connection: writer)
    if earlierRows == nil { try rows.begin() } else { try rows.end() }
    earlierRows = earlierRows == nil ? rows : nil
  }

  /// From here on stopping would come too late to be honest about it.
  private func passPointOfNoReturn(_ token: TransactionToken) throws {
    let isStopped = running.withLock { running in
      running = nil
      return token.isStopped
    }
    if isStopped { throw StoreError.interrupted }
  }

  /// Folds a long log back into the database, after the writer has gone on: only the next write
  /// waits for it, which can be stopped meanwhile.
  ///
  /// - Returns: Whether it does; the turn is given up then when it has.
  private func foldLog(before ticket: WriteGate.Ticket) -> Bool {
    guard let writer, writer.walPages > writer.logLimit else { return false }
    writerQueue.async { [weak self, turn] in
      self?.writer?.foldLogAlone()
      turn.leave(ticket)
    }
    return true
  }

  /// Runs a body that writes many transactions one after the other, with more of SQLite's cache and
  /// less folding back of the log between them.
  package func writeInBatches(_ body: () throws -> Void) rethrows {
    writerQueue.async { [weak self] in self?.writer?.expectBatches() }
    defer { writerQueue.async { [weak self] in self?.writer?.expectBatches(false) } }
    try body()
  }

  /// Stops a transaction wherever it is: it throws ``StoreError/Code/interrupted`` and nothing of
  /// it stays. Does nothing when it has ended or is committing, and never hits another one.
  package func interrupt(_ token: TransactionToken) {
    token.stop()
    running.withLock { running in
      if let running, running.token === token { running.interrupter.interrupt() }
    }
  }

  // MARK: - Other processes

  /// Whether other processes can commit to the store: it is in a file.
  package var isShareable: Bool { readers != nil }

  /// Tells the hub the commits of others to the file since the last write or look: other processes,
  /// and other stores of this one. Does nothing while a transaction writes here, because no other
  /// writer can then, and earlier commits are told when a transaction begins.
  ///
  /// - Complexity: as long as no other connection has committed, one look at the head of the file
  ///   or its log, some microseconds.
  /// - Throws: ``StoreError``, when the file cannot be read or has another model now.
  package func tellOfOthers() throws {
    guard isShareable, !isOnWriterQueue else { return }
    try look.withLock { _ in
      guard let ticket = turn.enterAlone() else { return }
      defer { turn.leave(ticket) }
      try writerQueue.sync {
        let writer = try openWriter()
        guard try others?.areThere(on: writer) == true else { return }
        try writer.beginDeferred()
        defer { writer.endRead() }
        try tellOfOthers(reading: StoreReader(layout: layout, connection: writer))
      }
    }
  }

  private func tellOfOthers(reading reader: StoreReader) throws {
    let found = try others?.look(with: reader, now: configuration.now) ?? []
    for changes in found { hub.publish(changes) }
  }

  // MARK: - Suspending

  /// Closes the file until the next write or look.
  func closeWriter() {
    earlierRows = nil
    writers = nil
    unsent.clear()
    others?.stop()
    writer?.close()
    writer = nil
  }

  /// The writer's connection, opened once more where it was closed for a while.
  private func openWriter() throws -> Connection {
    if let writer { return writer }
    if isClosed { throw StoreError.closed }
    let connection = try StoreOpener(
      model: model, configuration: configuration, recorder: recorder
    ).openAgain()
    try others?.goOn(on: connection)
    writers = RowWriters(layout: layout, connection: connection)
    writer = connection
    return connection
  }

  // MARK: - Closing

  /// Closes the store when the write that runs has ended. Everything afterwards throws
  /// ``StoreError/Code/closed``.
  ///
  /// - Precondition: not called from inside the body of a write.
  package func close() throws {
    require(!isOnWriterQueue, "A store cannot be closed from inside a write.")
    // Readers first: the last connection to close folds the log back, and that is the writer's job.
    readers?.close()
    defer { resume() }
    writerQueue.sync {
      isClosed = true
      writers = nil
      others = nil
      writer?.close()
      writer = nil
    }
  }

  /// Removes the files of a store that is not open.
  package static func destroy(at url: URL) throws {
    try StoreFiles(.file(url)).remove()
  }

  /// Closes the store and removes its files.
  package func destroy() throws {
    try close()
    try StoreFiles(configuration.location).remove()
  }
}
