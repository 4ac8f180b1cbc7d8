public import SyncCore

/// A relationship to any number of objects, in an order.
///
/// ```swift
/// @OrderedToMany(inverse: "playlist") var songs: [Song]
/// playlist.songs.insert(song, at: 0)
/// playlist.songs.swapAt(0, 1)
/// ```
///
/// An object is a member once at most: further copies in the array are dropped. Changing it changes
/// the other side of every object that comes or goes, at once.
@propertyWrapper
public struct OrderedToMany<Destination: ManagedObject>: PropertyWrapper {
  let ordinal: UInt16

  /// Declares a relationship that no other one leads back from, unless that one names it.
  public init() { self.init(inverse: nil) }

  /// Declares a relationship; the parameters are those of ``ToMany``.
  public init(
    inverse: String? = nil, deleteRule: DeleteRule = .nullify, minCount: Int = 0,
    maxCount: Int = 0, remoteKey: String? = nil, keyScope: KeyScope = .entity,
    createsStubs: Bool = false, renamedFrom: String? = nil, userInfo: [String: String] = [:]
  ) {
    ordinal = WrapperConstruction.ordinal {
      .relationship(
        Destination.self, inverse: inverse, isToMany: true, isOrdered: true, deleteRule: deleteRule,
        isRequired: minCount > 0, minCount: minCount, maxCount: maxCount, remoteKey: remoteKey,
        keyScope: keyScope, createsStubs: createsStubs, renamedFrom: renamedFrom, userInfo: userInfo
      )
    }
  }

  /// The declaration itself, which gives a key path its name: `\Playlist.$songs`.
  public var projectedValue: OrderedToMany { self }

  @available(
    *, unavailable, message: "Relationships belong into classes that inherit ManagedObject."
  )
  public var wrappedValue: [Destination] {
    get { programmingError("A relationship needs a managed object.") }
    set { programmingError("A relationship needs a managed object.") }
  }

  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object,
    wrapped wrapped: ReferenceWritableKeyPath<Object, [Destination]>,
    storage storage: ReferenceWritableKeyPath<Object, OrderedToMany>
  ) -> [Destination] {
    get {
      let ordinal = object.toManyOrdinal(object[keyPath: storage].ordinal)
      let members = object.typedArray(ordinal, of: Destination.self).members
      object.noteRead(object.home.shape.relationships[ordinal].slot)
      return members
    }
    set {
      object.setMembers(object.toManyOrdinal(object[keyPath: storage].ordinal), newValue)
    }
    _modify {
      let ordinal = object.toManyOrdinal(object[keyPath: storage].ordinal)
      _ = object.prepareForChange()
      var change = ArrayChange(object, ordinal, object.typedArray(ordinal, of: Destination.self))
      defer { change.finish() }
      yield &change.members
    }
  }
}

@available(*, unavailable, message: "A declaration belongs to its object.")
extension OrderedToMany: Sendable {}

extension ManagedObject {
  /// The members of a list as an array, made once.
  final func typedArray<Member: ManagedObject>(
    _ ordinal: Int, of type: Member.Type
  ) -> TypedArray<Member> {
    let list = loadedList(ordinal)
    if let typed = list.typed as? TypedArray<Member> { return typed }
    let slot = binding.shape.relationships[ordinal].slot
    let typed = TypedArray(list.objects.map { $0.typed(as: type, for: self, slot) })
    list.typed = typed
    return typed
  }
}

/// A change in place of the array of an ordered property.
///
/// The array is taken out of the list, so that changing it does not copy it. Afterwards the equal
/// beginnings and ends are passed over, as plain words of memory, and the part between is carried
/// over.
struct ArrayChange<Member: ManagedObject> {
  var members: [Member]
  private let object: ManagedObject
  private let ordinal: Int
  private let typed: TypedArray<Member>
  private let list: MemberList

  init(_ object: ManagedObject, _ ordinal: Int, _ typed: TypedArray<Member>) {
    self.object = object
    self.ordinal = ordinal
    self.typed = typed
    list = object.list(ordinal)
    members = typed.members
    typed.members = []
    list.typed = nil
  }

  /// Carries the change over to the list and the other sides.
  mutating func finish() {
    let ends = EqualEnds(list.objects, members)
    let (head, common) = (ends.head, ends.head + ends.tail)
    switch (list.objects.count - common, members.count - common) {
    case (0, 0): break
    case (0, 1) where !list.contains(members[head]):
      object.addMember(ordinal, members[head], at: head)
    case (1, 0): object.removeMember(ordinal, list.objects[head])
    default: object.setMembers(ordinal, members)
    }
    // An object that was put in twice is a member once.
    guard list.objects.count == members.count else {
      members = []
      return
    }
    typed.members = members
    members = []
    list.typed = typed
  }
}

/// The numbers of objects that two arrays share at their beginnings, and at the ends of the rest.
struct EqualEnds {
  private(set) var head = 0
  private(set) var tail = 0

  /// - Complexity: O(*n*), a quarter of a nanosecond for each object: references are compared as
  ///   words, without a call or a count for any of them.
  init<Member: ManagedObject>(_ old: [ManagedObject], _ new: [Member]) {
    self = old.withUnsafeBytes { old in
      new.withUnsafeBytes { new in
        EqualEnds(old.bindMemory(to: UInt.self), new.bindMemory(to: UInt.self))
      }
    }
  }

  private init(_ old: UnsafeBufferPointer<UInt>, _ new: UnsafeBufferPointer<UInt>) {
    let shorter = min(old.count, new.count)
    while head < shorter, old[head] == new[head] { head += 1 }
    while tail < shorter - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] {
      tail += 1
    }
  }
}
