import SyncCore

/// Conditions of a filter as SQL.
///
/// SQL knows a third answer, unknown, where one side is NULL. A filter does not: equality is
/// written `IS`, which never is unknown, and an unknown answer is only left so where unknown and
/// false are the same, which is everywhere but inside NOT (`strict`).
extension SQLBuilder {
  mutating func condition(_ node: ResolvedNode, strict: Bool = false) throws -> SQLText {
    switch node {
    case .constant(let value): return value ? "1" : "0"
    case .and(let nodes): return try compound(nodes, " AND ", empty: "1", strict: strict)
    case .or(let nodes): return try compound(nodes, " OR ", empty: "0", strict: strict)
    case .not(.equal(let left, let right)): return try equal(left, right, isNegated: true)
    case .not(let node): return "NOT \(try condition(node, strict: true))"
    case .equal(let left, let right):
      if !strict, let found = try lookedUp(node, left) { return found }
      return try equal(left, right, isNegated: false)
    case .ordered(let left, let order, let right):
      return decided(try ordered(left, order, right), strict)
    case .member(let expression, let list):
      if !strict, !list.containsNull, let found = try lookedUp(node, expression) { return found }
      return try member(expression, list, strict: strict)
    case .text(let left, let operation, let right):
      return decided(try text(left, operation, right), strict)
    case .matches(let left, let right, let isCaseInsensitive):
      let flag = isCaseInsensitive ? "1" : "0"
      let call: SQLText =
        "\(raw: SQLFunction.matches)(\(try value(left)), \(try value(right)), \(raw: flag))"
      return decided(call, strict)
    case .exists(let collection, let node):
      let (tables, joins, member) = try join(collection)
      let inner = try inside(member, collection.entity) { builder in try builder.condition(node) }
      return "EXISTS (SELECT 1 FROM \(raw: tables) WHERE \(raw: joins) AND \(inner))"
    }
  }

  private mutating func compound(
    _ nodes: [ResolvedNode], _ word: String, empty: SQLText, strict: Bool
  ) throws -> SQLText {
    var parts: [SQLText] = []
    for node in nodes { parts.append(try condition(node, strict: strict)) }
    // SQLite reads `a OR b OR c` as a tree that is as deep as there are words, and allows a depth
    // of 1,000 (https://www.sqlite.org/limits.html). Parentheses make it flat.
    while parts.count > SQLBuilder.widest {
      parts = stride(from: 0, to: parts.count, by: SQLBuilder.widest).map { start in
        let group = Array(parts[start..<min(start + SQLBuilder.widest, parts.count)])
        return "(\(group.joined(word)))"
      }
    }
    return parts.isEmpty ? empty : "(\(parts.joined(word)))"
  }

  /// Conditions side by side between two parentheses.
  private static let widest = 64

  /// Takes unknown for false where it makes a difference.
  private func decided(_ condition: SQLText, _ strict: Bool) -> SQLText {
    strict ? "ifnull(\(condition), 0)" : "(\(condition))"
  }

  // MARK: - Comparisons

  private mutating func equal(
    _ left: ResolvedExpression, _ right: ResolvedExpression, isNegated: Bool
  ) throws -> SQLText {
    let word = isNegated ? "IS NOT" : "IS"
    if left.constant?.isNull == true { return "(\(try value(right)) \(raw: word) NULL)" }
    if right.constant?.isNull == true { return "(\(try value(left)) \(raw: word) NULL)" }
    if needsFunction(left, right) {
      let call: SQLText = "\(raw: SQLFunction.equal)(\(try value(left)), \(try value(right)))"
      return isNegated ? "NOT \(call)" : call
    }
    // Equal decimals have equal texts, so an index in plain order finds them.
    return "(\(try value(left)) \(raw: word) \(try value(right)))"
  }

  private mutating func ordered(
    _ left: ResolvedExpression, _ order: FilterOrder, _ right: ResolvedExpression
  ) throws -> SQLText {
    if needsFunction(left, right) {
      let call: SQLText = "\(raw: SQLFunction.compare)(\(try value(left)), \(try value(right)))"
      return "\(call) \(raw: order.rawValue) 0"
    }
    return """
      \(try value(left))\(raw: collation(left, right)) \(raw: order.rawValue) \(try value(right))
      """
  }

  /// Decimals are texts: SQLite cannot compare them with numbers of its own.
  private func needsFunction(_ left: ResolvedExpression, _ right: ResolvedExpression) -> Bool {
    guard left.kind == .decimal || right.kind == .decimal else { return false }
    return !left.isDecimalText || !right.isDecimalText
  }

  private func collation(_ left: ResolvedExpression, _ right: ResolvedExpression) -> String {
    left.kind == .decimal || right.kind == .decimal ? SQLBuilder.decimalCollation : ""
  }

  static let decimalCollation = " COLLATE \(SQLFunction.decimalCollation)"

  private mutating func text(
    _ left: ResolvedExpression, _ operation: TextOperator, _ right: ResolvedExpression
  ) throws -> SQLText {
    switch operation {
    case .contains:
      return "instr(\(try value(left)), \(try value(right))) > 0"
    case .begins:
      if let range = try prefixRange(left, right) { return range }
      return "instr(\(try value(left)), \(try value(right))) = 1"
    case .ends:
      return "\(raw: SQLFunction.ends)(\(try value(left)), \(try value(right)))"
    case .like:
      return "\(raw: SQLFunction.like)(\(try value(left)), \(try value(right)))"
    }
  }

  /// A constant prefix as a range of texts, for which an index of the column can serve. UTF-8 sorts
  /// by scalars, so the first text behind all those with the prefix is the prefix with its last
  /// scalar raised by one.
  private mutating func prefixRange(
    _ left: ResolvedExpression, _ right: ResolvedExpression
  ) throws -> SQLText? {
    guard case .attribute(let path, _) = left.form, path.hops.isEmpty,
      let prefix = right.constant?.text
    else { return nil }
    let column = try value(left)
    if prefix.isEmpty { return "\(column) IS NOT NULL" }
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      var end = String.UnicodeScalarView(scalars)
      end.append(scalar)
      return """
        \(column) >= \(bind: .string(prefix)) AND \(column) < \(bind: .string(String(end)))
        """
    }
    return "\(column) >= \(bind: .string(prefix))"
  }

  // MARK: - Paths

  /// A condition on an indexed attribute behind a to-one relationship, as a look-up from that side:
  /// otherwise every row would be asked where its relationship leads.
  private mutating func lookedUp(
    _ node: ResolvedNode, _ expression: ResolvedExpression
  ) throws -> SQLText? {
    guard case .attribute(let path, let attribute) = expression.form,
      let first = path.hops.first, let last = path.hops.last,
      let column = layout[last.destination].column(attribute.slot),
      layout.table(of: last.destination).isIndexed[column.ordinal]
    else { return nil }
    let scope = scopes.count
    let rest = ResolvedExpression(
      .attribute(ResolvedPath(scope: scope, hops: Array(path.hops.dropFirst())), attribute),
      expression.kind)
    let moved: ResolvedNode
    switch node {
    case .equal(_, let right):
      guard let constant = right.constant, !constant.isNull else { return nil }
      moved = .equal(rest, right)
    case .member(_, let list): moved = .member(rest, list)
    default: return nil
    }
    let name = newName()
    let inner = try inside(name, first.destination) { builder in try builder.condition(moved) }
    let reference = try reference(ResolvedPath(scope: path.scope, hops: [first]))
    return """
      (\(reference) IN (SELECT \(raw: name)._row FROM \
      \(raw: layout.table(of: first.destination).quoted) \(raw: name) WHERE \(inner)))
      """
  }
}
