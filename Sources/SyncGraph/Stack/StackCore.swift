import Foundation
import SyncCore
import SyncStore
import Synchronization

/// The state that a stack shares with its contexts, and that lives as long as one of them: the
/// store, the classes, and the ways that commits take to contexts and observers.
///
/// Contexts hold the core, not the stack, so a stack is freed when the program lets it go.
///
/// Mutable state is in `state`, under its mutex.
final class StackCore: Sendable {
  private struct State {
    var store: Store?
    var subscription: ChangeSubscription?
    var poll: CommitPoll?
    var contexts: [WeakContext] = []
    weak var stack: DataStack?

    /// Whether the program closed the stack, for good.
    var isClosed = false
  }

  private struct WeakContext {
    weak var context: ManagedObjectContext?
  }

  let model: ManagedObjectModel
  let classes: ObjectClasses
  let configuration: Store.Configuration
  let transformers: TransformerRegistry
  let delivery = DeliveryQueue(label: "SyncStack.delivery")

  /// Where contexts are told that they have letters.
  let kicks = DeliveryQueue(label: "SyncStack.kicks")
  let streams = Broadcast<ChangeSet>()
  let attachments = StackAttachments()
  /// Those that cores of the same model and classes share.
  let sharedAttachments: StackAttachments
  private let state = Locked(State())
  private let lastOrigin = Atomic<UInt64>(0)
  private let lastTemporaryRow = Atomic<Int64>(0)

  /// Opens the store.
  ///
  /// - Throws: `StoreError`, ``GraphError`` when a class does not fit.
  init(
    _ model: ManagedObjectModel, _ configuration: Store.Configuration,
    classes: [ManagedObject.Type], transformers: TransformerRegistry = .shared
  ) throws {
    self.model = model
    sharedAttachments = StackAttachments()
    self.transformers = transformers
    self.configuration = StackCore.sparingMain(configuration)
    self.classes = try ObjectClasses(model, classes: classes)
    try open()
  }

  /// Shares model and classes with another core, over a store of its own.
  init(sharing other: StackCore, _ configuration: Store.Configuration) throws {
    model = other.model
    sharedAttachments = other.sharedAttachments
    classes = other.classes
    transformers = other.transformers
    self.configuration = configuration
    try open()
  }

  /// The main thread is the one that has a suspended store go on.
  private static func sparingMain(_ configuration: Store.Configuration) -> Store.Configuration {
    var result = configuration
    result.mayWait = { !ContextQueue.main.isServedItself && !ContextQueue.main.waitsForCaller }
    return result
  }

  private func open() throws {
    let store = try Store(model: model, configuration: configuration)
    let subscription = store.hub.subscribe { [weak self] changes in self?.distribute(changes) }
    let poll = store.isShareable ? CommitPoll { [weak self] in self?.tellOfOthers() } : nil
    state.withLock { state in
      state.store = store
      state.subscription = subscription
      state.poll = poll
    }
  }

  /// The store.
  ///
  /// - Throws: `StoreError` with `StoreError.Code.closed` when the stack was closed.
  func store() throws -> Store {
    guard let store = state.withLock({ $0.store }) else { throw StoreError.closed }
    return store
  }

  /// The store, for a caller that is about to write a transaction, and waits for all others to end.
  ///
  /// - Throws: `StoreError` when the stack was closed; ``GraphError`` with
  ///   ``GraphError/Code/invalidRequest`` inside a transaction of the store, which would wait for
  ///   the caller.
  func storeForWriting(_ what: String) throws -> Store {
    let store = try store()
    try refuseInside(store, what)
    return store
  }

  private func refuseInside(_ store: Store, _ what: String) throws {
    guard store.waitsForCaller else { return }
    throw GraphError(
      .invalidRequest,
      message: """
        \(what) inside a sync of the same store, which it would wait for without end: in a delegate or a \
        serializer. Return what the sync is to store, or do it when the sync has finished.
        """)
  }

  var stack: DataStack? {
    get { state.withLock { $0.stack } }
    set { state.withLock { $0.stack = newValue } }
  }

  func nextOrigin() -> UInt64 { lastOrigin.add(1, ordering: .relaxed).newValue }

  /// Numbers of new objects count down, so that no two of a stack are the same.
  func nextTemporaryRow() -> Int64 { lastTemporaryRow.subtract(1, ordering: .relaxed).newValue }

  // MARK: - Contexts

  /// Makes a context and sends it the commits of others.
  func makeContext(
    _ queue: ContextQueue, _ options: ManagedObjectContext.Options
  ) -> ManagedObjectContext {
    let context = ManagedObjectContext(self, queue, options)
    state.withLock { state in
      state.contexts.removeAll { $0.context == nil }
      state.contexts.append(WeakContext(context: context))
    }
    return context
  }

  var contexts: [ManagedObjectContext] {
    state.withLock { $0.contexts.compactMap(\.context) }
  }

  // MARK: - Commits

  /// Called on the writer's queue right after each commit, in commit order. Quick: letters into
  /// inboxes and one block for the delivery queue. Children hear of it from their parents.
  private func distribute(_ changes: ChangeSet) {
    for context in contexts
    where context.parent == nil && context.isMerging && context.origin != changes.origin {
      context.receive(.changes(changes))
    }
    delivery.post { [weak self] in
      guard let self else { return }
      streams.yield(changes)
      guard let stack else { return }
      NotificationCenter.default.post(
        name: .dataStackDidChange, object: stack,
        userInfo: StackNotifications.userInfo(StackNotifications.changeSetKey, changes))
    }
  }

  /// Takes notice of the commits of other processes. A file that cannot be read throws for its
  /// readers.
  func tellOfOthers() {
    try? store().tellOfOthers()
  }

  // MARK: - Closing

  /// Closes the store; everything afterwards throws.
  func close() throws {
    if let store = state.withLock({ $0.store }) { try refuseInside(store, "The stack was closed") }
    let (store, subscription) = takeStore(isClosing: true)
    subscription?.cancel()
    try store?.close()
    streams.finish()
  }

  private func takeStore(isClosing: Bool) -> (Store?, ChangeSubscription?) {
    state.withLock { state in
      defer {
        state.store = nil
        state.subscription = nil
        state.poll = nil
        if isClosing { state.isClosed = true }
      }
      return (state.store, state.subscription)
    }
  }

  /// Removes the store with its files and makes an empty one.
  func drop() throws {
    if configuration.isReadOnly { throw StoreError.readOnly }
    let (known, isClosed) = state.withLock { ($0.store, $0.isClosed) }
    guard !isClosed else { throw StoreError.closed }
    if let known { try refuseInside(known, "The stack was dropped") }
    let (store, subscription) = takeStore(isClosing: false)
    subscription?.cancel()
    try store?.destroy()
    try open()
    for context in contexts where context.parent == nil { context.receive(.dropped) }
  }
}
