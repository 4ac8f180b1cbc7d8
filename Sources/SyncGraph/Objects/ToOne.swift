public import SyncCore

/// A relationship to at most one object.
///
/// ```swift
/// @ToOne(inverse: "employees") var company: Company?
/// ```
///
/// Setting it sets the other side at once.
@propertyWrapper
public struct ToOne<Destination: ManagedObject>: PropertyWrapper {
  let ordinal: UInt16

  /// Declares a relationship that no other one leads back from, unless that one names it.
  public init() { self.init(inverse: nil) }

  /// Declares a relationship.
  ///
  /// - Parameters:
  ///   - inverse: Name of the destination's relationship that leads back.
  ///   - deleteRule: The fate of the destination when the object is deleted.
  ///   - isRequired: Whether a save without destination fails.
  ///   - remoteKey: Key in JSON, when it does not follow from the name.
  ///   - createsStubs: Whether a key in JSON that no object has makes one that has nothing but the
  ///     key.
  ///   - renamedFrom: Name in an earlier version of the model.
  ///   - userInfo: Annotations.
  public init(
    inverse: String? = nil, deleteRule: DeleteRule = .nullify, isRequired: Bool = false,
    remoteKey: String? = nil, createsStubs: Bool = false, renamedFrom: String? = nil,
    userInfo: [String: String] = [:]
  ) {
    ordinal = WrapperConstruction.ordinal {
      .relationship(
        Destination.self, inverse: inverse, deleteRule: deleteRule, isRequired: isRequired,
        remoteKey: remoteKey, createsStubs: createsStubs, renamedFrom: renamedFrom,
        userInfo: userInfo)
    }
  }

  /// The declaration itself, which gives a key path its name: `\Note.$user`.
  public var projectedValue: ToOne { self }

  @available(
    *, unavailable, message: "Relationships belong into classes that inherit ManagedObject."
  )
  public var wrappedValue: Destination? {
    get { programmingError("A relationship needs a managed object.") }
    set { programmingError("A relationship needs a managed object.") }
  }

  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object,
    wrapped wrapped: ReferenceWritableKeyPath<Object, Destination?>,
    storage storage: ReferenceWritableKeyPath<Object, ToOne>
  ) -> Destination? {
    get {
      let slot = object.binding.slots[Int(object[keyPath: storage].ordinal)]
      guard case .toOne(let ordinal) = object.home.shape.kinds[slot] else { return nil }
      let found = object.destination(ordinal)
      object.noteRead(slot)
      return found.map { $0.typed(as: Destination.self, for: object, slot) }
    }
    set {
      let slot = object.binding.slots[Int(object[keyPath: storage].ordinal)]
      guard case .toOne(let ordinal) = object.home.shape.kinds[slot] else { return }
      object.setDestination(ordinal, newValue)
    }
  }
}

@available(*, unavailable, message: "A declaration belongs to its object.")
extension ToOne: Sendable {}

/// Among which objects the keys of children in JSON are unique.
public enum KeyScope: String, Sendable, Hashable {
  /// Among all objects of their entity: a child that another owner lists moves there.
  case entity
  /// Among the children of one owner: nothing moves between owners.
  case owner
}

extension WrapperDeclaration {
  /// The declaration of a relationship; its name is filled in later.
  static func relationship(
    _ destination: ManagedObject.Type, inverse: String? = nil, isToMany: Bool = false,
    isOrdered: Bool = false, deleteRule: DeleteRule = .nullify, isRequired: Bool = false,
    minCount: Int = 0, maxCount: Int = 0, remoteKey: String? = nil, keyScope: KeyScope = .entity,
    createsStubs: Bool = false, renamedFrom: String? = nil, userInfo: [String: String] = [:]
  ) -> WrapperDeclaration {
    var userInfo = userInfo
    if let remoteKey { userInfo[ModelAnnotation.remoteKey.currentKey] = remoteKey }
    if keyScope == .owner { userInfo["sync.keyScope"] = keyScope.rawValue }
    if createsStubs { userInfo["sync.stub"] = "YES" }
    return WrapperDeclaration(
      content: .relationship(
        RelationshipDescription(
          "", to: destination.entityName, inverse: inverse, isToMany: isToMany,
          isOrdered: isOrdered, isOptional: !isRequired, minCount: minCount, maxCount: maxCount,
          deleteRule: deleteRule, userInfo: userInfo, renamingIdentifier: renamedFrom)))
  }
}

extension ManagedObject {
  /// The object as the class that a relationship declares.
  ///
  /// - Precondition: It is one.
  final func typed<Destination: ManagedObject>(
    as type: Destination.Type, for owner: ManagedObject, _ slot: Int
  ) -> Destination {
    guard let result = self as? Destination else {
      programmingError(
        """
        \(owner.entity.name).\(owner.binding.shape.names[slot]) leads to \(self), which is not a \
        \(type). Name the classes when you make the stack: DataStack(…, classes: [\(type).self]).
        """)
    }
    return result
  }
}
