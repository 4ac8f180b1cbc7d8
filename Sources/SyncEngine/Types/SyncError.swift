public import SyncCore

/// Why a sync was refused or failed. The store is as it was before.
public struct SyncError: Error, Sendable, Hashable {
  /// The kind of an error. Those about an item are thrown only with ``SyncSettings/onItemError``
  /// `.fail`; by default the item is left out, and the report has a finding.
  public enum Code: String, Sendable, Hashable, Codable {
    /// The model has no such entity. Look at the spelling of `inEntityNamed:`.
    case unknownEntity
    /// The entity has no such property, or one of another kind. Look at the spelling.
    case unknownProperty
    /// The entity has no primary key, so objects cannot be told apart. Name an attribute `id`, or
    /// mark one.
    case noPrimaryKey
    /// An item has no readable primary key. If all lack it, the list lies deeper (`at:`), or the
    /// key has another name (`remoteKey:`).
    case missingKey
    /// An item of a kind that no subentity stands for. Name the kind in `sync.type`, or give one
    /// subentity the type `*`.
    case unknownKind
    /// Several stored objects have the key of an item, and the policy forbids that. Delete all but
    /// one, or choose another ``SyncPolicy/storedDuplicates``.
    case ambiguousStored
    /// A relationship to one object is given several. Make it a to-many relationship.
    case tooManyObjects
    /// The payload or an item of it is no JSON object, or no object of the entity; or a validator
    /// or a hook refused it. Look at the payload; ``SyncSettings/onItemError`` leaves such items
    /// out.
    case invalidItem
    /// A value cannot be converted to the type of its attribute. Change the type, or write a rule.
    case typeMismatch
    /// A number is too large for its attribute. Give the attribute a larger type.
    case outOfRange
    /// A text is no date that its rule understands. Read it by a `custom` rule.
    case invalidDate
    /// A required attribute or to-one relationship would be empty. Make it optional, or give the
    /// attribute a default.
    case requiredValueMissing
    /// A value breaks a minimum, a maximum or a regular expression of the model. Mend the payload,
    /// or widen the limit.
    case invalidValue
    /// A to-many relationship would have fewer or more objects than the model allows. Mend the
    /// payload, or widen the count.
    case invalidMemberCount
    /// No relationship, or more than one, leads to the parent. Name it by `parentRelationship:`.
    case ambiguousRelationship
    /// The parent is not stored. Save it before its children are synced.
    case parentNotFound
    /// No object has that primary key: thrown by calls about one object. Sync it first.
    case objectNotFound
    /// The sync would delete more than the deletion guard allows, or no item can be used. Look at
    /// the payload first; then at ``SyncSettings/deletionGuard``.
    case deletionRefused
    /// The payload cannot be read: it is no JSON, or the file or stream ended early. Fetch it anew;
    /// the message has the place.
    case unreadablePayload
    /// The operation lacks something that it needs, or was used against its rules, as when it is
    /// run twice. The message names the rule.
    case invalidRequest

    /// The word of serializers for ``missingKey``.
    public static var missingIdentifier: Code { .missingKey }
  }

  /// The kind of the error.
  public let code: Code
  /// Name of the entity it is about; nil where it is about the whole payload.
  public let entity: String?
  /// The attribute, relationship or JSON key it is about.
  public let property: String?
  /// Primary key of the object it is about, as text.
  public let key: String?
  /// Where in the payload, as in `$[3].notes[0].id`.
  public let path: String?
  /// A sentence that tells the error and its remedy.
  public let message: String

  package init(
    _ code: Code, entity: String? = nil, property: String? = nil, key: String? = nil,
    path: String? = nil, message: String
  ) {
    self.code = code
    self.entity = entity
    self.property = property
    self.key = key
    self.path = path
    self.message = message
  }
}

extension SyncError: ExplainedError {
  public var description: String {
    var result = message
    if let path { result += " At \(path)." }
    return result
  }
}

extension SyncError {
  /// The same error, of the item at a path unless it says where it is.
  func at(_ path: String) -> SyncError {
    SyncError(
      code, entity: entity, property: property, key: key, path: self.path ?? path, message: message)
  }

  package static func noPrimaryKey(_ entity: String, path: String? = nil) -> SyncError {
    SyncError(
      .noPrimaryKey, entity: entity, path: path,
      message: """
        Entity “\(entity)” has no primary key, so its objects cannot be told apart. Name an attribute \
        “id” or “remoteID”, or give one the user info sync.isPrimaryKey = YES.\
        \(path == nil ? "" : " Below a relationship with the delete rule cascade they are their owner's and need none.")
        """)
  }
}

extension SyncError {
  /// Advice when nothing of a document can be used, as when the list lies deeper.
  package static let listAdvice =
    "If the list lies deeper in the document, say where by at, as in at: \"data.items\"."

  /// Advice when a deletion was refused. Programs whose users do not write Swift say it in words of
  /// their own.
  package static let deletionAdvice = """
    If it is meant, set deletionGuard to off, or give it other limits; if the payload is only a part, leave \
    .delete out of the operations, or use a predicate or a page session.
    """

  /// Advice when the deletions of an undo were refused.
  package static let undoAdvice =
    "Look at a dry run; if it is meant, set deletionGuard to .off, or to .on with other limits."
}

extension SyncError.Code {
  /// The kind of finding for a value that does not fit its property's type.
  init(_ reason: MismatchReason) {
    self =
      switch reason {
      case .outOfRange: .outOfRange
      case .notADate: .invalidDate
      default: .typeMismatch
      }
  }
}
