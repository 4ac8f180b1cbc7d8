public import SyncCore

/// What is wrong with a mapping: an entity or a rule that cannot be used as asked.
public struct MappingError: Error, Sendable, Hashable {
  public enum Code: String, Sendable, Hashable, Codable {
    /// Objects of the entity have to be told apart, and it has no primary key.
    case noPrimaryKey
    /// A rule names a property that the entity does not have.
    case unknownProperty
    /// An attribute rule on a relationship, or the reverse.
    case wrongPropertyKind
    /// A rule that can never fit the attribute's type.
    case unsuitableRule
    /// JSON that should be a rule is none.
    case unreadableRule
    /// A serializer that does not always insert names nothing that identifies an object.
    case identifiersRequired
    /// No rule of the mapping fills an identifier.
    case identifierNotMapped
    /// An identifier is a relationship.
    case identifierIsRelationship
    /// Two mappings of one sync tell the objects of an entity apart by different attributes.
    case conflictingIdentifiers
    /// A nested mapping is about another entity than its relationship leads to.
    case wrongEntity
  }

  public let code: Code
  public let entity: String
  public let property: String?
  /// A sentence that says what is wrong and what to do.
  public let message: String

  package init(_ code: Code, entity: String, property: String? = nil, message: String) {
    self.code = code
    self.entity = entity
    self.property = property
    self.message = message
  }

  /// The entity cannot be synced, because its objects cannot be told apart.
  package static func noPrimaryKey(_ entity: EntityDescription) -> MappingError {
    MappingError(
      .noPrimaryKey, entity: entity.name,
      message: """
        “\(entity.name)” has no primary key. Name an attribute “id” or “remoteID”, or set \
        “sync.isPrimaryKey” to “YES” in the user info of the attribute that identifies an object.
        """)
  }

  /// A list of children cannot be synced, because they cannot be told apart.
  package static func noPrimaryKey(
    _ entity: EntityDescription, in relationship: RelationshipDescription,
    of owner: EntityDescription
  ) -> MappingError {
    MappingError(
      .noPrimaryKey, entity: entity.name, property: relationship.name,
      message: """
        “\(owner.name).\(relationship.name)” holds objects of “\(entity.name)”, which has no \
        primary key. Name an attribute “id” or “remoteID”, set “sync.isPrimaryKey” to “YES” in \
        the user info of the attribute that identifies an object, or give the relationship the delete rule cascade: \
        then the objects are those of their owner.
        """)
  }

  /// A rule or an identifier names a property that the entity does not have.
  static func unknownProperty(_ name: String, of entity: EntityDescription) -> MappingError {
    let names = entity.properties.map { "“\($0.name)”" }.joined(separator: ", ")
    return MappingError(
      .unknownProperty, entity: entity.name, property: name,
      message: "“\(entity.name)” has no property “\(name)”. It has \(names).")
  }

  /// What describes the objects below a relationship is a mapping of others.
  static func wrongEntity(
    _ name: String, below relationship: String, of owner: EntityDescription,
    to destination: EntityDescription
  ) -> MappingError {
    MappingError(
      .wrongEntity, entity: owner.name, property: relationship,
      message: """
        “\(owner.name).\(relationship)” leads to objects of “\(destination.name)”, and the rule gives it a mapping of \
        “\(name)”. Give it one of “\(destination.name)”.
        """)
  }

  /// Nobody can say which object an item means.
  static func identifiersRequired(_ entity: EntityDescription) -> MappingError {
    MappingError(
      .identifiersRequired, entity: entity.name,
      message: """
        The serializer of “\(entity.name)” has no identifiers, so its objects cannot be told apart. Name \
        the attributes that identify one; nest them below a relationship with the delete rule cascade, whose owner \
        they belong to then; or set forceInsert if every item is a new object.
        """)
  }

  static func repeatedRule(_ name: String, of entity: EntityDescription) -> MappingError {
    MappingError(
      .unsuitableRule, entity: entity.name, property: name,
      message: "The mapping has more than one rule for “\(entity.name).\(name)”. Leave one.")
  }
}

extension MappingError: ExplainedError {}
