/// Filters that are written once and used with other values each time.
///
/// ```swift
/// static let adults = Filter("age >= $age AND company == $company")
/// Fetch<User>(adults.withSubstitutionVariables(["age": 18, "company": company]))
/// ```
extension Filter {
  /// The filter with values in the places of variables. Variables of a SUBQUERY are its own; others
  /// that get no value stay, and using the filter then is an error that names them.
  ///
  /// - Parameter values: By name, without the `$`: any argument that `%@` takes.
  public func withSubstitutionVariables(_ values: [String: Any?]) -> Filter {
    Filter(
      Result { () throws(FilterError) in
        var operands: [String: FilterExpression] = [:]
        for (name, value) in values.inKeyOrder {
          guard let operand = FilterOperand(argument: value) else {
            throw FilterError(
              .argument, key: "$" + name,
              message:
                "The variable “$\(name)” got a \(value.map { "\(type(of: $0))" } ?? "nil"), which "
                + "no attribute could hold.")
          }
          operands[name] = operand.expression
        }
        return try FilterSubstitution(operands: operands).node(node)
      })
  }
}

/// Puts values in the places of variables.
private struct FilterSubstitution: FilterMapping {
  var operands: [String: FilterExpression]

  func operand(for path: FilterPath) throws(FilterError) -> FilterExpression {
    guard let name = path.variable, let operand = operands[name] else { return .path(path) }
    guard path.keys.isEmpty else {
      throw FilterError(
        .unsupported, key: path.description,
        message: "“\(path)” asks for a property of a value. Give the property itself to a variable."
      )
    }
    return operand
  }

  func collection(_ path: FilterPath) throws(FilterError) -> FilterPath {
    _ = try operand(for: path)
    return path
  }

  func inside(_ variable: String) -> FilterSubstitution {
    var inner = self
    inner.operands[variable] = nil
    return inner
  }
}

/// Puts something else in the places of the paths and objects of a filter.
protocol FilterMapping {
  /// The expression in the place of a path.
  func operand(for path: FilterPath) throws(FilterError) -> FilterExpression

  /// The path in the place of the one to the objects of a subquery.
  func collection(_ path: FilterPath) throws(FilterError) -> FilterPath

  /// The replacement inside a subquery, which has a variable of its own.
  func inside(_ variable: String) -> Self

  /// The object in the place of one that is compared with.
  func object(_ id: ManagedObjectID) -> ManagedObjectID
}

extension FilterMapping {
  func object(_ id: ManagedObjectID) -> ManagedObjectID { id }

  /// The same tree with other paths and objects.
  func node(_ node: FilterNode) throws(FilterError) -> FilterNode {
    switch node {
    case .constant: return node
    case .and(let nodes): return .and(try self.nodes(nodes))
    case .or(let nodes): return .or(try self.nodes(nodes))
    case .not(let node): return .not(try self.node(node))
    case .comparison(var comparison):
      comparison.left = try expression(comparison.left)
      comparison.right = try expression(comparison.right)
      return .comparison(comparison)
    }
  }

  private func nodes(_ nodes: [FilterNode]) throws(FilterError) -> [FilterNode] {
    var result: [FilterNode] = []
    for node in nodes { result.append(try self.node(node)) }
    return result
  }

  private func expression(_ expression: FilterExpression) throws(FilterError) -> FilterExpression {
    switch expression {
    case .value, .values, .range, .now: return expression
    case .object(let id): return .object(object(id))
    case .objects(let ids): return .objects(ids.map(object))
    case .list(let elements):
      var result: [FilterExpression] = []
      for element in elements { result.append(try self.expression(element)) }
      return .list(result)
    case .path(let path): return try operand(for: path)
    case .negative(let operand): return .negative(try self.expression(operand))
    case .function(let function, let operand):
      return .function(function, try self.expression(operand))
    case .cast(let operand, let target):
      return .cast(try self.expression(operand), target)
    case .arithmetic(let left, let operation, let right):
      return .arithmetic(try self.expression(left), operation, try self.expression(right))
    case .aggregate(let function, let collection, let key):
      return .aggregate(function, try self.expression(collection), key: key)
    case .subquery(let path, let variable, let node):
      return .subquery(try collection(path), variable: variable, try inside(variable).node(node))
    }
  }
}
