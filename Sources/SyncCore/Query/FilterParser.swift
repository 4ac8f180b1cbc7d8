/// Reads a format text into the tree of a filter. This file: conditions.
///
/// ```
/// or         = and { (OR | ||) and }
/// and        = not { (AND | &&) not }
/// not        = (NOT | !) not | comparison
/// comparison = [ANY | SOME | ALL | NONE] sum [operator ["[cd]"] sum] | TRUEPREDICATE | …
/// ```
///
/// Parentheses stand around conditions and around calculations; the content alone tells which, so
/// every level returns either (``Term``).
struct FilterParser {
  /// A parsed piece of the text.
  enum Term {
    case condition(FilterNode)
    case expression(FilterExpression)
  }

  private static let maximumDepth = 100

  let tokens: [FilterToken]
  var index = 0
  var arguments: FilterArguments
  private var depth = 0

  static func parse(_ format: String, arguments: [Any?]) -> Result<FilterNode, FilterError> {
    Result { () throws(FilterError) in
      do throws(FilterError) {
        var parser = FilterParser(
          tokens: try FilterTokenizer.tokens(of: format),
          arguments: FilterArguments(all: arguments))
        return try parser.parseFilter()
      } catch {
        throw error.about(format)
      }
    }
  }

  private mutating func parseFilter() throws(FilterError) -> FilterNode {
    let node = try condition(parseOr())
    guard case .end = token.kind else { throw expected("AND, OR or the end") }
    try arguments.finish()
    return node
  }

  // MARK: - Tokens

  var token: FilterToken { tokens[min(index, tokens.count - 1)] }

  func isSymbol(_ symbol: String) -> Bool { token.kind == .symbol(symbol) }

  /// Goes past the symbol if it is there.
  mutating func take(_ symbol: String) -> Bool {
    guard isSymbol(symbol) else { return false }
    index += 1
    return true
  }

  /// Goes past the keyword if it is there and not the first key of a path.
  mutating func take(keyword: String) -> Bool {
    guard token.keyword == keyword, tokens[index + 1].kind != .symbol(".") else { return false }
    index += 1
    return true
  }

  mutating func require(_ symbol: String) throws(FilterError) {
    guard take(symbol) else { throw expected("“\(symbol)”") }
  }

  func expected(_ what: String) -> FilterError {
    .syntax(token.position, expected: what, found: "found \(token.shown)")
  }

  /// Keeps a text from the outside from using up the stack.
  mutating func nested<T>(
    _ body: (inout FilterParser) throws(FilterError) -> T
  ) throws(FilterError) -> T {
    guard depth < FilterParser.maximumDepth else {
      throw FilterError(
        .syntax, position: token.position,
        message: "The filter is nested more than \(FilterParser.maximumDepth) levels deep.")
    }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  // MARK: - Conditions

  // Mutating only so that its argument is parsed before the position is looked at.
  mutating func condition(_ term: Term) throws(FilterError) -> FilterNode {
    guard case .condition(let node) = term else {
      throw expected("a comparison operator such as “==”")
    }
    return node
  }

  mutating func parseOr() throws(FilterError) -> Term {
    let first = try parseAnd()
    var nodes: [FilterNode] = []
    while isSymbol("||") || token.keyword == "OR" {
      if nodes.isEmpty { nodes = [try condition(first)] }
      index += 1
      nodes.append(try condition(parseAnd()))
    }
    return nodes.isEmpty ? first : .condition(.or(nodes))
  }

  private mutating func parseAnd() throws(FilterError) -> Term {
    let first = try parseNot()
    var nodes: [FilterNode] = []
    while isSymbol("&&") || token.keyword == "AND" {
      if nodes.isEmpty { nodes = [try condition(first)] }
      index += 1
      nodes.append(try condition(parseNot()))
    }
    return nodes.isEmpty ? first : .condition(.and(nodes))
  }

  private mutating func parseNot() throws(FilterError) -> Term {
    guard take("!") || take(keyword: "NOT") else { return try parseComparison() }
    return try nested { parser throws(FilterError) in
      .condition(.not(try parser.condition(parser.parseNot())))
    }
  }

  private mutating func parseComparison() throws(FilterError) -> Term {
    if take(keyword: "TRUEPREDICATE") { return .condition(.constant(true)) }
    if take(keyword: "FALSEPREDICATE") { return .condition(.constant(false)) }
    for (keyword, quantifier) in FilterParser.quantifiers where take(keyword: keyword) {
      return try parseQuantified(quantifier)
    }
    let left = try parseSum()
    guard case .expression(let expression) = left, let operation = takeOperation() else {
      return left
    }
    let options = try parseOptions()
    guard case .expression(let right) = try parseSum() else { throw expected("a value") }
    return .condition(
      .comparison(
        FilterComparison(
          quantifier: .direct, left: expression, operation: operation, options: options,
          right: right)))
  }

  private static let quantifiers: [(String, FilterQuantifier)] = [
    ("ANY", .any), ("SOME", .any), ("ALL", .all), ("NONE", .none),
  ]

  private mutating func parseQuantified(
    _ quantifier: FilterQuantifier
  ) throws(FilterError) -> Term {
    let start = token.position
    guard case .comparison(var comparison) = try condition(parseComparison()),
      comparison.quantifier == .direct
    else {
      throw .syntax(
        start, expected: "one comparison behind \(quantifier.rawValue)",
        found: "there is more than that")
    }
    comparison.quantifier = quantifier
    return .condition(.comparison(comparison))
  }

  private static let operations: [String: FilterOperation] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
    "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
    "BETWEEN": .between, "IN": .memberOf, "BEGINSWITH": .beginsWith, "CONTAINS": .contains,
    "ENDSWITH": .endsWith, "LIKE": .like, "MATCHES": .matches,
  ]

  private mutating func takeOperation() -> FilterOperation? {
    let name: String? = if case .symbol(let symbol) = token.kind { symbol } else { token.keyword }
    guard let operation = name.flatMap({ FilterParser.operations[$0] }) else { return nil }
    index += 1
    return operation
  }

  /// `[c]`, `[d]`, `[cd]`; `n` (compare as it is) changes nothing here.
  private mutating func parseOptions() throws(FilterError) -> TextOptions {
    guard take("[") else { return [] }
    guard case .identifier(let letters) = token.kind else { throw expected("c, d or cd") }
    var options: TextOptions = []
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      case "n": break
      default: throw expected("c, d or cd")
      }
    }
    index += 1
    try require("]")
    return options
  }
}
