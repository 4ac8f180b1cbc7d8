import SyncCore

/// Values of a filter as SQL.
extension SQLBuilder {
  mutating func value(_ expression: ResolvedExpression) throws -> SQLText {
    switch expression.form {
    case .value(let value):
      return value.isNull ? "NULL" : "\(bind: value)"
    case .column(let index):
      return SQLText(SQLBuilder.columnName(index))
    case .attribute(let path, let attribute):
      let owner = path.hops.last?.destination ?? entities[path.scope]
      guard let column = layout[owner].column(attribute.slot) else {
        throw FilterError.transient(attribute.name, of: owner)
      }
      return try self.column(column.quoted, at: path)
    case .object(let path):
      return try reference(path)
    case .arithmetic(let left, let operation, let right):
      return try arithmetic(left, operation, right)
    case .folded(let operand, let options):
      return """
        \(raw: SQLFunction.fold)(\(try value(operand)), \(raw: String(options.rawValue)))
        """
    case .function(let function, let operand):
      return "\(raw: SQLFunction.function)('\(raw: function.rawValue)', \(try value(operand)))"
    case .cast(let cast, let operand):
      return "\(raw: SQLFunction.cast)('\(raw: cast.rawValue)', \(try value(operand)))"
    case .aggregate(let function, let collection, let condition, let argument):
      return try aggregate(function, collection, condition, argument)
    }
  }

  /// Name of a column of an answer inside the statement.
  static func columnName(_ index: Int) -> String { "_c\(index)" }

  private mutating func arithmetic(
    _ left: ResolvedExpression, _ operation: ArithmeticOperation, _ right: ResolvedExpression
  ) throws -> SQLText {
    let isOurs =
      operation.isForWholeNumbers || operation == .power || left.kind == .decimal
      || right.kind == .decimal
    if isOurs {
      return """
        \(raw: SQLFunction.arithmetic)('\(raw: operation.rawValue)', \(try value(left)), \
        \(try value(right)))
        """
    }
    return "(\(try value(left)) \(raw: operation.rawValue) \(try value(right)))"
  }

  private mutating func aggregate(
    _ function: AggregateFunction, _ collection: ResolvedCollection, _ condition: ResolvedNode?,
    _ argument: ResolvedExpression?
  ) throws -> SQLText {
    let (tables, joins, member) = try join(collection)
    return try inside(member, collection.entity) { builder in
      var result = try builder.applied(function, to: argument)
      if function == .sum { result = "ifnull(\(result), 0)" }
      var text: SQLText = "SELECT \(result) FROM \(raw: tables) WHERE \(raw: joins)"
      if let condition { text += " AND \(try builder.condition(condition))" }
      return "(\(text))"
    }
  }

  /// A function over the rows of a query; nil counts them.
  mutating func applied(
    _ function: AggregateFunction, to argument: ResolvedExpression?
  ) throws -> SQLText {
    guard let argument else { return "count(*)" }
    let value = try value(argument)
    let collation = argument.kind == .decimal ? SQLBuilder.decimalCollation : ""
    switch function {
    case .count: return "count(\(value))"
    case .sum: return "\(raw: SQLFunction.sum)(\(value))"
    case .average: return "\(raw: SQLFunction.average)(\(value))"
    case .min: return "min(\(value)\(raw: collation))"
    case .max: return "max(\(value)\(raw: collation))"
    }
  }

  // MARK: - Lists

  /// Lists up to this length are spelled out; longer ones go in as one JSON text, so that lists of
  /// any length share a few prepared statements and no limit on placeholders is met.
  private static let spelledOut = 8

  mutating func member(
    _ expression: ResolvedExpression, _ list: ResolvedList, strict: Bool
  ) throws -> SQLText {
    if expression.kind == .decimal, !expression.isDecimalText {
      var tests = try list.values.map { try equal(expression, $0) }
      if list.containsNull { tests.append("\(try value(expression)) IS NULL") }
      return tests.isEmpty ? "0" : "(\(tests.joined(" OR ")))"
    }
    let value = try value(expression)
    if list.values.isEmpty { return list.containsNull ? "(\(value) IS NULL)" : "0" }
    let test: SQLText = "\(value) IN (\(elements(list.values)))"
    if list.containsNull { return "ifnull(\(test), \(value) IS NULL)" }
    return strict ? "ifnull(\(test), 0)" : "(\(test))"
  }

  private mutating func equal(
    _ expression: ResolvedExpression, _ constant: Value
  ) throws -> SQLText {
    "\(raw: SQLFunction.equal)(\(try value(expression)), \(bind: constant))"
  }

  private func elements(_ values: [Value]) -> SQLText {
    guard values.count > SQLBuilder.spelledOut else { return spelled(values) }
    if let text = JSONList.integers(values) {
      return "SELECT value FROM json_each(\(bind: .string(text)))"
    }
    if let text = JSONList.texts(values) {
      return "SELECT value FROM json_each(\(bind: .string(text)))"
    }
    if let text = JSONList.bits(values) {
      return """
        SELECT \(raw: SQLFunction.double)(value) FROM json_each(\(bind: .string(text)))
        """
    }
    return spelled(values)
  }

  private func spelled(_ values: [Value]) -> SQLText {
    values.map { "\(bind: $0)" as SQLText }.joined(", ")
  }
}

extension ResolvedExpression {
  /// Whether every value is a decimal in its stored form, which our collation can compare. Results
  /// of calculations may be other numbers.
  var isDecimalText: Bool {
    guard kind == .decimal else { return false }
    switch form {
    case .attribute, .column: return true
    case .value(.decimal): return true
    case .aggregate(.min, _, _, _), .aggregate(.max, _, _, _): return true
    default: return false
    }
  }
}
