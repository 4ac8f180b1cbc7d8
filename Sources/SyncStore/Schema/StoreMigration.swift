public import SyncCore

/// The policy for opening a store whose file was made with another model.
public enum MigrationPolicy: Sendable, Hashable {
  /// The file is copied and then brought to the new model, where that can be inferred.
  case automatic
  /// An error: the program decides.
  case refuse
}

/// The steps that bring a store to a changed model, inferred from the two models alone.
///
/// ```swift
/// let migration = StoreMigration.plan(from: oldModel, to: newModel)
/// print(migration)                       // a line for each step, and for each thing in the way
/// ```
///
/// Elements are the same in both models when they have the same name, or when the renaming
/// identifier of one says so. Nothing is guessed beyond that.
///
/// A plan knows models, not objects. Some steps depend on stored rows (a required attribute without
/// default needs objects that have values); their descriptions say so, and opening the store finds
/// out before it changes anything.
public struct StoreMigration: Sendable, Hashable {
  /// One change, in words.
  public struct Step: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
      case added
      case removed
      case renamed
      /// An entity has another superentity.
      case moved
      /// An entity became abstract or concrete.
      case abstractness
      /// Values of an attribute turn into another type.
      case converted
      case required
      case optional
      /// A to-one relationship became to-many, or the other way round.
      case cardinality
      case order
      case destination
      case inverse
      case uniqueness
      case indexes
    }

    package let kind: Kind

    /// Name of the entity, as the new model has it; as the old one, for a removed one.
    package let entity: String

    /// Name of the property, if it is about one.
    package let property: String?

    /// A sentence.
    public let description: String
  }

  /// Everything that changes, in the order of the new model; removals last.
  public let steps: [Step]

  /// The changes that cannot be inferred. A store is migrated only when there is nothing here.
  public let obstacles: [StoreError.Obstacle]

  /// Whether the models store the same.
  public var isEmpty: Bool { steps.isEmpty && obstacles.isEmpty }

  /// Whether a store can be migrated, as far as the models tell.
  public var isInferable: Bool { obstacles.isEmpty }

  /// Compares two models, without touching a store.
  public static func plan(
    from old: ManagedObjectModel, to new: ManagedObjectModel
  ) -> StoreMigration {
    MigrationPlanner.plan(ModelMatch(from: old, to: new))
  }
}

extension StoreMigration: CustomStringConvertible {
  /// A line for each step and each obstacle.
  public var description: String {
    if isEmpty { return "Nothing changes in what is stored." }
    let lines =
      steps.map { "- \($0.description)" }
      + obstacles.map { "- cannot be inferred: \($0.description)" }
    return lines.joined(separator: "\n")
  }

  /// The steps in one sentence, for messages.
  var summary: String {
    isEmpty
      ? "nothing changes in what is stored" : steps.map(\.description).joined(separator: "; ")
  }
}
