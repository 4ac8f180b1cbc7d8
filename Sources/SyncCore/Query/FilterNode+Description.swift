extension Filter: CustomStringConvertible {
  /// The filter as text, with its arguments in place.
  public var description: String {
    switch content {
    case .success(let node): node.description
    case .failure(let error): error.text ?? error.message
    }
  }
}

extension FilterNode: CustomStringConvertible {
  package var description: String {
    switch self {
    case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .and(let nodes): FilterNode.joined(nodes, by: " AND ", empty: "TRUEPREDICATE")
    case .or(let nodes): FilterNode.joined(nodes, by: " OR ", empty: "FALSEPREDICATE")
    case .not(let node): "NOT (\(node))"
    case .comparison(let comparison): comparison.description
    }
  }

  private static func joined(_ nodes: [FilterNode], by word: String, empty: String) -> String {
    let parts = nodes.map { node in
      switch node {
      case .and, .or: "(\(node))"
      default: node.description
      }
    }
    return parts.isEmpty ? empty : parts.joined(separator: word)
  }
}

extension FilterComparison: CustomStringConvertible {
  package var description: String {
    let quantifier = quantifier == .direct ? "" : quantifier.rawValue + " "
    return "\(quantifier)\(left) \(operation.rawValue)\(options) \(right)"
  }
}

extension FilterExpression: CustomStringConvertible {
  package var description: String {
    switch self {
    case .value(let value): value.filterText
    case .object(let id): id.description
    case .values(let values): FilterExpression.list(values.prefix(11).map(\.filterText))
    case .objects(let ids): FilterExpression.list(ids.prefix(11).map(\.description))
    case .list(let expressions): FilterExpression.list(expressions.prefix(11).map(\.description))
    case .range(let lower, let upper): "{\(lower.filterText), \(upper.filterText)}"
    case .path(let path): path.description
    case .negative(let operand): "-(\(operand))"
    case .function(let function, let operand): "\(function.rawValue)(\(operand))"
    case .now: "now()"
    case .cast(let operand, let target): "CAST(\(operand), '\(target.rawValue)')"
    case .arithmetic(let left, let operation, let right):
      "(\(left) \(operation.rawValue) \(right))"
    case .aggregate(let function, let collection, let key):
      (["\(collection)", "@\(function == .average ? "avg" : function.rawValue)"] + key)
        .joined(separator: ".")
    case .subquery(let path, let variable, let node): "SUBQUERY(\(path), $\(variable), \(node))"
    }
  }

  /// Long lists are cut: descriptions are for people.
  private static func list(_ elements: [String]) -> String {
    let shown = elements.prefix(10).joined(separator: ", ")
    return elements.count > 10 ? "{\(shown), …}" : "{\(shown)}"
  }
}

extension FilterPath: CustomStringConvertible {
  package var description: String {
    let keys = keys.joined(separator: ".")
    guard let variable else { return keys.isEmpty ? "SELF" : keys }
    return keys.isEmpty ? "$" + variable : "$\(variable).\(keys)"
  }
}

extension Value {
  /// The value as a filter's text has it.
  var filterText: String {
    switch self {
    case .null, .bool, .int, .double, .decimal, .data: description
    case .string, .date, .uuid, .url:
      "'" + description.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
  }
}
