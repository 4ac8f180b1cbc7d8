public import Foundation
import SyncCore
public import SyncStore

/// Reading the history of a store, and forgetting entries that are not needed any more.
///
/// ```swift
/// for commit in try stack.history(since: token, authors: .except(["importer"])) { … }
/// try stack.purgeHistory(before: Date().addingTimeInterval(-7 * 86_400))
/// ```
///
/// Every call here throws `StoreError` with the code `unsupported` when the store does not track
/// changes.
extension DataStack {
  /// Every commit after a place in the history, oldest first, with its changes and its author.
  ///
  /// - Parameters:
  ///   - token: After which commit to begin; nil is the very first, or the date when there is one.
  ///   - date: Leaves out earlier commits.
  ///   - authors: Whose commits are wanted; see ``ManagedObjectContext/author``.
  ///   - limit: How many commits at most.
  /// - Throws: `StoreError` with the code `historyExpired` when a part of the answer was purged:
  ///   never an incomplete answer.
  /// - Complexity: linear in the commits since the token, and in the changes of those that are
  ///   meant.
  public func history(
    since token: HistoryToken? = nil, from date: Date? = nil, authors: HistoryAuthors = .all,
    limit: Int = .max
  ) throws -> [HistoryTransaction] {
    try store.read { try $0.history(since: token, from: date, authors: authors, limit: limit) }
  }

  /// The end of the history: the token to go on from when only later commits matter.
  public func latestHistoryToken() throws -> HistoryToken {
    try store.read { try $0.requireHistoryToken() }
  }

  /// How far every consumer has acknowledged the history, by name.
  public func historyConsumers() throws -> [String: HistoryToken] {
    let consumers = try store.read { try $0.historyConsumers() }
    return Dictionary(uniqueKeysWithValues: consumers.map { ($0.name, $0.token) })
  }

  /// Forgets all commits up to and including a token.
  ///
  /// Edits in them are not protected from syncs any more.
  ///
  /// - Throws: `StoreError` with the code `historyInUse` that names the consumers that have not
  ///   acknowledged all of it; nothing is forgotten then.
  public func purgeHistory(through token: HistoryToken) throws {
    try purge { transaction in
      let latest = try transaction.requireHistoryToken()
      return try transaction.purgeHistory(through: min(token, latest))
    }
  }

  /// Forgets commits that are older than a date, as far as every consumer has acknowledged them.
  ///
  /// Edits in them are not protected from syncs any more.
  public func purgeHistory(before date: Date) throws {
    try purge { try $0.purgeHistory(before: date) }
  }

  /// What a commit, or several that follow each other, found: the former values of what they
  /// changed, of an inserted object none, of a deleted one all. Needs `history: .values`.
  ///
  /// - Parameters:
  ///   - token: The commit, and the first one of several.
  ///   - last: The last one; nil is the first.
  /// - Throws: `StoreError` with the code `historyExpired` when some of them are not kept any more.
  /// - Complexity: linear in the changes of the commits.
  public func values(
    before token: HistoryToken, through last: HistoryToken? = nil
  ) throws -> [ObjectDifference] {
    try store.read { try $0.differences(from: token, through: last ?? token) }
  }

  /// How the objects differ from what they were after a commit: those that later commits changed,
  /// and not back again. Needs `history: .values`.
  ///
  /// ```swift
  /// for object in try stack.differences(since: yesterday) {
  ///   print(object.key, object.old, object.new)
  /// }
  /// ```
  ///
  /// - Parameter token: The commit; ``HistoryToken/start`` is before the first.
  /// - Throws: `StoreError` with the code `historyExpired` when former values since are not kept
  ///   any more; `unsupported` when there is no such commit yet.
  /// - Complexity: linear in the changes since.
  public func differences(since token: HistoryToken) throws -> [ObjectDifference] {
    try store.read { try $0.differences(since: token) }
  }

  /// Whether the history keeps former values.
  public var keepsFormerValues: Bool {
    get throws { try store.read { try $0.hasFormerValues() } }
  }

  /// Forgets all former values and keeps none any more. The history goes on without.
  public func stopKeepingFormerValues() throws {
    try store.write { try $0.removeFormerValues() }
  }

  /// Goes on in short transactions, so that other writers do not wait long.
  private func purge(_ step: (StoreTransaction) throws -> Bool) throws {
    let store = try store
    var hasMore = true
    while hasMore { hasMore = try store.write { try step($0) }.0 }
  }
}
