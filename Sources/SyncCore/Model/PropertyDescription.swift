/// An attribute or a relationship of an entity.
public enum PropertyDescription: Sendable {
  /// A value of the object's own.
  case attribute(AttributeDescription)
  /// A reference to other objects.
  case relationship(RelationshipDescription)

  /// Its name in the model.
  public var name: String {
    switch self {
    case .attribute(let attribute): attribute.name
    case .relationship(let relationship): relationship.name
    }
  }

  /// Position in the entity; column, row value and edit share it.
  package var slot: Int {
    switch self {
    case .attribute(let attribute): attribute.slot
    case .relationship(let relationship): relationship.slot
    }
  }

  /// The attribute; nil when it is a relationship.
  public var attribute: AttributeDescription? {
    if case .attribute(let attribute) = self { attribute } else { nil }
  }

  /// The relationship; nil when it is an attribute.
  public var relationship: RelationshipDescription? {
    if case .relationship(let relationship) = self { relationship } else { nil }
  }

  /// Whether an object can be saved without a value.
  public var isOptional: Bool {
    switch self {
    case .attribute(let attribute): attribute.isOptional
    case .relationship(let relationship): relationship.isOptional
    }
  }

  /// Annotations of the model, as `sync.remoteKey`.
  public var userInfo: [String: String] {
    switch self {
    case .attribute(let attribute): attribute.userInfo
    case .relationship(let relationship): relationship.userInfo
    }
  }

  /// The name of the property in an earlier version of the model.
  public var renamingIdentifier: String? {
    switch self {
    case .attribute(let attribute): attribute.renamingIdentifier
    case .relationship(let relationship): relationship.renamingIdentifier
    }
  }

  /// Whether the property is not stored.
  package var isTransient: Bool {
    switch self {
    case .attribute(let attribute): attribute.isTransient
    case .relationship(let relationship): relationship.isTransient
    }
  }

  /// Whether the value lies in a column of the object's own row: a stored attribute or a to-one.
  package var isColumn: Bool {
    switch self {
    case .attribute(let attribute): !attribute.isTransient
    case .relationship(let relationship): !relationship.isToMany && !relationship.isTransient
    }
  }
}
