/// The two sides of a comparison.
extension FilterResolver {
  mutating func compare(
    _ left: ResolvedExpression, _ operation: FilterOperation, to right: FilterExpression,
    options: TextOptions
  ) throws(FilterError) -> ResolvedNode {
    switch operation {
    case .memberOf: try member(left, of: right, options: options)
    case .between: try between(left, right, options: options)
    case .equal, .notEqual:
      if let list = stored(right, for: left) {
        try compare(left, operation, to: list, options: options)
      } else {
        try compare(left, operation, to: expression(right), options: options)
      }
    default: try compare(left, operation, to: expression(right), options: options)
    }
  }

  func compare(
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

  /// A list as the one value that an attribute for lists keeps; nil for everything else.
  private func stored(
    _ right: FilterExpression, for left: ResolvedExpression
  ) -> ResolvedExpression? {
    guard case .values(let values) = right, left.kind == .data else { return nil }
    return ResolvedExpression(.data(CodableForm.data(of: values.map(CodableScalar.init))))
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
