import Foundation
import SyncCore
public import SyncGraph
public import SyncStore

/// Takes commits of a stack back: a sync that brought nonsense, or a whole import.
///
/// ```swift
/// let undo = Undo(first...last, dataStack: stack)
/// undo.isDryRun = true
/// stack.syncQueue.addOperation(undo)
/// print(try await undo.value)
/// ```
///
/// Everything happens in one transaction, property by property: values that later commits have
/// changed stay, and the report names them (``UndoReport/left``). An error or a cancellation leaves
/// the store exactly as it was. The undo is a commit of its own with the source `undo`, and can be
/// undone.
///
/// It runs on a thread of its own, waits for syncs of the stack, and they for it. Set it up before
/// it starts.
public final class Undo: AsynchronousOperation<UndoReport>, @unchecked Sendable {
  // Mutable state: the settings, until the operation starts, and then the token; both in `state`.
  private struct State {
    var deletionGuard = DeletionGuard.on
    var isDryRun = false
    var author: String?
    var running: (store: Store, token: TransactionToken)?
  }

  private let state = Locked(State())
  private let control = SyncControl()

  /// The stack whose commits are taken back; kept alive until the operation goes.
  public let dataStack: DataStack

  /// The commits, from the first to the last.
  public let commits: ClosedRange<HistoryToken>

  /// Makes an undo of commits that follow each other.
  ///
  /// - Parameters:
  ///   - commits: From the first to the last, as ``DataStack/history(since:from:authors:limit:)``
  ///     gives them. Commits of others in between are taken back, too.
  ///   - dataStack: The stack.
  public init(_ commits: ClosedRange<HistoryToken>, dataStack: DataStack) {
    self.commits = commits
    self.dataStack = dataStack
    super.init()
    name = "Undo"
  }

  /// Whether an undo that would delete much is refused; ``DeletionGuard/on`` by default. What the
  /// commits have inserted is deleted, so taking back a first import needs ``DeletionGuard/off``.
  public var deletionGuard: DeletionGuard {
    get { state.withLock { $0.deletionGuard } }
    set { state.withLock { $0.deletionGuard = newValue } }
  }

  /// Whether everything is done but the commit: the report says what would be.
  public var isDryRun: Bool {
    get { state.withLock { $0.isDryRun } }
    set { state.withLock { $0.isDryRun = newValue } }
  }

  /// The author of the commit, for the history; nil unless given.
  public var author: String? {
    get { state.withLock { $0.author } }
    set { state.withLock { $0.author = newValue } }
  }

  public override func main() {
    let thread = Thread { [self] in
      let result = Result { try run() }
      ManagedObjectContext.hasWaited()
      finish(with: result)
    }
    thread.name = "SyncStack.undo"
    thread.qualityOfService = qualityOfService
    thread.start()
  }

  public override func stop() {
    control.cancel()
    if let running = state.withLock({ $0.running }) { running.store.interrupt(running.token) }
  }

  private func run() throws -> UndoReport {
    let store = try dataStack.store
    return try SyncGate.inside(store, control, priority: queuePriority.rawValue) {
      let token = TransactionToken()
      let settings = state.withLock { state in
        state.running = (store, token)
        return state
      }
      try settings.deletionGuard.check()
      // It may have been cancelled before there was something to interrupt.
      try control.checkpoint()
      let info = TransactionInfo(
        author: settings.author, contextName: "undo", source: .undo)
      let (left, changes) = try store.write(info, commit: !settings.isDryRun, token: token) {
        try $0.undo(from: commits.lowerBound, through: commits.upperBound) {
          try settings.deletionGuard.checkUndo(of: $0, deleting: $1, of: $2)
        }
      }
      return try UndoReport(
        changes, left: left, isDryRun: settings.isDryRun,
        token: settings.isDryRun || changes.isEmpty
          ? nil : store.read { try $0.historyToken(ofGeneration: changes.generation) })
    }
  }
}

extension UndoReport {
  fileprivate init(
    _ changes: ChangeSet, left: [Left], isDryRun: Bool, token: HistoryToken?
  ) {
    self.init()
    for entity in changes.entities {
      undone[entity.entity.name] = Counts(
        inserted: entity.inserted.count, updated: entity.updated.count,
        deleted: entity.deleted.count)
    }
    self.left = left
    self.isDryRun = isDryRun
    self.token = token
  }
}

extension DeletionGuard {
  /// - Throws: ``SyncError`` with ``SyncError/Code/deletionRefused`` when too many objects of an
  ///   entity would go.
  fileprivate func checkUndo(
    of entity: EntityDescription, deleting deleted: Int, of total: Int
  ) throws {
    guard isOn, deleted > count, Double(deleted) > share * Double(total) else { return }
    throw SyncError(
      .deletionRefused, entity: entity.name,
      message: """
        The undo would delete \(deleted) of \(total) objects of “\(entity.name)”, which the commits have \
        inserted. Nothing was changed. \(SyncError.undoAdvice)
        """)
  }
}
