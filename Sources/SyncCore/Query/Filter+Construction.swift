/// Filters made without text: the typed form over key paths is built on them.
extension Filter {
  /// Compares a key path with a value.
  ///
  /// - Parameter path: keys from the object on, in order: `["company", "name"]`.
  package static func compare(
    _ path: [String], _ operation: FilterOperation, _ value: Value, options: TextOptions = []
  ) -> Filter {
    compare(.path(FilterPath(path)), operation, .value(value), options: options)
  }

  /// Compares a key path with another one.
  package static func compare(
    _ path: [String], _ operation: FilterOperation, path other: [String]
  ) -> Filter {
    compare(.path(FilterPath(path)), operation, .path(FilterPath(other)))
  }

  /// Asks whether a to-one relationship leads to an object, or with ``FilterOperation/contains``
  /// whether the object is a member of a to-many one. An empty path is the object itself.
  package static func compare(
    _ path: [String], _ operation: FilterOperation, object: ManagedObjectID
  ) -> Filter {
    compare(.path(FilterPath(path)), operation, .object(object))
  }

  /// Asks whether the value of a key path is in a list.
  package static func member(_ path: [String], of values: [Value]) -> Filter {
    compare(.path(FilterPath(path)), .memberOf, .values(values))
  }

  /// Asks whether a to-one relationship leads to one of the objects; an empty path is the object
  /// itself.
  package static func member(_ path: [String], of objects: [ManagedObjectID]) -> Filter {
    compare(.path(FilterPath(path)), .memberOf, .objects(objects))
  }

  /// Asks whether the value of a key path lies between two others; both ends belong to it.
  package static func between(_ path: [String], _ lower: Value, _ upper: Value) -> Filter {
    compare(.path(FilterPath(path)), .between, .range(lower, upper))
  }

  /// Compares the result of a function over the members of a to-many path with a value.
  ///
  /// - Parameter key: keys behind the path, to the attribute; empty for a count.
  package static func compare(
    _ function: AggregateFunction, of path: [String], key: [String],
    _ operation: FilterOperation, _ value: Value
  ) -> Filter {
    compare(.aggregate(function, .path(FilterPath(path)), key: key), operation, .value(value))
  }

  /// Compares two expressions.
  package static func compare(
    _ left: FilterExpression, _ operation: FilterOperation, _ right: FilterExpression,
    options: TextOptions = []
  ) -> Filter {
    Filter(
      .comparison(
        FilterComparison(
          quantifier: .direct, left: left, operation: operation, options: options, right: right)))
  }

  /// The members of a to-many path for which a filter holds, as an expression to be counted.
  package static func subquery(
    _ path: [String], where filter: Filter
  ) throws(FilterError) -> FilterExpression {
    .subquery(
      FilterPath(path), variable: "member", try FilterRooting(variable: "member").node(filter.node))
  }
}

/// Turns paths from the object into paths from a variable.
private struct FilterRooting: FilterMapping {
  /// Nil where an inner variable of the same name hides ours.
  var variable: String?

  func operand(for path: FilterPath) -> FilterExpression { .path(collection(path)) }

  func collection(_ path: FilterPath) -> FilterPath {
    path.variable == nil ? FilterPath(variable: variable, path.keys) : path
  }

  // Inside, the tree may use the outer object too.
  func inside(_ variable: String) -> FilterRooting {
    FilterRooting(variable: variable == self.variable ? nil : self.variable)
  }
}
