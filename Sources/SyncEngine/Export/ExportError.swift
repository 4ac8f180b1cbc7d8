public import SyncCore

/// Why something could not be exported.
public struct ExportError: Error, Sendable, Hashable {
  /// The kind of an error. A file that was to be written is as it was before.
  public enum Code: String, Sendable, Hashable, Codable {
    /// The transformer of an attribute refused a stored value. Give it a `reverse` function for all
    /// that is stored, or the attribute `sync.nonExportable`.
    case transformerFailed
    /// A rule that was written by hand has no way back, or it refused a stored value. Give a custom
    /// rule its `encode`.
    case irreversibleRule
    /// The JSON of one object would hold more objects than ``ExportOptions/maximumObjects``. Export
    /// relationships as keys, or allow more.
    case tooManyObjects
    /// ``ExportOptions/nesting`` names a relationship that the model does not have. Look at the
    /// spelling.
    case unknownRelationship
    /// The file cannot be written: its folder is missing, not writable, or full. Make the folder,
    /// or room.
    case cannotWrite
  }

  /// The kind of the error.
  public let code: Code
  /// Name of the entity it is about; nil where it is about the file.
  public let entity: String?
  /// Name of the property it is about; nil where it is about none.
  public let property: String?
  /// Where the rule of the property reads its value, as in `$.user.name`.
  public let path: String?
  /// A sentence that tells the error and its remedy.
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
