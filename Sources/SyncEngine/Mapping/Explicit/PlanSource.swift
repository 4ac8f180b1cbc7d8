public import SyncCore

/// Something that says how JSON becomes objects of one entity: a ``Serializer``, or
/// ``Conventional`` mapping.
///
/// Both compile to the same plan, so that either may stand where the other does: below a
/// relationship of a serializer, or at the top of a sync.
public protocol PlanSource: Sendable {
  /// The mapping that the source gives, at the moment.
  var mappingSource: MappingSource { get }

  /// Equal keys promise equal plans, which are compiled once; nil has the plan compiled each time.
  var planKey: AnyHashable? { get }
}

extension PlanSource {
  public var planKey: AnyHashable? { nil }
}

/// Looks at an item before anything else does: nil and null drop it, another value takes its place,
/// and an error refuses it.
public typealias Validator = @Sendable (JSONValue) throws -> JSONValue?

/// Answers a question about an item of JSON.
public typealias ItemTest = @Sendable (JSONValue) throws -> Bool

/// Looks at the values with which an item fills an object, and may change them. An error refuses
/// the item.
public typealias FillHook =
  @Sendable (_ object: inout FilledObject, _ item: JSONValue) throws ->
  Void

/// The mapping that the model suggests, and the rules that were written on the stack.
///
/// ```swift
/// "owner": .toOne("owner") { Conventional("Person") }
/// ```
public struct Conventional: PlanSource, Hashable {
  /// The entity of the items.
  public let entityName: String

  /// Takes an entity of the model.
  public init(_ entityName: String) {
    self.entityName = entityName
  }

  public var mappingSource: MappingSource { MappingSource(content: .conventional(entityName)) }
  public var planKey: AnyHashable? { self }
}

/// The mapping that a ``PlanSource`` gives. Made by ``Conventional`` and by serializers.
public struct MappingSource: Sendable {
  enum Content: Sendable {
    case conventional(String)
    case explicit(ExplicitMapping)
    /// Bare keys of objects, which are made where they are not there.
    case stubs(String)
  }

  let content: Content

  /// Equal ones promise that sources say the same but for the group: a group for each parent needs
  /// no plan for each. Nil promises nothing.
  var keyBesideGroup: PlanKey?

  /// The entity of the items.
  package var entityName: String {
    switch content {
    case .conventional(let name), .stubs(let name): name
    case .explicit(let mapping): mapping.entityName
    }
  }
}

extension MappingSource {
  /// The stored objects that take part; nil is all of the entity.
  var group: Filter? {
    if case .explicit(let mapping) = content { mapping.settings.group } else { nil }
  }

  /// The mapping by hand; nil where the conventions decide.
  ///
  /// - Throws: ``MappingError`` when no stub of an entity can be stored; `ModelError` when the
  ///   model does not have it.
  func explicit(in model: ManagedObjectModel) throws -> ExplicitMapping? {
    switch content {
    case .conventional: return nil
    case .explicit(let mapping): return mapping
    case .stubs(let name):
      let entity = try model.requireEntity(named: name)
      guard let key = entity.primaryKey else { throw MappingError.noPrimaryKey(entity) }
      if let reason = entity.reasonAgainstStubs {
        throw MappingError(
          .unsuitableRule, entity: name,
          message: """
            No stub of “\(name)” can be stored: \(reason). Give what is required a default, or leave creating out.
            """)
      }
      return ExplicitMapping(
        entityName: name, identifiers: [key.name],
        mapping: [key.name: .raw([]).coercing(.lossless)],
        settings: ExplicitSettings(
          alwaysInserts: false, insertsMissing: true, updatesExisting: true, deletesMissing: false,
          validators: [], didFill: nil, deletes: nil, group: nil),
        policy: SyncPolicy())
    }
  }
}

/// Keys of objects without anything else: a stub is made of each that is not there.
struct Stubs: PlanSource, Hashable {
  let entityName: String

  var mappingSource: MappingSource { MappingSource(content: .stubs(entityName)) }
  var planKey: AnyHashable? { self }
}

/// The mapping of a serializer, without its type.
struct ExplicitMapping: Sendable {
  let entityName: String
  let identifiers: [String]
  var mapping: Mapping
  let settings: ExplicitSettings
  let policy: SyncPolicy
  var subentities: Subentities?

  /// The same for objects of a subentity, which does not have the kinds below it again.
  func naming(_ entityName: String) -> ExplicitMapping {
    ExplicitMapping(
      entityName: entityName, identifiers: identifiers, mapping: mapping, settings: settings,
      policy: policy, kindPath: subentities?.path,
      relatives: [self.entityName] + (subentities?.kinds.map(\.kind.entityName) ?? []))
  }

  /// The path of the name of the kind that another mapping asked for before.
  var kindPath: JSONPath?

  /// Entities whose properties the mapping may name, though its own does not have them.
  var relatives: [String] = []
}

/// The settings of a serializer for objects beside how their properties are filled.
package struct ExplicitSettings: Sendable {
  /// Whether every item becomes a new object, even if its key is stored.
  let alwaysInserts: Bool
  let insertsMissing: Bool
  let updatesExisting: Bool
  let deletesMissing: Bool
  let validators: [Validator]
  let didFill: FillHook?
  /// Whether an item says that its object is deleted.
  let deletes: ItemTest?
  /// The stored objects that take part; nil is all of the entity.
  let group: Filter?

  /// Everything about them that is no closure, for the key of a plan.
  var keyText: String {
    "\(alwaysInserts) \(insertsMissing) \(updatesExisting) \(deletesMissing) \(validators.count) \(didFill != nil) \(deletes != nil) "
      + (group?.wholeText ?? "")
  }
}

/// The source of the mapping by which the objects below a relationship are read.
enum NestedSource: Sendable {
  /// One that is the same for every parent, asked once for each sync, or for each part of a payload
  /// where other closures belong to the mapping.
  case constant(@Sendable () -> any PlanSource)
  /// One that sees the parent's item.
  case perParent(@Sendable (JSONValue) -> any PlanSource)
}

/// The key of a source's answer for the objects of one node of a plan.
struct NodeKey: Hashable {
  let number: Int
  let key: PlanKey
  /// Whether the group is left to each source that has the key.
  let ignoresGroup: Bool

  /// Nil when the source promises nothing.
  ///
  /// - Parameter said: The mapping of the source, where it may be told from others without its
  ///   group.
  init?(number: Int, _ source: any PlanSource, besideGroup said: MappingSource? = nil) {
    guard let key = said?.keyBesideGroup ?? PlanKey(source) else { return nil }
    self.number = number
    self.key = key
    ignoresGroup = said?.keyBesideGroup != nil
  }
}

/// A key of ``PlanSource``.
struct PlanKey: Hashable, @unchecked Sendable {
  // Sendable although AnyHashable is not: it is made of a sendable source, and only compared.
  private let base: AnyHashable

  init?(_ source: any PlanSource) {
    guard let key = source.planKey else { return nil }
    base = key
  }

  init(_ base: some Hashable & Sendable) { self.base = AnyHashable(base) }
}

extension MappingSource {
  /// The stored objects that the source is about, as far as a filter means them.
  func filter(and filter: Filter?) -> Filter? {
    guard case .explicit(let mapping) = content, let group = mapping.settings.group else {
      return filter
    }
    return filter.map { .all([group, $0]) } ?? group
  }
}
