/// What is wrong with a model, and where.
public struct ModelError: Error, Sendable, Hashable {
  public enum Code: String, Sendable, Hashable, Codable {
    case unknownEntity, unknownProperty, documentNotFound, malformedDocument, unsupported
    case invalidName, duplicateName, inheritanceCycle, overriddenProperty
    case invalidRelationship, invalidInverse, invalidDefault, invalidRule, invalidConstraint
    case severalPrimaryKeys, invalidPrimaryKey
  }

  public let code: Code
  public let entity: String?
  public let property: String?
  /// A sentence that says what is wrong and what to do.
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
