public import Foundation
public import SyncCore

/// The edits of one object since the server last answered for it, as a handler sends them.
///
/// Edits of one object are joined; one that was made and deleted here is never sent. When no answer
/// came, the same change comes again, the same to the last byte, with the same ``idempotencyKey``.
public struct OutboxChange: Sendable {
  /// Whether the object was inserted, updated or deleted.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// The object is new: the server has to make it.
    case insert
    /// Properties of an object that the server has were changed.
    case update
    /// An object that the server has was deleted.
    case delete
  }

  /// The kind of the change.
  public let kind: Kind
  /// The object that it happened to.
  public let objectID: ManagedObjectID

  /// The primary key; nil while the object has none, because the server makes it. Where the key
  /// itself was edited, the one before, by which the server knows the object.
  public let key: Value?

  /// Names of the properties that an update changed, in model order; empty for the other kinds.
  public let properties: [String]

  /// The whole object, by the mapping that it was registered with. Of a deleted object: its key,
  /// and the attributes that the model preserves.
  public let json: JSONValue

  /// The changed part of an update; the same as ``json`` for the other kinds.
  public let changedJSON: JSONValue

  /// Keys of the objects that were put into the many-to-many lists since the server last answered,
  /// by name of the relationship: for APIs that have a request for each member. Lists without any
  /// are left out.
  ///
  /// ```swift
  /// for tag in change.added["tags"] ?? [] { try await api.put("orders/\(change.id)/tags/\(tag)") }
  /// ```
  public let added: [String: [Value]]
  /// Keys of the objects that were taken out of the many-to-many lists; see ``added``.
  public let removed: [String: [Value]]

  /// A name for this change that never changes, kept before it is first sent: a server that knows
  /// it can tell that it has done this already.
  public let idempotencyKey: String

  /// 1 for the first try of this run.
  public internal(set) var attempt = 1

  /// Name of the object's own entity.
  public var entity: String { objectID.entity.name }

  /// The primary key as a text, for paths; empty while there is none.
  public var id: String { key?.description ?? "" }
}

extension OutboxChange: CustomStringConvertible {
  /// The change as a person would say it: `update of Order 17: status`.
  public var description: String {
    let name = "\(kind.rawValue) of \(entity) \(key?.description ?? "#\(objectID.row)")"
    return properties.isEmpty ? name : "\(name): \(properties.joined(separator: ", "))"
  }
}

extension JSONValue {
  /// The value as JSON text in UTF-8, as the body of a request.
  ///
  /// - Complexity: O(*n*).
  public var data: Data { data() }
}
