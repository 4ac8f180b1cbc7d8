import SyncCore
import SyncStore

/// The known items of a page session, from its first page to its end.
///
/// ```
/// open ──first page──▶ lists ──another writer, a page that fails, or one that is always read──▶ none
///   └──the first page is of an earlier process, or of a list whose items are always read──▶ none
/// ```
///
/// A page whose items may be known is read when its turn comes; other pages are read beside each
/// other, before it. Used inside the store's gate, but for ``itemsAhead(of:)``.
package final class KnownPages: Sendable {
  private enum State {
    case open
    case lists(KnownLists)
    case none
  }

  private let state = Locked((known: State.open, isWorking: false))

  package init() {}

  /// The known items of the lists; nil when all are read.
  var lists: KnownLists? {
    if case .lists(let lists) = state.withLock({ $0.known }) { lists } else { nil }
  }

  /// Whether a page may be read before its turn, and its known items then. May be called on any
  /// thread.
  func itemsAhead(of page: SyncRequest) -> (mayRead: Bool, items: KnownItems?) {
    switch state.withLock({ $0.known }) {
    case .none: return (true, nil)
    case .open: return (FingerprintKey.of(page) == nil, nil)
    case .lists(let lists):
      let items = lists.itemsAhead(of: page)
      return (items != nil, items)
    }
  }

  /// Begins a page: finds out which lists have known items, or whether they still have.
  ///
  /// - Parameter isFirst: Whether it is the first page of the session.
  func begin(
    _ requests: [SyncRequest], isFirst: Bool, in transaction: StoreTransaction
  ) throws -> KnownLists? {
    try state.withLock { state in
      state.isWorking = true
      if case .open = state.known {
        // Pages of an earlier process left no trace here.
        state.known = isFirst ? KnownLists(requests).map(State.lists) ?? .none : .none
      }
      guard case .lists(let lists) = state.known else { return nil }
      if try lists.isLost(in: transaction) { state.known = .none }
      return lists
    }
  }

  /// Notes the generation that a page led to.
  func didCommit(_ generation: Int64) {
    state.withLock { $0.isWorking = false }
    lists?.didCommit(generation)
  }

  /// Ends a page. The trace of one that was not committed tells of changes that were taken back.
  func didEnd() {
    state.withLock { if $0.isWorking { $0 = (.none, false) } }
  }

  func reset() { state.withLock { $0 = (.open, false) } }
}
