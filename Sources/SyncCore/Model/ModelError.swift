/// An error of a model, and its place.
public struct ModelError: Error, Sendable, Hashable {
  /// The kind of an error: thrown when a model is made or read, or asked for a part that it does
  /// not have.
  public enum Code: String, Sendable, Hashable, Codable {
    /// A call or the model itself names an entity that is not there. Look at the spelling.
    case unknownEntity
    /// A constraint or an index names a property that its entity does not have. Look at the
    /// spelling.
    case unknownProperty
    /// No model document is at the place. Give the path of an `.xcdatamodeld`, or of its XML.
    case documentNotFound
    /// The document is no readable XML, or no model; the message has the line. Mend it there.
    case malformedDocument
    /// The document asks for storage that there is none of, such as a derived attribute. Take the
    /// element out.
    case unsupported
    /// A name that no entity or property may have. Rename it, and name its key by `remoteKey`.
    case invalidName
    /// Two entities, or two properties of one entity, have one name. Rename one.
    case duplicateName
    /// An entity inherits from itself, by way of others. Take one parent out.
    case inheritanceCycle
    /// An entity declares a property that it inherits already. Leave one of them.
    case overriddenProperty
    /// A relationship cannot be as it is declared: its destination is missing, or its counts
    /// contradict each other. The message says which; name the destination, or mend the counts.
    case invalidRelationship
    /// The inverse of a relationship is not there, or does not lead back. Name it on one side.
    case invalidInverse
    /// A default value does not fit the type of its attribute, or its limits. Mend the default.
    case invalidDefault
    /// A limit or a regular expression of an attribute cannot be meant. Mend it in the model.
    case invalidRule
    /// A uniqueness constraint is empty, or names something that is no stored attribute. Name
    /// stored attributes.
    case invalidConstraint
    /// Several attributes are marked as the primary key. Leave one, or name them all in the user
    /// info `sync.identifiers` of the entity.
    case severalPrimaryKeys
    /// The primary key is transient or transformable, so that it cannot be looked up. Mark a stored
    /// attribute of a plain type.
    case invalidPrimaryKey
  }

  /// The kind of the error.
  public let code: Code
  /// Name of the entity it is about; nil where it is about none.
  public let entity: String?
  /// Name of the property it is about; nil where it is about none.
  public let property: String?
  /// A sentence that tells the error and its remedy.
  public let message: String

  package init(_ code: Code, entity: String? = nil, property: String? = nil, message: String) {
    self.code = code
    self.entity = entity
    self.property = property
    self.message = message
  }

  package static func unknownEntity(_ name: String, known: [String]) -> ModelError {
    let list = known.isEmpty ? "no entities" : known.sorted().joined(separator: ", ")
    let near = Spelling.nearest(to: name, in: known).map { " Did you mean “\($0)”?" } ?? ""
    return ModelError(
      .unknownEntity, entity: name,
      message: "There is no entity “\(name)” in the model.\(near) It has \(list).")
  }
}

extension ModelError: ExplainedError {}

/// The sentences about references of entities and relationships to each other.
extension ModelError {
  static func duplicateEntity(_ name: String) -> ModelError {
    ModelError(
      .duplicateName, entity: name,
      message: "There are two entities named “\(name)”. Rename one of them.")
  }

  static func duplicateProperty(_ name: String, in entity: String) -> ModelError {
    ModelError(
      .duplicateName, entity: entity, property: name,
      message: "\(entity) has two properties named “\(name)”. Rename one of them.")
  }

  static func overrides(_ name: String, in entity: String, superentity: String?) -> ModelError {
    ModelError(
      .overriddenProperty, entity: entity, property: name,
      message: """
        \(entity).\(name) is inherited from \(superentity ?? "the superentity") and cannot be \
        declared again. Remove it from \(entity), or rename it.
        """)
  }

  static func sharedRenaming(
    _ identifier: String, entity: String, between first: String, and second: String
  ) -> ModelError {
    ModelError(
      .duplicateName, entity: entity, property: second == entity ? nil : second,
      message: """
        \(first) and \(second) have the same renaming identifier “\(identifier)”, so it is unclear \
        which of them takes over the stored values. Leave it at one of them.
        """)
  }

  static func unknownSuperentity(_ name: String, of entity: String, known: [String]) -> ModelError {
    ModelError(
      .unknownEntity, entity: entity,
      message: """
        \(entity) inherits from “\(name)”, but there is no such entity. The model has \
        \(known.joined(separator: ", ")).
        """)
  }

  static func inheritanceCycle(_ path: [String]) -> ModelError {
    ModelError(
      .inheritanceCycle, entity: path.first,
      message: """
        Entities inherit from each other in a circle: \(path.joined(separator: " → ")). Take the \
        superentity from one of them.
        """)
  }

  static func unknownDestination(
    of relationship: RelationshipDescription, in entity: String, known: [String]
  ) -> ModelError {
    let what =
      relationship.destinationName.isEmpty
      ? "names no destination" : "leads to “\(relationship.destinationName)”, which does not exist"
    return ModelError(
      .unknownEntity, entity: entity, property: relationship.name,
      message: """
        \(entity).\(relationship.name) \(what). Name one of the model's entities: \
        \(known.joined(separator: ", ")).
        """)
  }

  static func unknownInverse(
    of relationship: RelationshipDescription, in entity: String
  ) -> ModelError {
    let destination = relationship.destinationName
    let inverse = relationship.inverseName ?? ""
    return ModelError(
      .invalidInverse, entity: entity, property: relationship.name,
      message: """
        \(entity).\(relationship.name) names the inverse \(destination).\(inverse), which is no \
        relationship. Add “\(inverse)” to \(destination), with destination \(entity) and inverse \
        “\(relationship.name)”, or leave the inverse out.
        """)
  }

  static func inverseMismatch(
    of relationship: RelationshipDescription, in entity: String,
    inverse: RelationshipDescription, declaredBy other: String
  ) -> ModelError {
    let found = inverse.inverseName.map { "\(inverse.destinationName).\($0)" } ?? "no inverse"
    let place =
      other == relationship.destinationName
      ? "" : " and lead “\(relationship.name)” to \(other), which declares it"
    return ModelError(
      .invalidInverse, entity: entity, property: relationship.name,
      message: """
        \(entity).\(relationship.name) names the inverse \(other).\(inverse.name), but that names \
        \(found). Set the destination of \(other).\(inverse.name) to \(entity) and its inverse to \
        “\(relationship.name)”\(place).
        """)
  }

  static func transientInverse(
    of relationship: RelationshipDescription, in entity: String
  ) -> ModelError {
    ModelError(
      .invalidInverse, entity: entity, property: relationship.name,
      message: """
        \(entity).\(relationship.name) and its inverse \(relationship.destinationName).\
        \(relationship.inverseName ?? "") must both be transient, or both be stored.
        """)
  }
}
