/// Filters made without text: what the typed form over key paths is built on.
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

  /// Compares what a function makes of the members of a to-many path with a value.
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
    .subquery(FilterPath(path), variable: "member", try filter.node.rooted(at: "member"))
  }
}

extension FilterNode {
  /// The same tree, with paths from the object turned into paths from a variable.
  func rooted(at variable: String) -> FilterNode {
    switch self {
    case .constant: self
    case .and(let nodes): .and(nodes.map { $0.rooted(at: variable) })
    case .or(let nodes): .or(nodes.map { $0.rooted(at: variable) })
    case .not(let node): .not(node.rooted(at: variable))
    case .comparison(let comparison):
      .comparison(
        FilterComparison(
          quantifier: comparison.quantifier, left: comparison.left.rooted(at: variable),
          operation: comparison.operation, options: comparison.options,
          right: comparison.right.rooted(at: variable)))
    }
  }
}

extension FilterPath {
  func rooted(at variable: String) -> FilterPath {
    self.variable == nil ? FilterPath(variable: variable, keys) : self
  }
}

extension FilterExpression {
  func rooted(at variable: String) -> FilterExpression {
    switch self {
    case .value, .object, .values, .objects, .range, .now: self
    case .cast(let expression, let target): .cast(expression.rooted(at: variable), target)
    case .list(let expressions): .list(expressions.map { $0.rooted(at: variable) })
    case .path(let path): .path(path.rooted(at: variable))
    case .negative(let expression): .negative(expression.rooted(at: variable))
    case .function(let function, let expression):
      .function(function, expression.rooted(at: variable))
    case .arithmetic(let left, let operation, let right):
      .arithmetic(left.rooted(at: variable), operation, right.rooted(at: variable))
    case .aggregate(let function, let collection, let key):
      .aggregate(function, collection.rooted(at: variable), key: key)
    case .subquery(let path, let inner, let node):
      // Inside, the tree may use the outer object too; an inner variable of the same name hides
      // ours.
      .subquery(
        path.rooted(at: variable), variable: inner,
        inner == variable ? node : node.rooted(at: variable))
    }
  }
}
