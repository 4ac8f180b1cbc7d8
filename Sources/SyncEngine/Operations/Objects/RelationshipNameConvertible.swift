public import SyncCore

/// What the calls that sync below a parent take as its relationship to the items: a name, or the description.
public protocol RelationshipNameConvertible: Sendable {
  /// The name of the relationship, at either end.
  var relationshipName: String { get }
}

extension String: RelationshipNameConvertible {
  public var relationshipName: String { self }
}

extension RelationshipDescription: RelationshipNameConvertible {
  public var relationshipName: String { name }
}
