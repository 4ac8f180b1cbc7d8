import Foundation

extension Filter: CustomStringConvertible {
  /// The filter as text, with its arguments in place. For people: long lists are cut, and binary
  /// data is a number of bytes.
  public var description: String { text(isWhole: false) }

  /// The filter as text with nothing left out: filters of equal texts mean the same objects. For
  /// everything that has to tell filters apart.
  package var wholeText: String { text(isWhole: true) }

  private func text(isWhole: Bool) -> String {
    switch content {
    case .success(let node): node.text(isWhole: isWhole)
    case .failure(let error): error.text ?? error.message
    }
  }
}

extension FilterNode: CustomStringConvertible {
  package var description: String { text(isWhole: false) }

  fileprivate func text(isWhole: Bool) -> String {
    switch self {
    case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .and(let nodes): FilterNode.joined(nodes, by: " AND ", empty: "TRUEPREDICATE", isWhole)
    case .or(let nodes): FilterNode.joined(nodes, by: " OR ", empty: "FALSEPREDICATE", isWhole)
    case .not(let node): "NOT (\(node.text(isWhole: isWhole)))"
    case .comparison(let comparison): comparison.text(isWhole: isWhole)
    }
  }

  private static func joined(
    _ nodes: [FilterNode], by word: String, empty: String, _ isWhole: Bool
  ) -> String {
    let parts = nodes.map { node in
      let text = node.text(isWhole: isWhole)
      return switch node {
      case .and, .or: "(\(text))"
      default: text
      }
    }
    return parts.isEmpty ? empty : parts.joined(separator: word)
  }
}

extension FilterComparison: CustomStringConvertible {
  package var description: String { text(isWhole: false) }

  fileprivate func text(isWhole: Bool) -> String {
    let quantifier = quantifier == .direct ? "" : quantifier.rawValue + " "
    return quantifier + left.text(isWhole: isWhole) + " \(operation.rawValue)\(options) "
      + right.text(isWhole: isWhole)
  }
}

extension FilterExpression: CustomStringConvertible {
  package var description: String { text(isWhole: false) }

  fileprivate func text(isWhole: Bool) -> String {
    func text(_ value: Value) -> String { isWhole ? value.wholeFilterText : value.filterText }
    func text(_ operand: FilterExpression) -> String { operand.text(isWhole: isWhole) }
    func list<Element>(_ elements: [Element], _ text: (Element) -> String) -> String {
      let shown = elements.prefix(isWhole ? elements.count : 10).map(text)
      let rest = shown.count < elements.count ? ", …" : ""
      return "{\(shown.joined(separator: ", "))\(rest)}"
    }
    return switch self {
    case .value(let value): text(value)
    case .object(let id): id.description
    case .values(let values): list(values, text)
    case .objects(let ids): list(ids, \.description)
    case .list(let expressions): list(expressions, text)
    case .range(let lower, let upper): "{\(text(lower)), \(text(upper))}"
    case .path(let path): path.description
    case .negative(let operand): "-(\(text(operand)))"
    case .function(let function, let operand): "\(function.rawValue)(\(text(operand)))"
    case .now: "now()"
    case .cast(let operand, let target): "CAST(\(text(operand)), '\(target.rawValue)')"
    case .arithmetic(let left, let operation, let right):
      "(\(text(left)) \(operation.rawValue) \(text(right)))"
    case .aggregate(let function, let collection, let key):
      ([text(collection), "@\(function == .average ? "avg" : function.rawValue)"] + key)
        .joined(separator: ".")
    case .subquery(let path, let variable, let node):
      "SUBQUERY(\(path), $\(variable), \(node.text(isWhole: isWhole)))"
    }
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

  fileprivate var wholeFilterText: String {
    switch self {
    case .data(let data): "<\(data.base64EncodedString())>"
    case .date(let date): "CAST(\(date.timeIntervalSinceReferenceDate), 'NSDate')"
    default: filterText
    }
  }
}
