import Foundation
public import SyncCore
public import SyncGraph
import SyncStore

/// A sync that comes in pages.
///
/// ```swift
/// let session = try SyncSession(entity: "User", dataStack: stack)
/// for url in urls { queue.addOperation(session.page(.file(url))) }
/// let report = try await session.finish()
/// ```
///
/// Each page inserts and updates as it comes, in an operation of its own: in any order, on any
/// queues, parsed at the same time. Rows that no page mentioned are deleted once, by ``finish()``,
/// as are those of which the latest item says that they are gone, and a reference to an object of a
/// later page is linked when that arrives. Apart from that pages are applied in order, and know
/// nothing of those to come: where keys are unique in their entity the result is that of one
/// payload of all their items. A child that is nested below another owner moves at once, unless an
/// earlier page nested it below its own; where keys repeat between owners, set `sync.keyScope`. A
/// page that fails leaves no trace, and one that runs twice does no harm.
///
/// Each page has a report, and ``finish()`` gives that of the end alone. ``SyncReport/add(_:)``
/// sums them up, with an object of which several pages speak once for each.
///
/// The pages may be of several lists, ``init(of:dataStack:name:)``: references lead from each list
/// to each, and an object that a page of any list mentions stays.
///
/// As long as a page has failed, its objects are unknown, and the session cannot be finished. Give
/// pages names, and a page of the same name makes up for it.
///
/// A session with a name is kept in the store: after a restart a session of the same entity and
/// name, or of the same lists and name, goes on with the claims of the pages before.
/// ``storedPages()`` says which of those with names that were. As the first page is stored, and
/// with each later one, the store keeps the names of all pages that were made: one that is not
/// stored, however its process ended, has to be made up for. `DataStack.keptSessions()` lists the
/// sessions in the store.
///
/// Filter, operations and parent have to be the same for all pages and for the end, which has its
/// own in ``finishOperation()``: a page or an end with others is refused, with their names.
///
/// ## At a glance
/// - Set-up: ``settings``
/// - Pages: ``page(_:named:at:)``, ``page(_:of:named:at:)``, ``page(_:named:)``,
///   `sync(_:named:at:)`, ``storedPages()``
/// - The end: ``finish()``, ``finish(completion:)``, ``finishOperation()``, ``abandon()``
@dynamicMemberLookup
public final class SyncSession: Sendable {
  // Mutable state: `chosen` and `stage`, each in its own lock; `state` is used inside the store's
  // gate only. SyncSession+Running has the calls of its operations.
  struct Choice {
    var settings = SyncSettings()
    var metadata = StoreMetadata()
    weak var delegate: (any SyncDelegate)?
  }

  struct Stage {
    /// Those that are not stored yet.
    var pages: [WeakPage] = []
    var lastNumber = 0
    /// Pages that failed and that no later one made up for.
    var failed: Set<PageID> = []
    var storedPages: Set<String> = []
    /// The commits of pages that ran here, for the report of the end.
    var done = SyncReport.Commits()
    var isEnded = false
    /// How many items lists have over all pages, by their names, as the end was told.
    var expected: [String: Int] = [:]
    /// Whether the names of missing pages are about to be kept in the store.
    var isNoting = false
  }

  struct WeakPage {
    weak var page: Sync?
  }

  /// Tells pages apart.
  enum PageID: Hashable {
    case name(String)
    case number(Int)

    var name: String? {
      if case .name(let name) = self { name } else { nil }
    }
  }

  /// The stack whose store is synced.
  public let dataStack: DataStack

  /// The entity of the items; of several lists that of the first.
  public let entityName: String

  /// The lists that the pages are of.
  public let lists: [List]

  /// The name under which the store keeps the session; nil is not at all.
  public let name: String?

  let state: SessionState
  /// The items that need not be read.
  let knownPages = KnownPages()
  let chosen = Locked(Choice())
  let stage = Locked(Stage())

  /// Begins a session, or goes on with the one of that name.
  ///
  /// - Parameters:
  ///   - entityName: Entity of the items.
  ///   - name: A name keeps the session in the store until it is finished or abandoned.
  /// - Throws: ``ModelError`` when the model has no such entity, ``SyncError`` when it has no
  ///   primary key, `StoreError` when the stack was closed.
  public convenience init(
    entity entityName: String, dataStack: DataStack, name: String? = nil
  ) throws {
    try self.init(with: Conventional(entityName), dataStack: dataStack, name: name)
  }

  /// Begins a session whose mapping was written by hand, or goes on with the one of that name. The
  /// serializer has to be the same for all pages and the end; with `forceInsert` and without
  /// identifiers the end deletes nothing.
  ///
  /// - Parameters:
  ///   - source: A ``Serializer``, or ``Conventional`` mapping.
  ///   - name: A name keeps the session in the store until it is finished or abandoned.
  /// - Throws: ``MappingError`` when the serializer does not fit the model, `ModelError` when that
  ///   has no such entity, `StoreError` when the stack was closed.
  public convenience init(
    with source: some PlanSource, dataStack: DataStack, name: String? = nil
  ) throws {
    try self.init([.list(with: source)], areNamed: false, dataStack, name)
  }

  init(
    _ lists: [List], areNamed: Bool, _ dataStack: DataStack, _ name: String?
  ) throws {
    _ = try dataStack.store
    let kept = try lists.map { list in
      let plan = try dataStack.mappingPlans.plan(for: list.source, in: dataStack.model)
      let node = plan.rootNode
      if !node.needsNoIdentity {
        if node.hasToNameIdentifiers { throw MappingError.identifiersRequired(node.entity) }
        throw SyncError.noPrimaryKey(node.entity.name)
      }
      return SessionState.List(name: list.name, entity: node.entity)
    }
    guard let first = kept.first, Set(lists.map(\.name)).count == lists.count else {
      throw SyncError(
        .invalidRequest,
        message: lists.isEmpty
          ? "The page session has no list. Give it at least one."
          : "Lists of a page session have the same name. Give each another one, as in .list(of:named:)."
      )
    }
    self.dataStack = dataStack
    self.lists = lists
    entityName = first.entity.name
    self.name = name
    state =
      areNamed
      ? SessionState(kept, of: dataStack.model, name: name)
      : SessionState(entity: first.entity, name: name)
  }

  // MARK: - Set-up

  /// The settings of pages and end; each setting is a property of the session too. Set them before
  /// the first page.
  public var settings: SyncSettings {
    get { chosen.withLock { $0.settings } }
    set { chosen.withLock { $0.settings = newValue } }
  }

  /// Is asked about each new object. Not retained.
  public var delegate: (any SyncDelegate)? {
    get { chosen.withLock { $0.delegate } }
    set { chosen.withLock { $0.delegate = newValue } }
  }

  /// Values that the store keeps beside its objects, committed with the deletions at the end of the
  /// session. A page has values of its own, which are committed with the page (``Sync/metadata``).
  public var metadata: StoreMetadata {
    get { chosen.withLock { $0.metadata } }
    set { chosen.withLock { $0.metadata = newValue } }
  }

  /// One of the settings.
  public subscript<Setting>(dynamicMember setting: WritableKeyPath<SyncSettings, Setting>)
    -> Setting
  {
    get { settings[keyPath: setting] }
    set { settings[keyPath: setting] = newValue }
  }

  // MARK: - Pages

  /// Makes the operation of a page, to be added to a queue.
  ///
  /// - Parameters:
  ///   - payload: The JSON of the page, in any form that is a payload.
  ///   - name: A name of the page; once it is synced, earlier failures of pages of that name count
  ///     no longer.
  ///   - path: Leads to the list inside the document; see ``Sync/path``.
  public func page(
    _ payload: some SyncPayloadConvertible, named name: String? = nil, at path: JSONPath? = nil
  ) -> Sync {
    make([Page(payload.syncPayload, at: path, named: name)])
  }

  /// Syncs a page on the stack's queue and waits for it.
  ///
  /// - Parameters: as ``page(_:named:at:)``.
  @discardableResult
  public func sync(
    _ payload: some SyncPayloadConvertible, named name: String? = nil, at path: JSONPath? = nil
  ) async throws -> SyncReport {
    try await dataStack.sync(page(payload, named: name, at: path))
  }

  // MARK: - The end

  /// Makes the operation that deletes rows that no page mentioned, and those of which the latest
  /// item says that they are gone. It waits for the pages made so far, so make it when those are in
  /// their queues.
  ///
  /// It fails, and deletes nothing, when a page failed that no later one made up for, when a list
  /// that deletes had no page at all, and when the deletion guard objects; then the session can
  /// still be finished later, or abandoned.
  public func finishOperation() -> Sync {
    make([], ends: true)
  }

  /// Deletes rows that no page mentioned, once all pages have run. See ``finishOperation()``.
  ///
  /// - Returns: The report of the end; each page has a report of its own. Printed, it begins with
  ///   the counts of pages and end together, as far as the pages ran in this process.
  @discardableResult
  public func finish() async throws -> SyncReport {
    var report = try await dataStack.sync(finishOperation())
    let done = stage.withLock { $0.done }
    report.commits.pageCount = done.pageCount
    report.commits.pages = done.pages
    return report
  }

  /// Deletes rows that no page mentioned, once all pages have run. See ``finishOperation()``.
  ///
  /// - Parameter completion: Called on the main queue.
  @discardableResult
  public func finish(
    completion: @escaping @Sendable (SyncResult<SyncReport>) -> Void
  ) -> Sync {
    let operation = finishOperation()
    operation.deliver(to: completion)
    dataStack.syncQueue.addOperation(operation)
    return operation
  }

  /// Ends the session without deleting anything. Objects that its pages stored stay, and so do
  /// those that they said are gone; pages that still run are cancelled.
  ///
  /// - Throws: Errors of the store when it cannot be written.
  public func abandon() throws {
    let pages = stage.withLock { stage in
      stage.isEnded = true
      return stage.pages.compactMap(\.page)
    }
    for page in pages { page.cancel() }
    // Behind a page that is inside the store at the moment, so that it cannot keep anything
    // afterwards.
    let store = try dataStack.store
    try SyncGate.inside(store) {
      try store.write { try state.forget(in: $0) }
      state.reset()
      knownPages.reset()
    }
  }
}
