public import SyncCore

/// The values of an object at one moment, frozen. May go anywhere.
///
/// ```swift
/// let snapshots = try await work.perform { try work.fetch(Fetch<User>()).map { $0.snapshot() } }
/// snapshots[0].$name                       // String?, checked by the compiler
/// snapshots[0]["age"]                      // Value
/// ```
///
/// Has all attributes, transient ones too, and the identifier behind each to-one relationship; of
/// to-many relationships those that were asked for.
@dynamicMemberLookup
public struct ObjectSnapshot<Object: ManagedObject>: Sendable {
  /// The object whose values these are.
  public let objectID: ManagedObjectID

  /// By slot.
  private let values: [Value]
  private let destinations: [Int: ManagedObjectID]
  private let members: [String: [ManagedObjectID]]

  /// The values that properties read where none is stored, by slot.
  private let defaults: [Int: Value]

  /// Whether the object was deleted.
  private let isGone: Bool

  init(_ object: ManagedObject, including names: [String]) {
    objectID = object.objectID
    defaults = object.binding.defaults
    isGone = object.isKnownDeleted
    var values: [Value] = []
    var destinations: [Int: ManagedObjectID] = [:]
    for (slot, kind) in object.home.shape.kinds.enumerated() {
      switch kind {
      case .attribute:
        values.append(object.value(at: slot))
      case .toOne(let ordinal):
        values.append(.null)
        let relationship = object.home.shape.relationships[ordinal]
        guard relationship.isDestinationInherited || relationship.inverseSlot == nil else {
          if case .int(let row) = object.value(at: slot) {
            destinations[slot] = ManagedObjectID(entity: relationship.destination, row: row)
          }
          continue
        }
        destinations[slot] = object.destination(ordinal)?.objectID
      case .toMany:
        values.append(.null)
      }
    }
    self.values = values
    self.destinations = destinations
    var members: [String: [ManagedObjectID]] = [:]
    for name in names {
      let slot = object.home.shape.requireSlot(name)
      guard case .toMany(let ordinal) = object.home.shape.kinds[slot] else { continue }
      members[name] = object.members(ordinal).map(\.objectID)
    }
    self.members = members
  }

  /// The entity of the object.
  public var entity: EntityDescription { objectID.entity }

  /// The value of an attribute; nil when the entity has no attribute of that name.
  public subscript(key: String) -> Value? {
    entity.attribute(named: key).map { values[$0.slot] }
  }

  /// The value of an attribute, as the property of the object reads it: `snapshot.$name`. Where
  /// nothing is stored, that is nil or the default of the class.
  ///
  /// - Precondition: There is one of the type, or the type is optional.
  public subscript<Property: AttributeProperty>(
    dynamicMember property: KeyPath<Object, Property>
  ) -> Property.Wrapped {
    let name = PropertyNames.name(of: property)
    let stored = self[name] ?? .null
    guard
      let value = Property.Wrapped.converted(from: stored) ?? Property.Wrapped.absentValue
        ?? standIn(for: name, stored) ?? (isGone ? Property.Wrapped.zero : nil)
    else {
      programmingError(
        """
        \(entity.name).\(name) of \(objectID) \
        \(stored.isNull ? "was never set" : "is “\(stored.excerpt)”"), which is no value of type \
        \(Property.Wrapped.self). Set it first, or declare it as optional.
        """)
    }
    return value
  }

  private func standIn<Wrapped: ValueConvertible>(for name: String, _ stored: Value) -> Wrapped? {
    guard stored.isNull, let slot = entity.attribute(named: name)?.slot else { return nil }
    return defaults[slot].flatMap(Wrapped.converted)
  }

  /// The object that a to-one relationship led to; nil when there was none.
  public func destination(ofKey key: String) -> ManagedObjectID? {
    entity.relationship(named: key).flatMap { destinations[$0.slot] }
  }

  /// The members of a to-many relationship, in order when it has one; nil when it was not asked
  /// for.
  public func members(ofKey key: String) -> [ManagedObjectID]? { members[key] }

  /// All attributes that have a value, by name.
  public var attributes: [String: Value] {
    var result: [String: Value] = [:]
    for attribute in entity.attributes where !values[attribute.slot].isNull {
      result[attribute.name] = values[attribute.slot]
    }
    return result
  }
}

/// Equal identifiers and values; transient ones too.
extension ObjectSnapshot: Equatable {}

extension ObjectSnapshot: CustomStringConvertible {
  public var description: String {
    let texts = attributes.inKeyOrder.map { "\($0.key): \($0.value)" }
    return "\(objectID) (\(texts.joined(separator: ", ")))"
  }
}

/// An object that can be frozen: every managed object, as its own class.
public protocol Snapshotting: ManagedObject {}

extension ManagedObject: Snapshotting {}

extension Snapshotting {
  /// The values as they are now, unsaved ones included, as a value that may leave the context.
  ///
  /// - Parameter names: to-many relationships whose members' identifiers are wanted too.
  /// - Precondition: The entity has relationships of those names.
  public func snapshot(including names: String...) -> ObjectSnapshot<Self> {
    checkAccess()
    return ObjectSnapshot(self, including: names)
  }
}
