/// How a plan decides where the JSON leaves a choice.
///
/// The defaults are those of explicit serializers; conventional mapping is more forgiving.
public struct SyncPolicy: Sendable, Hashable {
  /// The meaning of a key that the JSON does not have.
  public enum Missing: String, Sendable, Hashable, CaseIterable {
    /// The property stays as it was.
    case keep
    /// The property becomes empty.
    case clear
    /// The item is unfit.
    case fail
  }

  /// The fate of a value that cannot be converted.
  public enum Mismatch: String, Sendable, Hashable, CaseIterable {
    /// The item is unfit.
    case fail
    /// The property becomes empty.
    case clear
    /// The property stays as it was, and the report says so.
    case keep
  }

  /// Which kinds of JSON value an attribute takes.
  public enum Coercion: String, Sendable, Hashable, CaseIterable {
    /// Only the kind the rule asks for.
    case strict
    /// Any kind that can be converted without loss: `"12"` for a number, `12` for a text. The
    /// default.
    case lossless
  }

  /// The fate of an object without a readable key.
  public enum MissingIdentity: String, Sendable, Hashable {
    /// The item is unfit.
    case fail
    /// The object is left out, and the report says so.
    case skip
    /// The object is a new one each time.
    case insert
  }

  /// The policy for several stored objects of one key.
  public enum StoredDuplicates: String, Sendable, Hashable {
    /// All of them take the values.
    case updateAll
    /// The first takes the values; the others go like objects that no item names, where the sync
    /// deletes those. Their relationships are not moved to the first: references to them are
    /// treated by the delete rules of the model, and the lists that an item gives are those of the
    /// first.
    case keepOne
    /// The sync fails.
    case fail
  }

  /// Where an object of a key is looked for.
  public enum IdentityScope: String, Sendable, Hashable {
    /// Among the objects that the groupers mean.
    case group
    /// Among all objects of the entity: an object outside the group that an item names is updated.
    case entity
  }

  /// Which stored objects go when no item names them.
  public enum DeletionScope: String, Sendable, Hashable {
    /// Those of the group.
    case group
    /// The former members of the owner's list.
    case parent
    /// None.
    case nothing
  }

  /// The meaning of a missing key; a rule's own setting wins.
  public var missingKey: Missing = .keep
  /// The fate of a value that cannot be converted; a rule's own setting wins.
  public var mismatch: Mismatch = .fail
  /// Which kinds of JSON value attributes take; a rule's own setting wins.
  public var coercion: Coercion = .lossless
  /// The fate of an object without a readable key.
  public var missingIdentity: MissingIdentity = .fail
  /// Where an object of a key is looked for.
  public var identityScope: IdentityScope = .group
  /// Where `deleteMissing` reaches; nil, the default, goes by the place: the group at the top, the
  /// owner's former members in a nested list, nothing below a to-one relationship.
  public var deletionScope: DeletionScope?
  /// The policy for several stored objects of one key when an item at the top has it. A nested
  /// object means only one of them under every policy.
  public var storedDuplicates: StoredDuplicates = .updateAll

  /// Makes the policy of explicit serializers.
  public init() {}

  /// The policy of conventional mapping: an object that cannot be used costs only itself, and a
  /// value that cannot be converted leaves the stored one alone.
  public static var conventional: SyncPolicy {
    var policy = SyncPolicy()
    policy.mismatch = .keep
    policy.missingIdentity = .skip
    policy.storedDuplicates = .keepOne
    return policy
  }
}
