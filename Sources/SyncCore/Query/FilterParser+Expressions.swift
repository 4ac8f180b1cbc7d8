/// Values and calculations; paths are in a file of their own.
///
/// ```
/// sum     = product { (+ | - | "|" | ^) product }
/// product = sign { (* | / | %% | & | << | >>) sign }
/// sign    = - sign | ~ sign | power
/// power   = primary [** sign]
/// primary = value | argument | { list } | ( or ) | path | SUBQUERY(path, $name, or) | function(sum)
///         | now() | CAST(sum, 'NSDate') | TRUE | nil | …
/// ```
extension FilterParser {
  mutating func parseSum() throws(FilterError) -> Term {
    var term = try parseProduct()
    while let operation = operation(among: [.add, .subtract, .bitOr, .bitXor]) {
      term = try calculate(term, operation) { parser throws(FilterError) in
        try parser.parseProduct()
      }
    }
    return term
  }

  private mutating func parseProduct() throws(FilterError) -> Term {
    var term = try parseSign()
    while let operation = operation(
      among: [.multiply, .divide, .remainder, .bitAnd, .shiftLeft, .shiftRight])
    {
      term = try calculate(term, operation) { parser throws(FilterError) in
        try parser.parseSign()
      }
    }
    return term
  }

  /// The operation that stands here, when it is one of some.
  private func operation(among operations: [ArithmeticOperation]) -> ArithmeticOperation? {
    guard case .symbol(let symbol) = token.kind,
      let operation = ArithmeticOperation(rawValue: symbol), operations.contains(operation)
    else { return nil }
    return operation
  }

  private mutating func parseSign() throws(FilterError) -> Term {
    if take("~") {
      return try nested { parser throws(FilterError) in
        let value = try parser.expression(parser.parseSign())
        return .expression(.arithmetic(value, .bitXor, .value(.int(-1))))
      }
    }
    guard take("-") else { return try parsePower() }
    return try nested { parser throws(FilterError) in
      let value = try parser.expression(parser.parseSign())
      if case .value(let value) = value, let negated = Arithmetic.negated(value) {
        return .expression(.value(negated))
      }
      return .expression(.negative(value))
    }
  }

  private mutating func parsePower() throws(FilterError) -> Term {
    let base = try parsePrimary()
    guard isSymbol("**") else { return base }
    return try nested { parser throws(FilterError) in
      try parser.calculate(base, .power) { parser throws(FilterError) in try parser.parseSign() }
    }
  }

  private mutating func calculate(
    _ left: Term, _ operation: ArithmeticOperation,
    _ right: (inout FilterParser) throws(FilterError) -> Term
  ) throws(FilterError) -> Term {
    let left = try expression(left)
    index += 1
    return .expression(.arithmetic(left, operation, try expression(right(&self))))
  }

  mutating func expression(_ term: Term) throws(FilterError) -> FilterExpression {
    guard case .expression(let expression) = term else {
      throw expected("AND, OR or the end behind a condition")
    }
    return expression
  }

  // MARK: - Primaries

  private mutating func parsePrimary() throws(FilterError) -> Term {
    switch token.kind {
    case .number(let value):
      index += 1
      return .expression(.value(value))
    case .text(let text):
      index += 1
      return .expression(.value(.string(text)))
    case .symbol("("):
      return try nested { parser throws(FilterError) in
        parser.index += 1
        let term = try parser.parseOr()
        try parser.require(")")
        return term
      }
    case .symbol("{"):
      return .expression(try nested { parser throws(FilterError) in try parser.parseList() })
    case .argument(.key), .variable, .identifier, .escaped:
      return .expression(try parseNamed())
    case .argument(let specifier):
      let position = token.position
      index += 1
      return .expression(try arguments.next(specifier, at: position))
    default:
      throw expected("a key, a value or an argument")
    }
  }

  private mutating func parseList() throws(FilterError) -> FilterExpression {
    try require("{")
    var elements: [FilterExpression] = []
    while !isSymbol("}") {
      if !elements.isEmpty { try require(",") }
      elements.append(try expression(parseSum()))
    }
    try require("}")
    let values = elements.compactMap { if case .value(let value) = $0 { value } else { nil } }
    return values.count == elements.count ? .values(values) : .list(elements)
  }

  private static let constants: [String: Value] = [
    "TRUE": .bool(true), "YES": .bool(true), "FALSE": .bool(false), "NO": .bool(false),
    "NIL": .null, "NULL": .null,
  ]

  private static let keywords: Set<String> = [
    "AND", "OR", "NOT", "ANY", "SOME", "ALL", "NONE", "IN", "BETWEEN", "BEGINSWITH", "CONTAINS",
    "ENDSWITH", "LIKE", "MATCHES", "TRUEPREDICATE", "FALSEPREDICATE",
  ]

  private mutating func parseNamed() throws(FilterError) -> FilterExpression {
    let next = tokens[index + 1].kind
    if let keyword = token.keyword {
      if next == .symbol("(") {
        if keyword == "SUBQUERY" {
          return try nested { parser throws(FilterError) in try parser.parseSubquery() }
        }
        if keyword == "NOW" { return try parseNow() }
        if keyword == "CAST" {
          return try nested { parser throws(FilterError) in try parser.parseCast() }
        }
        guard let function = FilterFunction(rawValue: keyword.lowercased()) else {
          throw unsupportedFunction()
        }
        return try nested { parser throws(FilterError) in try parser.parseCall(of: function) }
      }
      if next != .symbol(".") {
        if let constant = FilterParser.constants[keyword] {
          index += 1
          return .value(constant)
        }
        if FilterParser.keywords.contains(keyword) {
          throw expected(
            "a key, a value or an argument (a key of that name is written #\(keyword))")
        }
      }
    }
    return try parsePath()
  }

  private func unsupportedFunction() -> FilterError {
    let known = FilterFunction.allCases.map { $0.rawValue + "()" }.joined(separator: ", ")
    return FilterError(
      .unsupported, position: token.position,
      message: "The function \(token.shown) cannot be called in a filter. "
        + "Calculate the value first and pass it as an argument (%@). Known are \(known), now() and "
        + "CAST(value, 'NSDate'), and @count, @sum, @avg, @min and @max behind a relationship.")
  }

  private mutating func parseCall(
    of function: FilterFunction
  ) throws(FilterError) -> FilterExpression {
    index += 2
    let operand = try expression(parseSum())
    try require(")")
    return .function(function, operand)
  }

  private mutating func parseNow() throws(FilterError) -> FilterExpression {
    index += 2
    try require(")")
    return .now
  }

  private mutating func parseCast() throws(FilterError) -> FilterExpression {
    index += 2
    let operand = try expression(parseSum())
    try require(",")
    let known = FilterCast.Target.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    guard case .text(let name) = token.kind, let target = FilterCast.Target(rawValue: name) else {
      throw expected("one of the types \(known)")
    }
    index += 1
    try require(")")
    return .cast(operand, target)
  }
}
