/// Evaluation in memory.
extension ResolvedFilter {
  /// Whether the filter means the object.
  ///
  /// - Throws: ``FilterError`` when a value that serves as a pattern is none; errors of the subject
  ///   when it reads a relationship.
  package func matches(_ subject: any FilterSubject) throws -> Bool {
    try FilterEvaluator(subject).evaluate(node)
  }
}

/// The objects of the scopes, and the results of conditions for them.
struct FilterEvaluator {
  private var scopes: [any FilterSubject]

  /// Values of the columns of a group.
  private var columns: [Value] = []

  init(_ subject: any FilterSubject) {
    scopes = [subject]
  }

  init(columns: [Value]) {
    scopes = []
    self.columns = columns
  }

  func evaluate(_ node: ResolvedNode) throws -> Bool {
    switch node {
    case .constant(let value): return value
    case .and(let nodes): return try nodes.allSatisfy { try evaluate($0) }
    case .or(let nodes): return try nodes.contains { try evaluate($0) }
    case .not(let node): return try !evaluate(node)
    case .equal(let left, let right): return try value(left) == value(right)
    case .ordered(let left, let order, let right):
      return order.holds(try value(left), try value(right))
    case .member(let expression, let list): return list.contains(try value(expression))
    case .text(let left, let operation, let right):
      guard let text = try value(left).text, let part = try value(right).text else { return false }
      return operation.holds(text, part)
    case .matches(let left, let right, let isCaseInsensitive):
      guard let text = try value(left).text, let pattern = try value(right).text else {
        return false
      }
      return try TextPattern.matches(text, pattern, isCaseInsensitive: isCaseInsensitive)
    case .exists(let collection, let node):
      return try members(of: collection).contains { try with($0).evaluate(node) }
    }
  }

  func value(_ expression: ResolvedExpression) throws -> Value {
    switch expression.form {
    case .value(let value): return value
    case .column(let index): return columns[index]
    case .attribute(let path, let attribute):
      guard let object = try object(path) else { return .null }
      return try object.filterValue(at: attribute.slot).storable
    case .object(let path):
      guard let last = path.hops.last else { return .int(scopes[path.scope].filterRow) }
      let before = ResolvedPath(scope: path.scope, hops: path.hops.dropLast())
      guard let row = try object(before)?.filterReference(at: last.relationship.slot) else {
        return .null
      }
      return .int(row)
    case .arithmetic(let left, let operation, let right):
      let result = Arithmetic.apply(operation, try value(left), try value(right))
      return expression.kind == .date ? result.asDate : result
    case .folded(let operand, let options):
      guard let text = try value(operand).text else { return .null }
      return .string(TextFolding.fold(text, options))
    case .function(let function, let operand):
      return function.apply(to: try value(operand))
    case .cast(let cast, let operand):
      return cast.apply(to: try value(operand).storable)
    case .aggregate(let function, let collection, let condition, let argument):
      return try aggregate(function, collection, condition, argument)
    }
  }

  private func with(_ member: any FilterSubject) -> FilterEvaluator {
    var inner = self
    inner.scopes.append(member)
    return inner
  }

  private func object(_ path: ResolvedPath) throws -> (any FilterSubject)? {
    var object = scopes[path.scope]
    for hop in path.hops {
      guard let next = try object.filterObject(at: hop.relationship.slot) else { return nil }
      object = next
    }
    return object
  }

  private func members(of collection: ResolvedCollection) throws -> [any FilterSubject] {
    var objects = [scopes[collection.scope]]
    for hop in collection.hops {
      var next: [any FilterSubject] = []
      for object in objects {
        if hop.relationship.isToMany {
          next += try object.filterMembers(at: hop.relationship.slot)
        } else if let object = try object.filterObject(at: hop.relationship.slot) {
          next.append(object)
        }
      }
      objects = next
    }
    return objects
  }

  private func aggregate(
    _ function: AggregateFunction, _ collection: ResolvedCollection, _ condition: ResolvedNode?,
    _ argument: ResolvedExpression?
  ) throws -> Value {
    var accumulator = AggregateAccumulator(function)
    for member in try members(of: collection) {
      let inner = with(member)
      if let condition, try !inner.evaluate(condition) { continue }
      accumulator.add(try argument.map { try inner.value($0) } ?? .int(1))
    }
    let result = accumulator.result()
    return function == .sum && result.isNull ? .int(0) : result
  }
}

/// Applies an aggregate function to values, one after the other.
struct AggregateAccumulator {
  private let function: AggregateFunction
  private var sum = NumberSum()
  private var count: Int64 = 0
  private var extreme = Value.null

  init(_ function: AggregateFunction) {
    self.function = function
  }

  mutating func add(_ value: Value) {
    guard !value.isNull else { return }
    switch function {
    case .count: count += 1
    case .sum, .average: sum.add(value)
    case .min: if extreme.isNull || value < extreme { extreme = value }
    case .max: if extreme.isNull || value > extreme { extreme = value }
    }
  }

  func result() -> Value {
    switch function {
    case .count: .int(count)
    case .sum: sum.sum()
    case .average: sum.average()
    case .min, .max: extreme
    }
  }
}

extension FilterOrder {
  /// Whether the order holds; never when a side is absent.
  func holds(_ left: Value, _ right: Value) -> Bool {
    guard !left.isNull, !right.isNull else { return false }
    let result = left.compared(to: right)
    switch self {
    case .less: return result < 0
    case .lessOrEqual: return result <= 0
    case .greater: return result > 0
    case .greaterOrEqual: return result >= 0
    }
  }
}

extension TextOperator {
  func holds(_ text: String, _ part: String) -> Bool {
    switch self {
    case .contains: TextMatching.apply(TextMatching.contains, text, part)
    case .begins: TextMatching.apply(TextMatching.begins, text, part)
    case .ends: TextMatching.apply(TextMatching.ends, text, part)
    case .like: TextMatching.apply(TextMatching.like, text, part)
    }
  }
}

/// Anything a filter can be evaluated against in memory: an object with its unsaved values, a row.
///
/// Slots are those of the entity that the filter was resolved for, or of a relationship's
/// destination.
package protocol FilterSubject {
  /// The row number; negative for an object that was never saved.
  var filterRow: Int64 { get }

  /// The value of an attribute.
  func filterValue(at slot: Int) throws -> Value

  /// The row number that a to-one relationship holds, or nil when it leads nowhere.
  func filterReference(at slot: Int) throws -> Int64?

  /// The object that a to-one relationship leads to, or nil when there is none.
  func filterObject(at slot: Int) throws -> (any FilterSubject)?

  /// The members of a to-many relationship, each once, in any order.
  func filterMembers(at slot: Int) throws -> [any FilterSubject]
}
