import Foundation
package import SyncCore
package import SyncStore

/// What a page session has learned from its pages.
///
/// `claims` is read and written only by whoever is inside the store's gate, one page at a time.
package final class SessionState: @unchecked Sendable {
  var claims = Claims()

  /// Name under which the store keeps the session; nil is not at all.
  package let name: String?
  private let entity: EntityDescription
  private static let kind = "session"

  package init(entity: EntityDescription, name: String?) {
    self.entity = entity
    self.name = name
  }

  private var key: String? { name.map { "\(entity.name)/\($0)" } }

  /// Goes on where a session of that name stopped.
  package func restore(from reader: StoreReader) throws {
    guard let key, let data = try reader.kept(SessionState.kind, key) else { return }
    claims = try Claims(decoding: data, model: entity.model)
  }

  func keep(_ claims: Claims, in transaction: StoreTransaction) throws {
    guard let key else { return }
    try transaction.keep(SessionState.kind, key, try claims.encoded(model: entity.model))
  }

  /// Begins anew, once ``forget(in:)`` is committed.
  package func reset() {
    claims = Claims()
  }

  /// Forgets in the store what the pages said.
  package func forget(in transaction: StoreTransaction) throws {
    if let key { try transaction.keep(SessionState.kind, key, nil) }
  }
}
