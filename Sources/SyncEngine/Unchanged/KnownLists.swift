import SyncCore
import SyncStore

/// The known items of each list of a sync that has several, or of a page session: all lists and
/// pages leave one trace.
///
/// Pages of a list of which nothing is known may be read on any thread (``itemsAhead(of:)``).
/// Everything else happens inside the store's gate, one page at a time.
final class KnownLists: @unchecked Sendable {
  private let trace: ReadTrace
  private var lists: [(key: ContentFingerprint, items: KnownItems)] = []
  /// The lists of which no fingerprints were kept before.
  private let new = Locked<[ContentFingerprint: KnownItems]>([:])

  /// - Returns: Nil when the items of any list have to be read each time: no trace tells the values
  ///   that they may have changed of items of the others.
  init?(_ requests: [SyncRequest]) {
    guard !requests.isEmpty, requests.allSatisfy({ FingerprintKey.of($0) != nil }) else {
      return nil
    }
    trace = ReadTrace(requests.map(\.plan))
  }

  /// The known items of a list. Lists that are read alike share them.
  ///
  /// - Returns: Nil when they have to be read after all, and those of all lists with them.
  func items(of list: SyncRequest) -> KnownItems? {
    guard !trace.isLost else { return nil }
    guard let key = FingerprintKey.of(list) else {
      // Of no items no trace is needed.
      if !list.saysNothing { trace.lose() }
      return nil
    }
    if let known = lists.first(where: { $0.key == key }) { return known.items }
    let items = KnownItems(list, key, trace)
    lists.append((key, items))
    return items
  }

  /// The same for a page that is read before it is its turn; nil when it cannot be.
  func itemsAhead(of page: SyncRequest) -> KnownItems? {
    FingerprintKey.of(page).flatMap { key in new.withLock { $0[key] } }
  }

  // MARK: - Several transactions

  /// Whether nothing is known any more; see ``ReadTrace/isLost(in:)``.
  func isLost(in transaction: StoreTransaction) throws -> Bool { try trace.isLost(in: transaction) }

  /// Takes the changes of a transaction into account that is not the last one, and the edits that
  /// it left alone.
  func settle(
    _ edits: UnsentEdits?, in transaction: StoreTransaction, _ control: SyncControl
  ) throws {
    try trace.settle(in: transaction, control)
    for (_, items) in lists { try items.noteWithheld(edits, in: transaction) }
  }

  /// Notes the generation that a transaction led to.
  func didCommit(_ generation: Int64) {
    trace.didCommit(generation)
    let known = lists.filter { $0.items.isLoaded && $0.items.fingerprints.count == 0 }
    new.withLock { for (key, items) in known { $0[key] = items } }
  }

  /// Keeps the fingerprints of all lists.
  func keep(
    _ edits: UnsentEdits?, in transaction: StoreTransaction, _ control: SyncControl
  ) throws {
    for list in lists { try list.items.keep(edits, in: transaction, control) }
  }
}
