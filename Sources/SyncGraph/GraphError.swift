public import SyncCore

/// An error of objects, a context or a stack, its place, and its remedy.
public struct GraphError: Error, Sendable {
  /// The kind of an error. Changes that a block has not saved are still in its context.
  public enum Code: String, Sendable, Hashable, Codable {
    /// Objects break rules of the model; see ``GraphError/failures``.
    case validation
    /// The delete rule *deny* forbids the deletion; ``GraphError/objects`` are in the way. Delete
    /// these before, or part them.
    case deletionDenied
    /// Rows changed since they were read; see ``GraphError/conflicts``. Choose a merge policy, or
    /// call ``ManagedObjectContext/updateAndSave(attempts:_:)``.
    case conflict
    /// There is no object of that identifier: it was deleted, or never saved. Fetch again.
    case notFound
    /// A class does not fit the entity that it stands for: a property is missing, or of another
    /// type. Mend the class, or the model.
    case classMismatch
    /// The model document is at none of the places where it was looked for, which the message
    /// lists. Put it at one of them, or give its address.
    case modelNotFound
    /// A uniqueness constraint of the model does not hold; ``GraphError/entity`` and
    /// ``GraphError/message`` name the entity and the values. Change one of the objects.
    case notUnique
    /// Something is asked for at a moment when it cannot be done: saving or closing inside a sync.
    /// Do it afterwards.
    case invalidRequest
    /// A function or property that a query cannot use. The message says which.
    case unsupported
    /// A transformer that the model names is not registered, or refused a value. Register one
    /// before the stack is made.
    case transformer
    /// The owner shares ``GraphError/objects`` to be read only.
    case readOnly
  }

  /// The kind of the error.
  public let code: Code

  /// A sentence that tells the error and its remedy.
  public let message: String

  /// Name of the entity it is about.
  public let entity: String?

  /// Name of the property it is about.
  public let key: String?

  /// Identifiers of the objects it is about.
  public let objects: [ManagedObjectID]

  /// The rules that were broken.
  public let failures: [ValidationFailure]

  /// The rows that changed meanwhile.
  public let conflicts: [SaveConflict]

  package init(
    _ code: Code, entity: String? = nil, key: String? = nil, objects: [ManagedObjectID] = [],
    failures: [ValidationFailure] = [], conflicts: [SaveConflict] = [], message: String
  ) {
    self.code = code
    self.entity = entity
    self.key = key
    self.objects = objects
    self.failures = failures
    self.conflicts = conflicts
    self.message = message
  }

  /// A value was asked for as a type that it is none of.
  static func notOfType(
    _ type: Any.Type, _ value: Value, entity: String, key: String
  ) -> GraphError {
    GraphError(
      .unsupported, entity: entity, key: key,
      message:
        "“\(value.excerpt)” of \(entity).\(key) is no value of type \(type). Ask for another type, "
        + "or for the value as it is stored.")
  }

  /// An error of broken rules. A save collects those of all objects and throws them as one.
  public init(_ failures: ValidationFailure...) {
    self.init(failures: failures)
  }

  init(failures: [ValidationFailure]) {
    let sentences = failures.prefix(10).map(\.message).joined(separator: " ")
    let rest = failures.count > 10 ? " (and \(failures.count - 10) more)" : ""
    self.init(
      .validation, entity: failures.first?.objectID.entity.name, key: failures.first?.key,
      objects: failures.map(\.objectID), failures: failures, message: sentences + rest)
  }
}

extension GraphError: ExplainedError {}

/// One rule of the model that one object breaks.
public struct ValidationFailure: Error, Sendable {
  /// Which rule of the model it is.
  public enum Rule: String, Sendable, Hashable, Codable {
    /// A required value is missing.
    case required
    /// A number, date or length lies below the limit.
    case minimum
    /// A number, date or length lies above the limit.
    case maximum
    /// A text does not match the regular expression.
    case pattern
    /// A to-many relationship has fewer objects than it must.
    case minimumCount
    /// A to-many relationship has more objects than it may.
    case maximumCount
    /// A rule of the class, in an override of ``ManagedObject/validateForSave()``.
    case custom
  }

  /// Which rule was broken.
  public let rule: Rule
  /// The object that breaks it.
  public let objectID: ManagedObjectID
  /// Name of the property that the rule is about.
  public let key: String

  /// A sentence that tells the error.
  public let message: String
}

/// A row that another context or a sync changed after this context had read it.
public struct SaveConflict: Sendable {
  /// The object of the row.
  public let objectID: ManagedObjectID

  /// The values as this context had read them, by property name.
  public let committed: [String: Value]

  /// The values that this context wants to save, by property name: the changed ones only.
  public let edited: [String: Value]

  /// The values that the store holds now; nil when the object was deleted there.
  public let stored: [String: Value]?
}

extension ValidationFailure: ExplainedError {}
