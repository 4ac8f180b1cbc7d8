import Foundation

/// Values, paths, calculations and aggregates.
extension FilterResolver {
  /// Resolves an expression that has to be one value.
  mutating func expression(
    _ expression: FilterExpression
  ) throws(FilterError) -> ResolvedExpression {
    switch expression {
    case .value(let value):
      return ResolvedExpression(value)
    case .object(let id):
      return ResolvedExpression(.value(.int(id.row)), .object(root: id.entity.rootIndex))
    case .path(let path):
      return try scalar(path)
    case .negative(let operand):
      return try arithmetic(ResolvedExpression(.int(0)), .subtract, self.expression(operand))
    case .function(let function, let operand):
      return try applied(function, to: self.expression(operand))
    case .now:
      return ResolvedExpression(.date(now))
    case .cast(let operand, let target):
      return try cast(self.expression(operand), to: target)
    case .arithmetic(let left, let operation, let right):
      return try arithmetic(self.expression(left), operation, self.expression(right))
    case .aggregate(let function, let collection, let key):
      return try aggregate(function, of: collection, key: key)
    case .values, .objects, .list, .range:
      throw mismatch("a list stands where one value is needed")
    case .subquery:
      throw mismatch("a SUBQUERY needs “.@count” behind it")
    }
  }

  private func scalar(_ path: FilterPath) throws(FilterError) -> ResolvedExpression {
    if columns != nil { return try column(path) }
    let walk = try walk(path)
    guard !walk.isToMany else {
      throw FilterError(
        .toManyPath, entity: scopes[0].entity.name, key: path.description,
        message: "“\(path)” leads to many values. Put ANY, ALL or NONE before the comparison, "
          + "or use @count, @sum, @avg, @min, @max or SUBQUERY.")
    }
    return walk.expression
  }

  // MARK: - Calculations

  private func applied(
    _ function: FilterFunction, to operand: ResolvedExpression
  ) throws(FilterError) -> ResolvedExpression {
    guard let kind = function.resultKind(of: operand.kind) else {
      throw mismatch("\(function.rawValue)() is not for \(operand.kind.name)")
    }
    if let constant = operand.constant { return ResolvedExpression(function.apply(to: constant)) }
    return ResolvedExpression(.function(function, operand), kind)
  }

  private func cast(
    _ operand: ResolvedExpression, to target: FilterCast.Target
  ) throws(FilterError) -> ResolvedExpression {
    // Text is the only way to write a date into a filter.
    if target == .date, case .string(let text)? = operand.constant {
      guard let seconds = DateText.parse(text) else {
        throw mismatch("CAST to NSDate needs text in ISO 8601, which '\(text)' is not")
      }
      return ResolvedExpression(.date(Date(timeIntervalSinceReferenceDate: seconds)))
    }
    guard let (cast, kind) = FilterCast.path(from: operand.kind, to: target) else {
      throw mismatch("CAST to \(target.rawValue) is not for \(operand.kind.name)")
    }
    guard let cast else { return ResolvedExpression(operand.form, kind) }
    if let constant = operand.constant { return ResolvedExpression(cast.apply(to: constant)) }
    return ResolvedExpression(.cast(cast, operand), kind)
  }

  private func arithmetic(
    _ left: ResolvedExpression, _ operation: ArithmeticOperation, _ right: ResolvedExpression
  ) throws(FilterError) -> ResolvedExpression {
    var left = left
    var right = right
    // A literal such as 1.5 is meant as written when it meets a decimal.
    if right.kind == .decimal, let value = left.constant, left.kind.isNumber {
      left = ResolvedExpression(try fit(value, to: right, options: []))
    }
    if left.kind == .decimal, let value = right.constant, right.kind.isNumber {
      right = ResolvedExpression(try fit(value, to: left, options: []))
    }
    let kind = try kind(of: left, operation, right)
    if let first = left.constant, let second = right.constant {
      let value = Arithmetic.apply(operation, first, second)
      return ResolvedExpression(kind == .date ? value.asDate : value)
    }
    return ResolvedExpression(.arithmetic(left, operation, right), kind)
  }

  private func kind(
    of left: ResolvedExpression, _ operation: ArithmeticOperation, _ right: ResolvedExpression
  ) throws(FilterError) -> FilterKind {
    switch (left.kind, operation, right.kind) {
    case (.null, _, .null): return .null
    case (.null, _, let kind) where kind.isNumber || kind == .date: return kind
    case (let kind, _, .null) where kind.isNumber || kind == .date: return kind
    case (.integer, _, .integer) where operation.isForWholeNumbers: return .integer
    case _ where operation.isForWholeNumbers:
      throw mismatch("\(operation.rawValue) is for whole numbers")
    case (.date, .subtract, .date): return .real
    case (.date, .add, let kind) where kind.isNumber: return .date
    case (.date, .subtract, let kind) where kind.isNumber: return .date
    case (let kind, .add, .date) where kind.isNumber: return .date
    case (let first, .power, let second) where first.isNumber && second.isNumber: return .real
    case (.integer, _, .integer): return .integer
    case (.decimal, _, .decimal), (.decimal, _, .integer), (.integer, _, .decimal):
      return .decimal
    case (let first, _, let second) where first.isNumber && second.isNumber: return .real
    default:
      throw mismatch("\(left.kind.name) \(operation.rawValue) \(right.kind.name)")
    }
  }

  // MARK: - Aggregates

  private mutating func aggregate(
    _ function: AggregateFunction, of source: FilterExpression, key: [String]
  ) throws(FilterError) -> ResolvedExpression {
    let path: FilterPath
    var variable: String?
    var condition: FilterNode?
    switch source {
    case .path(let plain): path = plain
    case .subquery(let inner, let name, let node): (path, variable, condition) = (inner, name, node)
    default: throw mismatch("@\(function.rawValue) needs a path to many objects before it")
    }
    if columns != nil { return try column(FilterPath(path.keys + ["@\(function.rawValue)"] + key)) }
    let walk = try walk(path)
    guard walk.isToMany, walk.restIsEmpty else {
      throw FilterError(
        .toManyPath, entity: scopes[0].entity.name, key: path.description,
        message: "“\(path)” has to end in a to-many relationship before @\(function.rawValue); "
          + "keys of the members stand behind it.")
    }
    let (collection, _) = walk.split(scope: scopes.count)
    return try inside(collection, variable: variable) { resolver throws(FilterError) in
      let node: ResolvedNode? = if let condition { try resolver.resolve(condition) } else { nil }
      let (argument, kind) = try resolver.argument(function, key: key)
      return ResolvedExpression(.aggregate(function, collection, node, argument), kind)
    }
  }

  /// The argument of a function, and the kind of its result.
  private mutating func argument(
    _ function: AggregateFunction, key: [String]
  ) throws(FilterError) -> (ResolvedExpression?, FilterKind) {
    if function == .count {
      guard key.isEmpty else {
        throw FilterError(
          .unsupported, key: key.joined(separator: "."),
          message: "@count counts objects; there is nothing to stand behind it.")
      }
      return (nil, .integer)
    }
    let scope = scopes.count - 1
    let walk = try walk(keys: key, from: scope)
    guard let attribute = walk.attribute, !walk.isToMany else {
      throw FilterError(
        .typeMismatch, entity: scopes[scope].entity.name, key: key.joined(separator: "."),
        message: "@\(function.rawValue) needs the key of an attribute behind it.")
    }
    return (walk.expression, try function.resultKind(of: FilterKind(attribute.type), attribute))
  }
}

extension AggregateFunction {
  /// The kind of the result for values of a kind.
  func resultKind(
    of kind: FilterKind, _ attribute: AttributeDescription
  ) throws(FilterError) -> FilterKind {
    switch self {
    case .count: return .integer
    case .sum where kind.isNumber: return kind
    case .average where kind.isNumber: return .real
    case .min where kind != .opaque, .max where kind != .opaque: return kind
    default:
      throw FilterError(
        .typeMismatch, key: attribute.name,
        message: "There is no \(rawValue) of “\(attribute.name)”, which is \(kind.name).")
    }
  }
}
