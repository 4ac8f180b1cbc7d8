import Dispatch
public import Foundation
public import SyncCore
public import SyncEngine
public import SyncGraph
public import SyncStore

/// Keeps the objects of a stack and the records of a server in step.
///
/// ```swift
/// let cloud = try CloudEngine(stack, transport: server)
/// cloud.start()                                // from now on by itself
/// try await cloud.sync()                       // or now: pull, then push
///
/// let pull = PullOperation(cloud)
/// let push = PushOperation(cloud)
/// push.addDependency(pull)
/// for operation in [pull, push] { cloud.queue.addOperation(operation) }
/// ```
///
/// Edits that were saved since the last push are sent, field by field; records that others sent are
/// fetched by token and written in row space, a page in one transaction with its place. Of two
/// values of one field the later one stays everywhere. Nothing is forgotten when an answer is lost
/// or the program ends: see ``CloudError`` for the meaning of an error.
///
/// One engine at a time may work on a store, or one for each scope. Its calls may come from any
/// thread; pulls and pushes follow each other.
public final class CloudEngine: Sendable {
  /// The author of an engine's commits, in the history and in change sets.
  public static let author = "SyncStack.cloud"

  /// The serial queue for the engine's operations; others work as well.
  public let queue: OperationQueue

  let stack: DataStack
  let transport: any CloudTransport
  let zone: CloudZone
  let authors: HistoryAuthors

  /// The engine's name as a reader of the history.
  private let consumer: String
  let retry: RetryPolicy
  let fields: TravellingFields
  let monitor: CloudMonitor
  let announcer: CloudAnnouncer

  /// The files of objects.
  let files: CloudFiles

  /// Drawn for each engine, so that no two stamps are equal.
  let writer = StampClock.drawWriter()

  /// Where the store is used, because its calls wait.
  private let work = DispatchQueue(label: "SyncStack.cloud.store")

  /// One pull or push at a time.
  let turn = CloudTurn()

  private let limits = Locked(DeletionGuard.on)

  let listener = Locked(CloudListener())
  let news = Broadcast<CloudEvent>()

  /// The driver that has it sync by itself, from ``start(pace:clock:)`` on.
  let driver = Locked<TimetableDriver?>(nil)

  /// The limits and rights of zones, until an answer or a signal says that they may have changed.
  let connections = Locked<[CloudZone: CloudConnection]>([:])

  /// Records that the last push could not send alone, by zone and name, with the error; forgotten
  /// once the server has answered for them.
  let suspects = Locked<[CloudZone: [String: CloudError]]>([:])

  /// Zones that can only be read, so that a save is refused that would write into them.
  let readOnly: ReadOnlyZones

  /// Whether objects may be in other zones than their parents; not known before the first push.
  let mayStray = Locked(true)

  /// Zones whose live signals are followed.
  let followed = Locked<Set<CloudZone>>([])

  /// Makes an engine. Nothing is sent before it is told to work.
  ///
  /// - Parameters:
  ///   - stack: A stack that tracks changes.
  ///   - transport: The server.
  ///   - authors: Whose commits are sent; the engine's own never are. All others are by default,
  ///     those of JSON syncs included.
  ///   - scope: The entities of which scope are synced, by the user info `cloud.scope`. Each scope
  ///     has an engine of its own; relationships between scopes do not travel.
  ///   - policies: By entity and property, as `Note.stars`: which of two values stays. They win
  ///     over those in the user info of the model.
  ///   - retry: How often and when to come again after a failure that may pass. When the server
  ///     asks to be left alone for longer than its longest delay, operations fail with
  ///     ``CloudError/Code/busy`` until then.
  ///   - cipher: For attributes that the model marks with `cloud.encrypted`.
  /// - Throws: ``CloudError`` with ``CloudError/Code/unsupported`` when the stack does not track
  ///   changes, or the user info of the model has an unknown setting; `StoreError`.
  public init(
    _ stack: DataStack, transport: any CloudTransport, scope: CloudZone.Scope = .private,
    authors: HistoryAuthors = .all, policies: [String: CloudPolicy] = [:],
    retry: RetryPolicy = RetryPolicy(), cipher: (any CloudCipher)? = nil
  ) throws {
    guard try stack.tracksChanges else {
      throw CloudError(
        .unsupported,
        message: "The stack does not track changes, so its edits are not known. Open it with "
          + "tracksChanges: true.")
    }
    self.stack = stack
    self.transport = transport
    self.authors = authors.leavingOut(CloudEngine.author)
    self.retry = retry
    zone = CloudZone(scope)
    consumer = scope == .private ? CloudEngine.author : "\(CloudEngine.author).\(scope)"
    fields = try TravellingFields(stack.model, scope: scope, policies: policies, cipher: cipher)
    readOnly = ReadOnlyZones(stack, fields)
    announcer = CloudAnnouncer(stack: stack, zone: zone)
    monitor = CloudMonitor(announcer)
    files = CloudFiles(stack)
    queue = OperationQueue()
    queue.name = "SyncStack.cloud"
    queue.maxConcurrentOperationCount = 1
    try prepare()
  }

  deinit {
    driver.withLock { $0 }?.stop()
  }

  /// How many objects a pull may delete; by default not more than 500 objects that are more than
  /// half of those that are synced. The page with which a pull comes over that is refused, with all
  /// that follows it, and so is the next pull, which goes on there.
  public var deletionGuard: DeletionGuard {
    get { limits.withLock { $0 } }
    set { limits.withLock { $0 = newValue } }
  }

  /// Whether the model has entities in the scope at all.
  package var hasEntities: Bool { stack.model.entities.contains(where: fields.travels) }

  /// Registers as a reader of the history, so that no edit is purged before it was sent.
  private func prepare() throws {
    _ = try stack.store.write(Self.info) { transaction in
      let consumers = try transaction.historyConsumers()
      if !consumers.contains(where: { $0.name == consumer }) {
        let token = HistoryToken(number: try transaction.historyBeginning())
        try transaction.setHistoryConsumer(
          HistoryConsumer(name: consumer, token: token, isDurable: true))
      }
      let writing = try CloudWriting(transaction, home: zone.key, fields: fields, writer: writer)
      if writing.home.model == nil { writing.home.model = stack.model.versionHash }
      if fields.hasAssets { try transaction.makeRemoteBodies() }
      try writing.finish()
      for zone in try writing.sharedZones.get()
      where try transaction.remoteZone(zone.key)?.isReadOnly == true {
        readOnly.set(true, zone)
      }
    }
    try followModel()
  }

  private static let info = TransactionInfo(author: author, contextName: author, source: .import)

  // MARK: - The store

  /// Runs a body in one transaction: drains the history first, and acknowledges it when nothing
  /// waits afterwards.
  ///
  /// - Parameter zone: Which zone it is about; the engine's own by default.
  func write<T: Sendable>(
    in zone: CloudZone? = nil, _ body: @escaping @Sendable (CloudWriting) throws -> T
  ) async throws -> T {
    try await withStore { [self] store in try write(to: store, in: zone, body) }
  }

  /// The same on the calling thread.
  func write<T>(
    to store: Store, in zone: CloudZone? = nil, _ body: (CloudWriting) throws -> T
  ) throws -> T {
    let ((result, bringsAssets), changes) = try store.write(Self.info) { transaction in
      let writing = try CloudWriting(
        transaction, home: self.zone.key, fields: fields, writer: writer)
      var drain = Drain(writing, authors: authors)
      try drain.run()
      let result = try writing.enter((zone ?? self.zone).key) { try body(writing) }
      try writing.finish()
      try acknowledge(writing)
      if writing.hasStrays { mayStray.withLock { $0 = true } }
      return (result, writing.bringsAssets)
    }
    if bringsAssets { files.state.withLock { $0.mayMiss = true } }
    if !changes.isEmpty {
      let isHeard = news.isHeard
      listener.withLock { listener in
        if isHeard || listener.delegate != nil { listener.changes.append(changes) }
      }
    }
    return result
  }

  /// Sent edits need not be kept from syncs and from being purged any more.
  private func acknowledge(_ writing: CloudWriting) throws {
    let transaction = writing.transaction
    for name in try writing.zoneNames() {
      if try transaction.hasWaitingRemoteRecords(in: name) { return }
    }
    let known = try transaction.historyConsumers().first { $0.name == consumer }
    let token = HistoryToken(number: writing.home.history)
    guard known?.token != token else { return }
    try transaction.setHistoryConsumer(
      HistoryConsumer(name: consumer, token: token, isDurable: true))
  }

  /// Reads the store, without draining.
  func read<T: Sendable>(_ body: @escaping @Sendable (StoreReader) throws -> T) async throws -> T {
    try await withStore { try $0.read(body) }
  }

  /// Runs a body where the store is used.
  func withStore<T: Sendable>(
    _ body: @escaping @Sendable (Store) throws -> T
  ) async throws -> T {
    try Task.checkCancellation()
    let store = try stack.store
    return try await work.result { try body(store) }
  }
}

extension HistoryAuthors {
  /// The same but for one author.
  fileprivate func leavingOut(_ name: String) -> HistoryAuthors {
    switch self {
    case .all: .except([name])
    case .only(let names): .only(names.subtracting([name]))
    case .except(let names): .except(names.union([name]))
    }
  }
}
