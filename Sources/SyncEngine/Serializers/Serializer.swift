public import SyncCore
public import SyncGraph

/// How JSON becomes objects of one entity, said by hand: the rules that fill properties, the
/// attributes that identify an object, and the changes that a sync may make.
///
/// ```swift
/// struct EmployeeSerializer: Serializer {
///   typealias Object = Employee
///   var identifiers: [String] { ["employeeID"] }
///   var mapping: Mapping {[
///     "employeeID": .int(["id"]),
///     "fullName": .string(["user", "name"]),
///   ]}
/// }
/// try await stack.sync(json, with: EmployeeSerializer())
/// ```
///
/// Everything but `Object`, ``identifiers`` and ``mapping`` has a default. Properties that the
/// mapping does not name are left alone. A serializer is asked for its settings when a sync begins,
/// on any thread.
public protocol Serializer<Object>: PlanSource {
  /// The class of the objects; `ManagedObject` where they have none of their own, with
  /// ``entityName``.
  associatedtype Object: ManagedObject

  /// The entity of the objects. Default: that of the class.
  var entityName: String { get }

  /// Names of the attributes that together identify an object. Each has a rule in ``mapping``, and
  /// every item a value for each.
  var identifiers: [String] { get }

  /// How each property gets its value.
  var mapping: Mapping { get }

  /// Whether every item becomes a new object, even if its key is stored; then ``insertMissing`` and
  /// ``updateExisting`` mean nothing. Without identifiers nothing is deleted. Default: false.
  var forceInsert: Bool { get }

  /// Whether items that match no stored object become new ones. Default: true.
  var insertMissing: Bool { get }

  /// Whether stored objects take the values of their items. Default: true.
  var updateExisting: Bool { get }

  /// Whether stored objects are deleted that no item names: at the top those of the group, in a
  /// nested list the former members of its owner, below a to-one relationship none. Default: true.
  var deleteMissing: Bool { get }

  /// Look at each item in turn, before anything else does. An item that one of them drops counts as
  /// not received.
  var validators: [Validator] { get }

  /// Sees the values with which an item fills an object, after all rules for attributes, in their
  /// order, and may change them: for values that come of several others. Called once for each item
  /// of the serializer, at every level, before its object is looked up; relationships are read
  /// afterwards. Called again for items of a part of the payload that has to be read again, because
  /// another item in it cannot be used. An error makes the item unfit. Default: none.
  var didFill: FillHook? { get }

  /// Whether an item says that its object is deleted, as in `{ $0["deleted"] == true }`. Of such an
  /// item nothing counts but its identifiers; stored objects with them are deleted, under any
  /// ``deleteMissing``. Default: none.
  var deletes: ItemTest? { get }

  /// The stored objects that the sync knows about: those that meet all of these. Others are neither
  /// matched nor deleted, so that an item whose key only an outsider has becomes a new object.
  /// Default: all.
  var groupers: [Filter] { get }

  /// Which subentity each item is, as a key of it says. Default: the model's `sync.typeKey`; else
  /// all are objects of the entity itself.
  var subentities: Subentities? { get }

  /// How the rules decide where the JSON leaves a choice.
  var policy: SyncPolicy { get }
}

extension Serializer {
  public var entityName: String { Object.entityName }
  public var identifiers: [String] { [] }
  public var forceInsert: Bool { false }
  public var insertMissing: Bool { true }
  public var updateExisting: Bool { true }
  public var deleteMissing: Bool { true }
  public var validators: [Validator] { [] }
  public var didFill: FillHook? { nil }
  public var deletes: ItemTest? { nil }
  public var groupers: [Filter] { [] }
  public var subentities: Subentities? { nil }
  public var policy: SyncPolicy { SyncPolicy() }

  public var mappingSource: MappingSource { mappingSource(keyBesideGroup: nil) }

  func mappingSource(keyBesideGroup: PlanKey?) -> MappingSource {
    let group = groupers.isEmpty ? nil : Filter.all(groupers)
    return MappingSource(
      content: .explicit(
        ExplicitMapping(
          entityName: entityName, identifiers: identifiers, mapping: mapping,
          settings: ExplicitSettings(
            alwaysInserts: forceInsert, insertsMissing: insertMissing,
            updatesExisting: updateExisting, deletesMissing: deleteMissing,
            validators: validators, didFill: didFill, deletes: deletes, group: group),
          policy: policy, subentities: subentities)),
      keyBesideGroup: keyBesideGroup)
  }

  /// A serializer that is `Hashable`, or has no stored properties, is compiled once for all syncs
  /// of a stack; others each time.
  public var planKey: AnyHashable? {
    if let key = self as? any Hashable { return AnyHashable(key) }
    return MemoryLayout<Self>.size == 0 ? AnyHashable(ObjectIdentifier(Self.self)) : nil
  }

  /// An adjustable copy, for nesting.
  ///
  /// ```swift
  /// "department": .toOne("department") { DepartmentSerializer().with { $0.updateExisting = false } }
  /// ```
  public func with(
    _ change: (inout EntitySerializer<Object>) -> Void
  ) -> EntitySerializer<Object> {
    var copy = EntitySerializer(copying: self)
    change(&copy)
    return copy
  }
}
