import SyncCore
public import SyncGraph
import SyncStore

/// A page session that a store keeps because it was neither finished nor abandoned.
///
/// ```swift
/// for session in try stack.keptSessions() { print(session) }   // nightly (User): 3 pages stored, 1 missing
/// ```
public struct KeptSession: Sendable, Hashable {
  /// The entity of the items.
  public let entityName: String

  /// The name that the session was made with.
  public let name: String

  /// Names of the pages that are stored, in order. Pages without names are not told apart.
  public let storedPages: [String]

  /// Names of the pages that were made and are not stored, in order: the session cannot be finished
  /// before they are.
  public let missingPages: [String]
}

extension KeptSession: CustomStringConvertible {
  public var description: String {
    let stored = storedPages.count == 1 ? "1 page" : "\(storedPages.count) pages"
    return "\(name) (\(entityName)): \(stored) stored, \(missingPages.count) missing"
  }
}

extension DataStack {
  /// The page sessions with names that the store keeps, by entity and name.
  ///
  /// A ``SyncSession`` of the same entity and name goes on with one, or abandons it.
  ///
  /// - Throws: Errors of the store when it cannot be read.
  public func keptSessions() throws -> [KeptSession] {
    try store.read { reader in
      try SessionState.all(in: reader).map { entity, name, pages in
        KeptSession(
          entityName: entity, name: name,
          storedPages: pages.filter { $0.isStored && !$0.isBegun }.map(\.name),
          missingPages: pages.filter(\.isBegun).map(\.name))
      }
    }
  }
}
