/// An attribute or a relationship as it is declared: `.attribute("age", .integer16)`,
/// `.toOne("user", to: "User")`, `.toMany("notes", to: "Note")`.
public struct PropertyDraft: Sendable {
  /// The declaration, without the parts that only the whole model can tell: slots, and the other
  /// end.
  package let content: PropertyDescription

  package static func attribute(_ declared: AttributeDescription) -> PropertyDraft {
    PropertyDraft(content: .attribute(declared))
  }

  package static func relationship(_ declared: RelationshipDescription) -> PropertyDraft {
    PropertyDraft(content: .relationship(declared))
  }

  /// The property's name, unique in the entity.
  package var name: String { content.name }
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
      AttributeDescription(
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
      RelationshipDescription(
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
      RelationshipDescription(
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
      validated: try ModelBuilder(entities: entities, versionIdentifier: versionIdentifier)
        .records(),
      versionIdentifier: versionIdentifier)
  }
}
