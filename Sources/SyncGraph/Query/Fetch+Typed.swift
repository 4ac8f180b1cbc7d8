public import SyncCore

/// Filters and orders that the compiler checks.
extension Fetch {
  /// Fetches the objects of the class that a filter over its properties means.
  ///
  /// ```swift
  /// Fetch<User>(where: { $0.$age >= 18 && $0.$notes.count > 3 })
  /// ```
  public init(where filter: (ObjectKeys<Object>) -> Filter) {
    self.init()
    self.filter = filter(ObjectKeys())
  }

  /// The objects that this filter means too.
  public func filter(where filter: (ObjectKeys<Object>) -> Filter) -> Fetch {
    self.filter(filter(ObjectKeys()))
  }

  /// The same objects, sorted by a further attribute: `sorted(by: \.$name)`.
  public func sorted<Property: AttributeProperty>(
    by property: KeyPath<Object, Property>, ascending: Bool = true, options: TextOptions = []
  ) -> Fetch {
    sorted(by: SortKey(PropertyNames.name(of: property), ascending: ascending, options: options))
  }

  /// The same objects, sorted by a further attribute, across to-one relationships too:
  /// `sorted { $0.$company.$name }`.
  public func sorted<Wrapped: ValueConvertible>(
    ascending: Bool = true, options: TextOptions = [],
    by key: (ObjectKeys<Object>) -> AttributeKey<Wrapped>
  ) -> Fetch {
    sorted(by: SortKey(key(ObjectKeys()).keyPath, ascending: ascending, options: options))
  }
}

extension ObjectQuery {
  /// The objects that this filter means too.
  public func filter(where filter: (ObjectKeys<Object>) -> Filter) -> ObjectQuery {
    self.filter(filter(ObjectKeys()))
  }

  /// The same objects, sorted by a further attribute.
  public func orderBy<Property: AttributeProperty>(
    _ property: KeyPath<Object, Property>, ascending: Bool = true, options: TextOptions = []
  ) -> ObjectQuery {
    orderBy(SortKey(PropertyNames.name(of: property), ascending: ascending, options: options))
  }

  /// The least value of an attribute; nil when there is none.
  public func min<Property: AttributeProperty>(
    _ property: KeyPath<Object, Property>
  ) throws -> Property.Wrapped? {
    try min(PropertyNames.name(of: property), as: Property.Wrapped.self)
  }

  /// The largest value of an attribute; nil when there is none.
  public func max<Property: AttributeProperty>(
    _ property: KeyPath<Object, Property>
  ) throws -> Property.Wrapped? {
    try max(PropertyNames.name(of: property), as: Property.Wrapped.self)
  }

  /// The sum over an attribute; nil when there is no value.
  ///
  /// - Throws: ``FilterError`` when a sum of integers does not fit into 64 bits.
  public func sum<Property: AttributeProperty>(
    _ property: KeyPath<Object, Property>
  ) throws -> Property.Wrapped? {
    try sum(PropertyNames.name(of: property), as: Property.Wrapped.self)
  }

  /// The mean of an attribute, always floating point; nil when there is no value.
  public func average<Property: AttributeProperty>(
    _ property: KeyPath<Object, Property>
  ) throws -> Double? {
    try average(PropertyNames.name(of: property))
  }
}
