/// An attribute or a relationship as it is declared: `.attribute("age", .integer16)`,
/// `.toOne("user", to: "User")`, `.toMany("notes", to: "Note")`.
public struct PropertyDraft: Sendable {
  package enum Content: Sendable {
    case attribute(AttributeDraft)
    case relationship(RelationshipDraft)
  }

  package let content: Content

  package static func attribute(_ draft: AttributeDraft) -> PropertyDraft {
    PropertyDraft(content: .attribute(draft))
  }

  package static func relationship(_ draft: RelationshipDraft) -> PropertyDraft {
    PropertyDraft(content: .relationship(draft))
  }

  /// The property's name, unique in the entity.
  package var name: String {
    switch content {
    case .attribute(let draft): draft.name
    case .relationship(let draft): draft.name
    }
  }

  /// What the property was called in an earlier version of the model.
  package var renamingIdentifier: String? {
    switch content {
    case .attribute(let draft): draft.renamingIdentifier
    case .relationship(let draft): draft.renamingIdentifier
    }
  }
}

/// An attribute as it is declared.
package struct AttributeDraft: Sendable {
  /// The attribute's name, unique in the entity.
  package var name: String
  /// What kind of values it has.
  package var type: AttributeType
  /// Whether an object may be saved without a value.
  package var isOptional: Bool
  /// Whether the value lives in objects only and is never stored.
  package var isTransient: Bool

  /// What a new object starts with; ``Value/null`` for nothing.
  package var defaultValue: Value
  /// Name of the transformer of a transformable attribute.
  package var valueTransformerName: String?
  /// Rules that a value must meet when an object is validated.
  package var validation: ValidationRules
  /// Whether a deleted object's value is kept in its tombstone.
  package var preservesValueInHistory: Bool
  /// Annotations, for mapping and for the program's own use.
  package var userInfo: [String: String]
  /// What the property was called in an earlier version of the model.
  package var renamingIdentifier: String?
  /// Name of the Swift type of the value when it is one of the program's own.
  package var valueClassName: String?

  /// Makes a draft; the other fields may be set later.
  package init(
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
package struct RelationshipDraft: Sendable {
  /// The relationship's name, unique in the entity.
  package var name: String
  /// Name of the entity it leads to; subentities are included.
  package var destinationName: String

  /// Name of the relationship that leads back; nil when there is none.
  package var inverseName: String?
  /// Whether it leads to any number of objects.
  package var isToMany: Bool
  /// Whether the objects of a to-many have an order.
  package var isOrdered: Bool
  /// Whether an object may be saved without a value.
  package var isOptional: Bool
  /// Whether the value lives in objects only and is never stored.
  package var isTransient: Bool

  /// Least number of objects when there are any; 0 is no limit.
  package var minCount: Int

  /// Largest number of objects of a to-many; 0 is no limit.
  package var maxCount: Int
  /// What happens to the objects when their owner is deleted.
  package var deleteRule: DeleteRule
  /// Annotations, for mapping and for the program's own use.
  package var userInfo: [String: String]
  /// What the property was called in an earlier version of the model.
  package var renamingIdentifier: String?

  /// Makes a draft; the other fields may be set later.
  package init(
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

/// The short forms in which a model is written down in code.
extension PropertyDraft {
  /// Declares an attribute.
  ///
  /// - Parameters:
  ///   - isPrimaryKey: Sets the user info `sync.isPrimaryKey`.
  ///   - remoteKey: Key or dot path in JSON; sets the user info `sync.remoteKey`.
  public static func attribute(
    _ name: String, _ type: AttributeType, isOptional: Bool = true, isPrimaryKey: Bool = false,
    remoteKey: String? = nil, isTransient: Bool = false, defaultValue: Value = .null,
    valueTransformerName: String? = nil, validation: ValidationRules = ValidationRules(),
    preservesValueInHistory: Bool = false, userInfo: [String: String] = [:],
    renamingIdentifier: String? = nil
  ) -> PropertyDraft {
    .attribute(
      AttributeDraft(
        name, type, isOptional: isOptional, isTransient: isTransient, defaultValue: defaultValue,
        valueTransformerName: valueTransformerName, validation: validation,
        preservesValueInHistory: preservesValueInHistory,
        userInfo: annotated(userInfo, isPrimaryKey: isPrimaryKey, remoteKey: remoteKey),
        renamingIdentifier: renamingIdentifier))
  }

  /// Declares a relationship to at most one object.
  public static func toOne(
    _ name: String, to destination: String, inverse: String? = nil,
    deleteRule: DeleteRule = .nullify, isOptional: Bool = true, remoteKey: String? = nil,
    userInfo: [String: String] = [:], renamingIdentifier: String? = nil
  ) -> PropertyDraft {
    .relationship(
      RelationshipDraft(
        name, to: destination, inverse: inverse, isToMany: false, isOptional: isOptional,
        deleteRule: deleteRule, userInfo: annotated(userInfo, remoteKey: remoteKey),
        renamingIdentifier: renamingIdentifier))
  }

  /// Declares a relationship to any number of objects.
  public static func toMany(
    _ name: String, to destination: String, inverse: String? = nil, isOrdered: Bool = false,
    deleteRule: DeleteRule = .nullify, isOptional: Bool = true, minCount: Int = 0,
    maxCount: Int = 0, remoteKey: String? = nil, userInfo: [String: String] = [:],
    renamingIdentifier: String? = nil
  ) -> PropertyDraft {
    .relationship(
      RelationshipDraft(
        name, to: destination, inverse: inverse, isToMany: true, isOrdered: isOrdered,
        isOptional: isOptional, minCount: minCount, maxCount: maxCount, deleteRule: deleteRule,
        userInfo: annotated(userInfo, remoteKey: remoteKey),
        renamingIdentifier: renamingIdentifier))
  }

  private static func annotated(
    _ userInfo: [String: String], isPrimaryKey: Bool = false, remoteKey: String?
  ) -> [String: String] {
    var result = userInfo
    if isPrimaryKey { result[ModelAnnotation.isPrimaryKey.currentKey] = "YES" }
    if let remoteKey { result[ModelAnnotation.remoteKey.currentKey] = remoteKey }
    return result
  }
}

extension ManagedObjectModel {
  /// Makes a model of entities declared in code.
  ///
  /// - Throws: ``ModelError`` for the first thing that is wrong, with entity and property.
  public convenience init(
    _ entities: [EntityDraft], versionIdentifier: String = ""
  ) throws(ModelError) {
    self.init(
      validated: try ModelBuilder(entities, versionIdentifier: versionIdentifier).records(),
      versionIdentifier: versionIdentifier)
  }
}
