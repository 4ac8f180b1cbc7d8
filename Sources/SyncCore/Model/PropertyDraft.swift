/// An attribute or a relationship as it is declared.
public enum PropertyDraft: Sendable {
  case attribute(AttributeDraft)
  case relationship(RelationshipDraft)

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
  public var name: String
  public var type: AttributeType
  public var isOptional: Bool
  public var isTransient: Bool

  /// What a new object starts with; ``Value/null`` for nothing.
  public var defaultValue: Value
  public var valueTransformerName: String?
  public var validation: ValidationRules
  public var preservesValueInHistory: Bool
  public var userInfo: [String: String]
  public var renamingIdentifier: String?
  public var valueClassName: String?

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
  public var name: String
  public var destinationName: String

  /// Name of the relationship that leads back; nil when there is none.
  public var inverseName: String?
  public var isToMany: Bool
  public var isOrdered: Bool
  public var isOptional: Bool
  public var isTransient: Bool

  /// Least number of objects when there are any; 0 is no limit.
  public var minCount: Int

  /// Largest number of objects of a to-many; 0 is no limit.
  public var maxCount: Int
  public var deleteRule: DeleteRule
  public var userInfo: [String: String]
  public var renamingIdentifier: String?

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
