import SyncCore
public import SyncStore

/// Sending edits made here to a consumer, once and completely.
///
/// ```swift
/// let stack = try DataStack(model: model, store: .sqlite(url), tracksChanges: true)
/// let pending = try stack.pendingChanges(for: "server")
/// for change in pending.changes { try await send(change) }
/// try stack.acknowledge(through: pending.token, for: "server")
/// ```
///
/// Until every consumer has acknowledged an edit, or as long as there is no consumer, a sync
/// neither overwrites nor undoes it, and its report lists the edits that it left alone. Changes
/// that syncs make are no edits. Every call here throws `StoreError` with the code `unsupported`
/// when the store does not track changes.
extension DataStack {
  /// Whether the store tracks changes.
  public var tracksChanges: Bool {
    get throws { try store.read { try $0.latestHistoryToken() != nil } }
  }

  /// Insertions, updates and deletions made here and not by syncs, folded per object, and not yet
  /// acknowledged.
  ///
  /// The properties of an object are those it has when it is read afterwards, which may be later
  /// than the answer: properties edited since then are pending again after the acknowledgement.
  ///
  /// - Parameters:
  ///   - consumer: The name of the sender. One that never acknowledged anything gets everything.
  ///   - token: The token to begin at instead of the consumer's last acknowledgement.
  /// - Throws: `StoreError` with the code `historyExpired` when some of it was purged: never an
  ///   incomplete answer.
  /// - Complexity: linear in the commits and local changes since.
  public func pendingChanges(
    for consumer: String, since token: HistoryToken? = nil
  ) throws -> UnsentChanges {
    try store.read { reader in
      let latest = try reader.requireHistoryToken()
      let known = try reader.historyConsumers().first { $0.name == consumer }
      let start = token ?? known?.token ?? .start
      try reader.requireHistory(after: start)
      return try reader.unsentChanges(after: start, through: latest)
    }
  }

  /// Notes that a consumer has sent everything up to a token; from then on a sync may overwrite it.
  /// The first acknowledgement, be it of ``HistoryToken/start``, makes the consumer known: later
  /// changes are then kept from being purged. An earlier token than before changes nothing.
  ///
  /// - Throws: `StoreError` for a token that is not from this store's history.
  public func acknowledge(through token: HistoryToken, for consumer: String) throws {
    try store.write { transaction in
      let latest = try transaction.requireHistoryToken()
      guard token <= latest else {
        throw StoreError(
          .unsupported,
          message: """
            The history of this store ends at \(latest.number), so \(token.number) cannot have been \
            sent. Acknowledge the token that pendingChanges(for:) gave.
            """)
      }
      let known = try transaction.historyConsumers().first { $0.name == consumer }
      guard known.map({ $0.token < token }) ?? true else { return }
      try transaction.setHistoryConsumer(
        HistoryConsumer(name: consumer, token: token, isDurable: true))
    }
  }

  /// Forgets a consumer that will not come back, so that nothing waits for it any more.
  public func removeConsumer(_ consumer: String) throws {
    try store.write { try $0.removeHistoryConsumer(named: consumer) }
  }

  /// Ends the history and forgets all of it, with its consumers. Syncs may overwrite everything
  /// then.
  public func stopTrackingChanges() throws {
    try store.write { try $0.removeHistory() }
  }
}
