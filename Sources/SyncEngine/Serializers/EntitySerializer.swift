public import SyncCore
public import SyncGraph

/// A serializer whose settings are variables: for mappings made at run time, and for adjusted
/// copies of others.
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
    didSet { forget() }
  }
  public var forceInsert = false
  public var insertMissing = true
  public var updateExisting = true
  public var deleteMissing = true
  public var validators: [Validator] = [] {
    didSet { forget() }
  }
  public var didFill: FillHook? {
    didSet { forget() }
  }
  public var deletes: ItemTest? {
    didSet { forget() }
  }
  public var groupers: [Filter] = []
  public var subentities: Subentities? {
    didSet { forget() }
  }
  public var policy = SyncPolicy()

  /// The key of the serializer that this is a copy of, as long as no closure of it was replaced.
  private var origin: PlanKey?
  /// A mark that copies share as long as no closure of one of them was replaced.
  private var kinship = Kinship()

  private mutating func forget() {
    origin = nil
    kinship = Kinship()
  }

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
    if let other = other as? EntitySerializer<Object> { kinship = other.kinship }
  }

  private struct Key: Hashable {
    let origin: PlanKey
    let identifiers: [String]
    let switches: [Bool]
    let groupers: [String]
    let policy: SyncPolicy
  }

  /// That of the serializer it is a copy of, with the changed settings; nil when rules, validators
  /// or the hook were replaced.
  public var planKey: AnyHashable? {
    origin.map { AnyHashable(key($0, groupers.map(\.wholeText))) }
  }

  public var mappingSource: MappingSource {
    // Kinds have readers of their own below the reader of the group.
    guard !groupers.isEmpty, subentities == nil else { return mappingSource(keyBesideGroup: nil) }
    return mappingSource(keyBesideGroup: PlanKey(key(origin ?? PlanKey(kinship), [])))
  }

  private func key(_ origin: PlanKey, _ groupers: [String]) -> Key {
    Key(
      origin: origin, identifiers: identifiers,
      switches: [forceInsert, insertMissing, updateExisting, deleteMissing],
      groupers: groupers, policy: policy)
  }
}

/// Stands for the closures of serializers that are copies of one another: equal to itself alone.
private final class Kinship: Hashable, Sendable {
  static func == (one: Kinship, other: Kinship) -> Bool { one === other }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
