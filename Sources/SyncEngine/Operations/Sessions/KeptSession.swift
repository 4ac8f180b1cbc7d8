import SyncCore
public import SyncGraph
import SyncStore

/// A page session that a store keeps because it was neither finished nor abandoned.
///
/// ```swift
/// for session in try stack.keptSessions() { print(session) }   // nightly (User): 3 pages stored, 1 missing
/// ```
public struct KeptSession: Sendable, Hashable {
  /// The entity of the items; of several lists that of the first, and empty when another version of
  /// the library kept them.
  public let entityName: String

  /// The names of the lists that the pages are of: for a session of an entity that name alone.
  public let lists: [String]

  /// The name that the session was made with.
  public let name: String

  /// Names of the pages that are stored, in order. Pages without names are not told apart.
  public let storedPages: [String]

  /// Names of the pages that were made and are not stored, in order: the session cannot be finished
  /// before they are.
  public let missingPages: [String]

  /// The name by which the store keeps it.
  fileprivate let key: String
}

extension KeptSession: CustomStringConvertible {
  public var description: String {
    let stored = storedPages.count == 1 ? "1 page" : "\(storedPages.count) pages"
    return """
      \(name) (\(lists.joined(separator: ", "))): \(stored) stored, \(missingPages.count) missing
      """
  }
}

extension DataStack {
  /// The page sessions with names that the store keeps, by entity and name.
  ///
  /// A ``SyncSession`` of the same entity and name, or of the same lists and name, goes on with
  /// one; ``abandon(_:)`` forgets it.
  ///
  /// - Throws: Errors of the store when it cannot be read.
  public func keptSessions() throws -> [KeptSession] {
    try store.read { reader in
      try SessionState.all(in: reader).map { kept in
        KeptSession(
          entityName: kept.lists.first?.entity ?? "", lists: kept.lists.map(\.name),
          name: kept.name,
          storedPages: kept.pages.filter { $0.isStored && !$0.isBegun }.map(\.name),
          missingPages: kept.pages.filter(\.isBegun).map(\.name), key: kept.key)
      }
    }
  }

  /// Forgets a page session that the store keeps, as ``SyncSession/abandon()`` does: objects that
  /// its pages stored stay, and nothing is deleted. Waits for a sync that runs.
  ///
  /// - Throws: Errors of the store when it cannot be written.
  public func abandon(_ session: KeptSession) throws {
    let store = try store
    try SyncGate.inside(store) {
      try store.write { try SessionState.forget(session.key, in: $0) }
    }
  }
}
