/// An attribute or a relationship as it is declared.
public enum PropertyDraft: Sendable {
  case attribute(AttributeDraft)
  case relationship(RelationshipDraft)

  /// The property's name, unique in the entity.
  public var name: String {
    switch self {
    case .attribute(let draft): draft.name
    case .relationship(let draft): draft.name
    }
  }

  /// What the property was called in an earlier version of the model.
  public var renamingIdentifier: String? {
    switch self {
    case .attribute(let draft): draft.renamingIdentifier
    case .relationship(let draft): draft.renamingIdentifier
    }
  }
}

/// An attribute as it is declared.
public struct AttributeDraft: Sendable {
  /// The attribute's name, unique in the entity.
  public var name: String
  /// What kind of values it has.
  public var type: AttributeType
  /// Whether an object may be saved without a value.
  public var isOptional: Bool
  /// Whether the value lives in objects only and is never stored.
  public var isTransient: Bool

  /// What a new object starts with; ``Value/null`` for nothing.
  public var defaultValue: Value
  /// Name of the transformer of a transformable attribute.
  public var valueTransformerName: String?
  /// Rules that a value must meet when an object is validated.
  public var validation: ValidationRules
  /// Whether a deleted object's value is kept in its tombstone.
  public var preservesValueInHistory: Bool
  /// Annotations, for mapping and for the program's own use.
  public var userInfo: [String: String]
  /// What the property was called in an earlier version of the model.
  public var renamingIdentifier: String?
  /// Name of the Swift type of the value when it is one of the program's own.
  public var valueClassName: String?

  /// Makes a draft; the other fields may be set later.
  public init(
    _ name: String, _ type: AttributeType, isOptional: Bool = true, isTransient: Bool = false,
    defaultValue: Value = .null, valueTransformerName: String? = nil,
    validation: ValidationRules = ValidationRules(), preservesValueInHistory: Bool = false,
    userInfo: [String: String] = [:], renamingIdentifier: String? = nil,
    valueClassName: String? = nil
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.defaultValue = defaultValue
    self.valueTransformerName = valueTransformerName
    self.validation = validation
    self.preservesValueInHistory = preservesValueInHistory
    self.userInfo = userInfo
    self.renamingIdentifier = renamingIdentifier
    self.valueClassName = valueClassName
  }
}

/// A relationship as it is declared.
public struct RelationshipDraft: Sendable {
  /// The relationship's name, unique in the entity.
  public var name: String
  /// Name of the entity it leads to; subentities are included.
  public var destinationName: String

  /// Name of the relationship that leads back; nil when there is none.
  public var inverseName: String?
  /// Whether it leads to any number of objects.
  public var isToMany: Bool
  /// Whether the objects of a to-many have an order.
  public var isOrdered: Bool
  /// Whether an object may be saved without a value.
  public var isOptional: Bool
  /// Whether the value lives in objects only and is never stored.
  public var isTransient: Bool

  /// Least number of objects when there are any; 0 is no limit.
  public var minCount: Int

  /// Largest number of objects of a to-many; 0 is no limit.
  public var maxCount: Int
  /// What happens to the objects when their owner is deleted.
  public var deleteRule: DeleteRule
  /// Annotations, for mapping and for the program's own use.
  public var userInfo: [String: String]
  /// What the property was called in an earlier version of the model.
  public var renamingIdentifier: String?

  /// Makes a draft; the other fields may be set later.
  public init(
    _ name: String, to destination: String, inverse: String?, isToMany: Bool,
    isOrdered: Bool = false, isOptional: Bool = true, isTransient: Bool = false,
    minCount: Int = 0, maxCount: Int = 0, deleteRule: DeleteRule = .nullify,
    userInfo: [String: String] = [:], renamingIdentifier: String? = nil
  ) {
    self.name = name
    destinationName = destination
    inverseName = inverse
    self.isToMany = isToMany
    self.isOrdered = isOrdered
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.minCount = minCount
    self.maxCount = maxCount
    self.deleteRule = deleteRule
    self.userInfo = userInfo
    self.renamingIdentifier = renamingIdentifier
  }
}
