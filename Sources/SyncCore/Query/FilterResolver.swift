import Foundation

/// Checks the tree of a filter against an entity and fits its parts to each other. This file:
/// conditions and collections.
struct FilterResolver {
  /// The meaning of names.
  struct Scope {
    /// Name of the variable; nil for the object itself and for members that have no name.
    var variable: String?
    var entity: EntityDescription
  }

  /// The object itself, then a member for each collection around.
  var scopes: [Scope]

  /// Columns of an answer by name, for conditions on groups; nil for conditions on objects.
  var columns: [ResolvedColumn]?

  /// The moment of `now()`.
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
        try requireNumbers(comparison.left)
        try requireNumbers(comparison.right)
        return comparison.quantifier == .direct
          ? try resolveDirect(comparison) : try resolveQuantified(comparison)
      } catch {
        throw error.about(comparison.description)
      }
    }
  }

  /// Not-a-number is equal to nothing and less than nothing, and no store keeps it.
  private func requireNumbers(_ expression: FilterExpression) throws(FilterError) {
    let values: [Value]
    switch expression {
    case .value(let value): values = [value]
    case .values(let list): values = list
    case .range(let lower, let upper): values = [lower, upper]
    case .list(let list):
      for element in list { try requireNumbers(element) }
      return
    default: return
    }
    guard let value = values.first(where: \.isNoNumber) else { return }
    throw FilterError(
      .argument, expected: "a number",
      message: "“\(value)” cannot be compared with: it is not a number, and no object has it. Pass "
        + "a number, or nil.")
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

  /// Whether the body holds for a member; it gets the end of the path from there.
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
}
