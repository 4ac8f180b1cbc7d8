/// Paths, and the questions about members that they lead to.
///
/// ```
/// path = (SELF | $name | key | %K) { . key } [. @function { . key } | [SIZE]]
/// ```
extension FilterParser {
  mutating func parsePath() throws(FilterError) -> FilterExpression {
    var path = FilterPath([])
    switch token.kind {
    case .variable(let name):
      path.variable = name
      index += 1
    case .identifier(let name) where name.uppercased() == "SELF":
      index += 1
    default:
      path.keys = try parseKeys()
    }
    return try parseTail(path)
  }

  /// The keys of one step: one name, or those of an argument.
  private mutating func parseKeys() throws(FilterError) -> [String] {
    let position = token.position
    switch token.kind {
    case .identifier(let name), .escaped(let name):
      index += 1
      return [name]
    case .argument(.key):
      index += 1
      return try arguments.nextKeys(at: position)
    default:
      throw expected("a key")
    }
  }

  private mutating func parseTail(_ start: FilterPath) throws(FilterError) -> FilterExpression {
    var path = start
    while take(".") {
      if case .function = token.kind { return try parseAggregate(of: .path(path)) }
      path.keys += try parseKeys()
    }
    if isSymbol("[") { return try parseIndex(of: path) }
    return try path.splitAtFunction(position: token.position)
  }

  /// `[SIZE]`, which is a count; members have no numbers.
  private mutating func parseIndex(of path: FilterPath) throws(FilterError) -> FilterExpression {
    guard case .identifier(let name) = tokens[index + 1].kind, name.uppercased() == "SIZE" else {
      throw FilterError(
        .unsupported, position: token.position,
        message: "Members of a relationship cannot be picked by number. Use ANY, ALL or SUBQUERY; "
          + "[SIZE] is how many there are.")
    }
    index += 2
    try require("]")
    return .aggregate(.count, .path(path), key: [])
  }

  /// `@sum.score`, behind a collection.
  private mutating func parseAggregate(
    of collection: FilterExpression
  ) throws(FilterError) -> FilterExpression {
    guard case .function(let name) = token.kind,
      let function = FilterPath.functions[name]
    else {
      throw expected("@count, @sum, @avg, @min or @max")
    }
    index += 1
    var keys: [String] = []
    while take(".") { keys += try parseKeys() }
    return .aggregate(function, collection, key: keys)
  }

  mutating func parseSubquery() throws(FilterError) -> FilterExpression {
    index += 2
    guard case .path(let path) = try parsePath() else { throw expected("a path to many objects") }
    try require(",")
    guard case .variable(let name) = token.kind else { throw expected("a variable such as “$n”") }
    index += 1
    try require(",")
    let node = try condition(parseOr())
    try require(")")
    guard take(".") else { throw expected("“.@count” behind a SUBQUERY") }
    return try parseAggregate(of: .subquery(path, variable: name, node))
  }
}

extension FilterPath {
  static let functions: [String: AggregateFunction] = [
    "count": .count, "sum": .sum, "avg": .average, "min": .min, "max": .max,
  ]

  /// A key path from an argument may have a function among its keys: `notes.@count`.
  func splitAtFunction(position: Int?) throws(FilterError) -> FilterExpression {
    guard let index = keys.firstIndex(where: { $0.hasPrefix("@") }) else { return .path(self) }
    guard let function = FilterPath.functions[String(keys[index].dropFirst())] else {
      throw FilterError(
        .unsupported, position: position, key: keys[index],
        message: "There is no function “\(keys[index])”. "
          + "Known are @count, @sum, @avg, @min and @max.")
    }
    return .aggregate(
      function, .path(FilterPath(variable: variable, Array(keys[..<index]))),
      key: Array(keys[(index + 1)...]))
  }
}
