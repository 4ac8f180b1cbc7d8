public import SyncCore

/// The properties of a class, for filters and sort keys that the compiler checks.
///
/// ```swift
/// Fetch<User>(where: { $0.$age >= 18 && $0.$company.$name == "Acme" })
/// Fetch<User>(where: { $0.$notes.any { $0.$text.contains("milk", options: .caseInsensitive) } })
/// ```
///
/// Stands for an object: the one that is asked about, the one at the end of a to-one relationship,
/// or a member of a to-many relationship.
@dynamicMemberLookup
public struct ObjectKeys<Object: ManagedObject> {
  /// Keys from the object that is asked about.
  let path: [String]

  init(path: [String] = []) {
    self.path = path
  }

  /// An attribute.
  public subscript<Property: AttributeProperty>(
    dynamicMember property: KeyPath<Object, Property>
  ) -> AttributeKey<Property.Wrapped> {
    AttributeKey(path: path + [PropertyNames.name(of: property)])
  }

  /// The object that a to-one relationship leads to.
  public subscript<Destination: ManagedObject>(
    dynamicMember property: KeyPath<Object, ToOne<Destination>>
  ) -> ObjectKeys<Destination> {
    ObjectKeys<Destination>(path: path + [PropertyNames.name(of: property)])
  }

  /// The members of a to-many relationship.
  public subscript<Property: ToManyProperty>(
    dynamicMember property: KeyPath<Object, Property>
  ) -> MemberKeys<Property.Destination> {
    MemberKeys(path: path + [PropertyNames.name(of: property)])
  }

  // MARK: - The object itself

  /// Whether it is that object; with nil, whether there is none.
  public static func == (left: ObjectKeys, right: Object?) -> Filter {
    left.compare(.equal, right)
  }

  /// Whether it is another object; with nil, whether there is one.
  public static func != (left: ObjectKeys, right: Object?) -> Filter {
    left.compare(.notEqual, right)
  }

  /// Whether it is one of the objects.
  public func isIn(_ objects: some Sequence<Object>) -> Filter {
    .member(path, of: objects.map(\.objectID))
  }

  /// Whether it is one of the objects with these identifiers.
  public func isIn(_ identifiers: some Sequence<ManagedObjectID>) -> Filter {
    .member(path, of: Array(identifiers))
  }

  private func compare(_ operation: FilterOperation, _ object: Object?) -> Filter {
    guard let object else { return .compare(path, operation, .null) }
    return .compare(path, operation, object: object.objectID)
  }
}

/// A value that a filter compares: an attribute, or a value calculated from members.
public protocol FilterKey<Compared> {
  associatedtype Compared: ValueConvertible

  /// The filter for a comparison.
  func filter(_ comparison: FilterComparisonKind, _ value: Compared) -> Filter
}

/// How a ``FilterKey`` is compared.
public struct FilterComparisonKind: Sendable {
  let operation: FilterOperation
}

/// Comparisons with absent values are as in ``Filter``.
extension FilterKey {
  /// Whether both are equal, or both absent.
  public static func == (left: Self, right: Compared) -> Filter { left.compared(.equal, right) }

  /// The opposite of `==`.
  public static func != (left: Self, right: Compared) -> Filter { left.compared(.notEqual, right) }

  /// Whether the left one is less.
  public static func < (left: Self, right: Compared) -> Filter { left.compared(.less, right) }

  /// Whether the left one is less or equal.
  public static func <= (left: Self, right: Compared) -> Filter {
    left.compared(.lessOrEqual, right)
  }

  /// Whether the left one is greater.
  public static func > (left: Self, right: Compared) -> Filter { left.compared(.greater, right) }

  /// Whether the left one is greater or equal.
  public static func >= (left: Self, right: Compared) -> Filter {
    left.compared(.greaterOrEqual, right)
  }

  private func compared(_ operation: FilterOperation, _ value: Compared) -> Filter {
    filter(FilterComparisonKind(operation: operation), value)
  }
}
