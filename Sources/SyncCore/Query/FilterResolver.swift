import Foundation

/// Checks the tree of a filter against an entity and fits its parts to each other. This file: conditions.
struct FilterResolver {
  /// What names mean.
  struct Scope {
    /// Name of the variable; nil for the object itself and for members that have no name.
    var variable: String?
    var entity: EntityDescription
  }

  /// The object itself, then a member for each collection around.
  var scopes: [Scope]

  /// Columns of an answer by name, for conditions on groups; nil for conditions on objects.
  var columns: [ResolvedColumn]?

  /// What `now()` is.
  let now: Date

  init(entity: EntityDescription, now: Date, columns: [ResolvedColumn]? = nil) {
    scopes = [Scope(variable: nil, entity: entity)]
    self.now = now
    self.columns = columns
  }

  mutating func resolve(_ node: FilterNode) throws(FilterError) -> ResolvedNode {
    switch node {
    case .constant(let value): return .constant(value)
    case .and(let nodes): return .and(try resolve(nodes))
    case .or(let nodes): return .or(try resolve(nodes))
    case .not(let node): return .not(try resolve(node))
    case .comparison(let comparison):
      do {
        return comparison.quantifier == .direct
          ? try resolveDirect(comparison) : try resolveQuantified(comparison)
      } catch {
        throw error.about(comparison.description)
      }
    }
  }

  private mutating func resolve(_ nodes: [FilterNode]) throws(FilterError) -> [ResolvedNode] {
    var result: [ResolvedNode] = []
    for node in nodes { result.append(try resolve(node)) }
    return result
  }

  /// Resolves a part for which the members of a collection are the next scope.
  mutating func inside<T>(
    _ collection: ResolvedCollection, variable: String? = nil,
    _ body: (inout FilterResolver) throws(FilterError) -> T
  ) throws(FilterError) -> T {
    scopes.append(Scope(variable: variable, entity: collection.entity))
    defer { scopes.removeLast() }
    return try body(&self)
  }

  // MARK: - Collections

  private mutating func resolveDirect(
    _ comparison: FilterComparison
  ) throws(FilterError) -> ResolvedNode {
    // `SELF.notes CONTAINS object` and `value IN notes.text` are questions to a collection.
    if comparison.operation == .memberOf, let walk = try toManyWalk(comparison.right) {
      let value = try expression(comparison.left)
      return try exists(walk) { resolver, member throws(FilterError) in
        try resolver.compare(member, .equal, to: value, options: comparison.options)
      }
    }
    if comparison.operation == .contains, let walk = try toManyWalk(comparison.left),
      walk.attribute == nil
    {
      let value = try expression(comparison.right)
      return try exists(walk) { resolver, member throws(FilterError) in
        try resolver.compare(member, .equal, to: value, options: [])
      }
    }
    return try compare(
      expression(comparison.left), comparison.operation, to: comparison.right,
      options: comparison.options)
  }

  private mutating func resolveQuantified(
    _ comparison: FilterComparison
  ) throws(FilterError) -> ResolvedNode {
    guard let walk = try toManyWalk(comparison.left) else {
      throw FilterError(
        .toManyPath, entity: scopes[0].entity.name, key: comparison.left.description,
        message:
          "\(comparison.quantifier.rawValue) needs a path over a to-many relationship on its "
          + "left, which “\(comparison.left)” is not.")
    }
    let isAll = comparison.quantifier == .all
    let node = try exists(walk) { resolver, member throws(FilterError) in
      let node = try resolver.compare(
        member, comparison.operation, to: comparison.right, options: comparison.options)
      return isAll ? .not(node) : node
    }
    return comparison.quantifier == .any ? node : .not(node)
  }

  /// The walk of a path that crosses a to-many relationship; nil for everything else.
  private func toManyWalk(_ expression: FilterExpression) throws(FilterError) -> PathWalk? {
    guard columns == nil, case .path(let path) = expression else { return nil }
    let walk = try walk(path)
    return walk.isToMany ? walk : nil
  }

  /// Whether the body holds for a member; it gets what the path leads to from there.
  private mutating func exists(
    _ walk: PathWalk,
    _ body: (inout FilterResolver, ResolvedExpression) throws(FilterError) -> ResolvedNode
  ) throws(FilterError) -> ResolvedNode {
    let (collection, rest) = walk.split(scope: scopes.count)
    let node = try inside(collection) { resolver throws(FilterError) in
      try body(&resolver, rest)
    }
    return .exists(collection, node)
  }

  // MARK: - Comparisons

  private mutating func compare(
    _ left: ResolvedExpression, _ operation: FilterOperation, to right: FilterExpression,
    options: TextOptions
  ) throws(FilterError) -> ResolvedNode {
    switch operation {
    case .memberOf: try member(left, of: right, options: options)
    case .between: try between(left, right, options: options)
    default: try compare(left, operation, to: expression(right), options: options)
    }
  }

  private func compare(
    _ left: ResolvedExpression, _ operation: FilterOperation, to right: ResolvedExpression,
    options: TextOptions
  ) throws(FilterError) -> ResolvedNode {
    switch operation {
    case .equal: return try equal(left, right, options: options)
    case .notEqual: return .not(try equal(left, right, options: options))
    case .less: return try ordered(left, .less, right, options: options)
    case .lessOrEqual: return try ordered(left, .lessOrEqual, right, options: options)
    case .greater: return try ordered(left, .greater, right, options: options)
    case .greaterOrEqual: return try ordered(left, .greaterOrEqual, right, options: options)
    case .contains: return try text(left, .contains, right, options: options)
    case .beginsWith: return try text(left, .begins, right, options: options)
    case .endsWith: return try text(left, .ends, right, options: options)
    case .like: return try text(left, .like, right, options: options)
    case .matches: return try matches(left, right, options: options)
    case .between, .memberOf:
      // Both take a list on the right and are resolved before it is turned into one value.
      return .constant(false)
    }
  }

  private func equal(
    _ left: ResolvedExpression, _ right: ResolvedExpression, options: TextOptions
  ) throws(FilterError) -> ResolvedNode {
    if left.constant?.isNull == true || right.constant?.isNull == true {
      return .equal(left, right)
    }
    let (left, right) = try fitted(left, right, options: options)
    return .equal(left, right)
  }

  private func ordered(
    _ left: ResolvedExpression, _ order: FilterOrder, _ right: ResolvedExpression,
    options: TextOptions
  ) throws(FilterError) -> ResolvedNode {
    for side in [left, right] {
      if case .object = side.kind {
        throw mismatch("objects have no order; compare them with == or !=")
      }
    }
    let (left, right) = try fitted(left, right, options: options)
    return .ordered(left, order, right)
  }

  private mutating func between(
    _ left: ResolvedExpression, _ range: FilterExpression, options: TextOptions
  ) throws(FilterError) -> ResolvedNode {
    let ends: [ResolvedExpression]
    switch range {
    case .range(let lower, let upper):
      ends = [ResolvedExpression(lower), ResolvedExpression(upper)]
    case .values(let values) where values.count == 2:
      ends = values.map { ResolvedExpression($0) }
    case .list(let list) where list.count == 2:
      ends = [try expression(list[0]), try expression(list[1])]
    default:
      throw mismatch("BETWEEN needs a list of two values, such as {1, 5}, or a range")
    }
    return .and([
      try ordered(left, .greaterOrEqual, ends[0], options: options),
      try ordered(left, .lessOrEqual, ends[1], options: options),
    ])
  }

  private mutating func member(
    _ left: ResolvedExpression, of list: FilterExpression, options: TextOptions
  ) throws(FilterError) -> ResolvedNode {
    switch list {
    case .values(let values):
      var fitted: [Value] = []
      let left = try folded(left, options)
      for value in values {
        let value = try fit(value, to: left, options: options)
        // A double that is still none of the decimals cannot be a member of them.
        if left.kind == .decimal, FilterKind(value) == .real { continue }
        fitted.append(value)
      }
      return .member(left, ResolvedList(fitted))
    case .objects(let objects):
      var rows: [Value] = []
      for object in objects { rows.append(.int(try row(of: object, comparedWith: left))) }
      return .member(left, ResolvedList(rows))
    case .list(let elements):
      var nodes: [ResolvedNode] = []
      for element in elements {
        nodes.append(try equal(left, expression(element), options: options))
      }
      return .or(nodes)
    case .range:
      return try between(left, list, options: options)
    default:
      let right = try expression(list)
      guard left.kind.isText, right.kind.isText else {
        throw mismatch("IN needs a list, a range, a to-many path or a text on its right")
      }
      return try text(right, .contains, left, options: options)
    }
  }

  private func text(
    _ left: ResolvedExpression, _ operation: TextOperator, _ right: ResolvedExpression,
    options: TextOptions
  ) throws(FilterError) -> ResolvedNode {
    try requireTexts(left, right)
    return .text(try folded(left, options), operation, try folded(right, options))
  }

  private func matches(
    _ left: ResolvedExpression, _ right: ResolvedExpression, options: TextOptions
  ) throws(FilterError) -> ResolvedNode {
    try requireTexts(left, right)
    let isCaseInsensitive = options.contains(.caseInsensitive)
    // Only accents are folded: case is up to the expression, in which \W and \w differ.
    let accents = options.intersection(.diacriticInsensitive)
    let pattern = try folded(right, accents)
    if case .string(let text)? = pattern.constant {
      try TextPattern.compile(text, isCaseInsensitive: isCaseInsensitive)
    }
    return .matches(try folded(left, accents), pattern, isCaseInsensitive: isCaseInsensitive)
  }

  private func requireTexts(
    _ left: ResolvedExpression, _ right: ResolvedExpression
  ) throws(FilterError) {
    for side in [left, right] where !side.kind.isText && side.kind != .null {
      throw mismatch("\(side.kind.name) is not a text")
    }
  }
}
