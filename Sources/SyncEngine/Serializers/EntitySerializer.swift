public import SyncCore
public import SyncGraph

/// A serializer whose settings are variables: for mappings made at run time, and for adjusted copies of others.
///
/// ```swift
/// var serializer = EntitySerializer(Employee.self)
/// serializer.identifiers = ["employeeID"]
/// serializer.mapping = ["employeeID": .int("id"), "fullName": .string(["user", "name"])]
/// ```
public struct EntitySerializer<Object: ManagedObject>: Serializer {
  public let entityName: String
  public var identifiers: [String] = []
  public var mapping: Mapping = [:] {
    didSet { origin = nil }
  }
  public var forceInsert = false
  public var insertMissing = true
  public var updateExisting = true
  public var deleteMissing = true
  public var validators: [Validator] = [] {
    didSet { origin = nil }
  }
  public var didFill: FillHook? {
    didSet { origin = nil }
  }
  public var deletes: ItemTest? {
    didSet { origin = nil }
  }
  public var groupers: [Filter] = []
  public var subentities: Subentities? {
    didSet { origin = nil }
  }
  public var policy = SyncPolicy()

  /// The key of the serializer that this is a copy of, as long as no closure of it was replaced.
  private var origin: PlanKey?

  /// Makes a serializer of objects of a class.
  public init(_ type: Object.Type = Object.self) {
    entityName = type.entityName
  }

  /// Makes a serializer of objects of an entity, which need no class of their own.
  public init(_ type: Object.Type = Object.self, entityNamed name: String) {
    entityName = name
  }

  /// Copies the settings of a serializer.
  public init(copying other: some Serializer<Object>) {
    entityName = other.entityName
    identifiers = other.identifiers
    mapping = other.mapping
    forceInsert = other.forceInsert
    insertMissing = other.insertMissing
    updateExisting = other.updateExisting
    deleteMissing = other.deleteMissing
    validators = other.validators
    didFill = other.didFill
    deletes = other.deletes
    groupers = other.groupers
    subentities = other.subentities
    policy = other.policy
    origin = PlanKey(other)
  }

  private struct Key: Hashable {
    let origin: PlanKey
    let identifiers: [String]
    let switches: [Bool]
    let groupers: [String]
    let policy: SyncPolicy
  }

  /// That of the serializer it is a copy of, with what was changed; nil when rules, validators or the hook were replaced.
  public var planKey: AnyHashable? {
    origin.map {
      AnyHashable(
        Key(
          origin: $0, identifiers: identifiers,
          switches: [forceInsert, insertMissing, updateExisting, deleteMissing],
          groupers: groupers.map(\.wholeText), policy: policy))
    }
  }
}
