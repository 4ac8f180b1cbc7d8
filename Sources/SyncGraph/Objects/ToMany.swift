public import SyncCore

/// A relationship to any number of objects, without order.
///
/// ```swift
/// @ToMany(inverse: "user", deleteRule: .cascade) var notes: Set<Note>
/// user.notes.insert(note)                       // in place: does not copy the set
/// ```
///
/// Changing it changes the other side of every object that comes or goes, at once.
@propertyWrapper
public struct ToMany<Destination: ManagedObject>: PropertyWrapper {
  let ordinal: UInt16

  /// Declares a relationship that no other one leads back from, unless that one names it.
  public init() { self.init(inverse: nil) }

  /// Declares a relationship.
  ///
  /// - Parameters:
  ///   - inverse: Name of the destination's relationship that leads back.
  ///   - deleteRule: The fate of the destinations when the object is deleted.
  ///   - minCount: Least number of objects; 0 is no limit.
  ///   - maxCount: Largest number of objects; 0 is no limit.
  ///   - remoteKey: Key in JSON, when it does not follow from the name.
  ///   - keyScope: Among which objects the keys of the destinations are unique.
  ///   - createsStubs: Whether a key in JSON that no object has makes one that has nothing but the
  ///     key.
  ///   - renamedFrom: Name in an earlier version of the model.
  ///   - userInfo: Annotations.
  public init(
    inverse: String? = nil, deleteRule: DeleteRule = .nullify, minCount: Int = 0,
    maxCount: Int = 0, remoteKey: String? = nil, keyScope: KeyScope = .entity,
    createsStubs: Bool = false, renamedFrom: String? = nil, userInfo: [String: String] = [:]
  ) {
    ordinal = WrapperConstruction.ordinal {
      .relationship(
        Destination.self, inverse: inverse, isToMany: true, deleteRule: deleteRule,
        isRequired: minCount > 0, minCount: minCount, maxCount: maxCount, remoteKey: remoteKey,
        keyScope: keyScope, createsStubs: createsStubs, renamedFrom: renamedFrom, userInfo: userInfo
      )
    }
  }

  /// The declaration itself, which gives a key path its name: `\User.$notes`.
  public var projectedValue: ToMany { self }

  @available(
    *, unavailable, message: "Relationships belong into classes that inherit ManagedObject."
  )
  public var wrappedValue: Set<Destination> {
    get { programmingError("A relationship needs a managed object.") }
    set { programmingError("A relationship needs a managed object.") }
  }

  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object,
    wrapped wrapped: ReferenceWritableKeyPath<Object, Set<Destination>>,
    storage storage: ReferenceWritableKeyPath<Object, ToMany>
  ) -> Set<Destination> {
    get {
      let ordinal = object.toManyOrdinal(object[keyPath: storage].ordinal)
      let members = object.typedSet(ordinal, of: Destination.self).members
      object.noteRead(object.home.shape.relationships[ordinal].slot)
      return members
    }
    set {
      object.setMembers(
        object.toManyOrdinal(object[keyPath: storage].ordinal),
        newValue.sorted(on: \.identifier.insertionOrder))
    }
    _modify {
      let ordinal = object.toManyOrdinal(object[keyPath: storage].ordinal)
      _ = object.prepareForChange()
      var change = SetChange(object, ordinal, object.typedSet(ordinal, of: Destination.self))
      defer { change.finish() }
      yield &change.members
    }
  }
}

@available(*, unavailable, message: "A declaration belongs to its object.")
extension ToMany: Sendable {}

extension ManagedObject {
  /// The ordinal among the relationships of a wrapped to-many property.
  final func toManyOrdinal(_ wrapper: UInt16) -> Int {
    let slot = binding.slots[Int(wrapper)]
    guard case .toMany(let ordinal) = binding.shape.kinds[slot] else {
      programmingError("\(entity.name).\(binding.shape.names[slot]) is not a to-many relationship.")
    }
    return ordinal
  }

  /// The members of a list as a set, made once.
  final func typedSet<Member: ManagedObject>(
    _ ordinal: Int, of type: Member.Type
  ) -> TypedSet<Member> {
    let list = loadedList(ordinal)
    if let typed = list.typed as? TypedSet<Member> { return typed }
    let slot = binding.shape.relationships[ordinal].slot
    var members: Set<Member> = []
    members.reserveCapacity(list.objects.count)
    for object in list.objects { members.insert(object.typed(as: type, for: self, slot)) }
    let typed = TypedSet(members)
    list.typed = typed
    return typed
  }
}
