public import SyncCore

/// A filter over one class, made of key paths: `\.$age >= 18 && \.$name != nil`.
///
/// For attributes of the object itself. Texts, relationships and paths across them are asked about in
/// the other form, `{ $0.$company.$name.hasPrefix("A") }`, because a key path that goes on behind
/// `$company` would be one of the wrapper, not of the company.
public struct ObjectFilter<Object: ManagedObject>: Sendable {
  /// The same filter without its class.
  public let filter: Filter

  /// Takes a filter as one over the class.
  public init(_ filter: Filter) {
    self.filter = filter
  }

  /// Objects that both filters mean.
  public static func && (left: ObjectFilter, right: ObjectFilter) -> ObjectFilter {
    ObjectFilter(left.filter && right.filter)
  }

  /// Objects that at least one of the filters means.
  public static func || (left: ObjectFilter, right: ObjectFilter) -> ObjectFilter {
    ObjectFilter(left.filter || right.filter)
  }

  /// Objects that the filter does not mean.
  public static prefix func ! (filter: ObjectFilter) -> ObjectFilter {
    ObjectFilter(!filter.filter)
  }

  fileprivate init<Property: AttributeProperty>(
    _ path: KeyPath<Object, Property>, _ operation: FilterOperation, _ value: Property.Wrapped
  ) {
    filter = .compare([PropertyNames.name(of: path)], operation, value.storedValue)
  }
}

/// Compares the attribute that a key path leads to.
public func == <Object: ManagedObject, Property: AttributeProperty>(
  left: KeyPath<Object, Property>, right: Property.Wrapped
) -> ObjectFilter<Object> {
  ObjectFilter(left, .equal, right)
}

/// Compares the attribute that a key path leads to.
public func != <Object: ManagedObject, Property: AttributeProperty>(
  left: KeyPath<Object, Property>, right: Property.Wrapped
) -> ObjectFilter<Object> {
  ObjectFilter(left, .notEqual, right)
}

/// Compares the attribute that a key path leads to.
public func < <Object: ManagedObject, Property: AttributeProperty>(
  left: KeyPath<Object, Property>, right: Property.Wrapped
) -> ObjectFilter<Object> {
  ObjectFilter(left, .less, right)
}

/// Compares the attribute that a key path leads to.
public func <= <Object: ManagedObject, Property: AttributeProperty>(
  left: KeyPath<Object, Property>, right: Property.Wrapped
) -> ObjectFilter<Object> {
  ObjectFilter(left, .lessOrEqual, right)
}

/// Compares the attribute that a key path leads to.
public func > <Object: ManagedObject, Property: AttributeProperty>(
  left: KeyPath<Object, Property>, right: Property.Wrapped
) -> ObjectFilter<Object> {
  ObjectFilter(left, .greater, right)
}

/// Compares the attribute that a key path leads to.
public func >= <Object: ManagedObject, Property: AttributeProperty>(
  left: KeyPath<Object, Property>, right: Property.Wrapped
) -> ObjectFilter<Object> {
  ObjectFilter(left, .greaterOrEqual, right)
}
