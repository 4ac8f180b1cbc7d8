import SyncStack

/// A comparison that orders texts letter by letter, though the text that was typed looks like a
/// number: in `total > '9'` the text 1101.10 is the smaller one.
struct LetterComparison: CustomStringConvertible {
  private let key: String

  /// The first one in a filter of an entity; nil when there is none.
  init?(in filter: Filter?, of entity: EntityDescription) {
    guard let node = try? filter?.node, let key = Self.key(in: node, entity) else { return nil }
    self.key = key
  }

  var description: String {
    "“\(key)” holds texts, so they were compared letter by letter; CAST(\(key), 'NSNumber') in "
      + "place of \(key) and a number without quotation marks compare numbers."
  }

  private static func key(in node: FilterNode, _ entity: EntityDescription) -> String? {
    switch node {
    case .constant: nil
    case .and(let nodes), .or(let nodes): nodes.lazy.compactMap { key(in: $0, entity) }.first
    case .not(let node): key(in: node, entity)
    case .comparison(let comparison): key(in: comparison, entity)
    }
  }

  private static func key(in comparison: FilterComparison, _ entity: EntityDescription) -> String? {
    switch (comparison.operation, comparison.left, comparison.right) {
    case (.less, .path(let path), .value(let value)),
      (.lessOrEqual, .path(let path), .value(let value)),
      (.greater, .path(let path), .value(let value)),
      (.greaterOrEqual, .path(let path), .value(let value)):
      guard case .string(let text) = value, Double(text) != nil, let key = path.keys.first,
        path.keys.count == 1, entity.attribute(named: key)?.type == .string
      else { return nil }
      return key
    default: return nil
    }
  }
}
