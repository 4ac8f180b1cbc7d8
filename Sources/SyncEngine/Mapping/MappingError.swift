public import SyncCore

/// An error in a mapping: an entity or a rule that cannot be used as asked.
public struct MappingError: Error, Sendable, Hashable {
  /// The kind of error: thrown when a rule is written, or when a sync or an export begins, before
  /// anything is read.
  public enum Code: String, Sendable, Hashable, Codable {
    /// Objects of the entity have to be told apart, and it has no primary key. Mark one, or let
    /// their relationship delete with cascade.
    case noPrimaryKey
    /// A rule names a property that the entity does not have. Look at the spelling.
    case unknownProperty
    /// An attribute rule on a relationship, or the reverse. Relationships take `.toOne` and
    /// `.toMany`.
    case wrongPropertyKind
    /// A rule that can never fit the attribute's type, or a second one for the same property. Take
    /// a rule of the type, and leave one.
    case unsuitableRule
    /// JSON that should be a rule is none; the message shows the form of one.
    case unreadableRule
    /// A serializer that does not always insert names nothing that identifies an object. Give it
    /// `identifiers`.
    case identifiersRequired
    /// No rule of the mapping fills an identifier. Add one for it.
    case identifierNotMapped
    /// An identifier is a relationship, and only attributes identify an object. Name the attributes
    /// alone.
    case identifierIsRelationship
    /// Two mappings of one sync tell the objects of an entity apart by different attributes. Use
    /// the same, or sync them one after the other.
    case conflictingIdentifiers
    /// A nested mapping is about another entity than its relationship leads to. Give it the mapping
    /// of its destination.
    case wrongEntity
  }

  /// The kind of the error.
  public let code: Code
  /// Name of the entity it is about.
  public let entity: String
  /// Name of the property it is about; nil where it is about none.
  public let property: String?
  /// A sentence that tells the error and its remedy.
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

  /// The mapping of the objects below a relationship is one of another entity.
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

  /// The object of an item would be unknown.
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
