public import SyncCore

/// Why something could not be exported.
public struct ExportError: Error, Sendable, Hashable {
  public enum Code: String, Sendable, Hashable, Codable {
    /// The transformer of an attribute refused a stored value.
    case transformerFailed
    /// A rule that was written by hand has no way back, or it refused a stored value.
    case irreversibleRule
    /// The JSON of one object would hold more objects than ``ExportOptions/maximumObjects``.
    case tooManyObjects
    /// ``ExportOptions/nesting`` names a relationship that the model does not have.
    case unknownRelationship
    /// The file cannot be written.
    case cannotWrite
  }

  public let code: Code
  public let entity: String?
  public let property: String?
  /// Where the rule of the property reads its value, as in `$.user.name`.
  public let path: String?
  /// A sentence that says what is wrong and what to do.
  public let message: String

  init(
    _ code: Code, entity: String? = nil, property: String? = nil, path: String? = nil,
    message: String
  ) {
    self.code = code
    self.entity = entity
    self.property = property
    self.path = path
    self.message = message
  }
}

extension ExportError: ExplainedError {}
