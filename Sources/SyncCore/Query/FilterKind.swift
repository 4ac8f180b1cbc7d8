/// The kind by which a value in a filter is compared. Only values of one family compare.
package enum FilterKind: Sendable, Hashable {
  /// Nothing is known: the constant nil.
  case null
  /// Whole numbers and booleans.
  case integer
  case real
  case decimal
  case date
  case text
  /// Text that holds a UUID in its one form.
  case uuid
  case data
  /// Transformed values: can only be there or not.
  case opaque
  /// Objects of one root entity, by its index in the model.
  case object(root: Int)

  init(_ type: AttributeType) {
    switch type {
    case .integer16, .integer32, .integer64, .boolean: self = .integer
    case .double, .float: self = .real
    case .decimal: self = .decimal
    case .date: self = .date
    case .string, .uri: self = .text
    case .uuid: self = .uuid
    case .binary: self = .data
    case .transformable: self = .opaque
    }
  }

  /// The kind of a constant before it is fitted to the other side.
  init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .bool, .int: self = .integer
    case .double: self = .real
    case .decimal: self = .decimal
    case .string, .url: self = .text
    case .uuid: self = .uuid
    case .data: self = .data
    case .date: self = .date
    }
  }

  package var isNumber: Bool { self == .integer || self == .real || self == .decimal }
  var isObject: Bool { if case .object = self { true } else { false } }
  package var isText: Bool { self == .text || self == .uuid }

  /// Whether values of both kinds can be compared.
  func isComparable(with other: FilterKind) -> Bool {
    if self == .null || other == .null || self == other { return self != .opaque }
    return isNumber && other.isNumber || isText && other.isText
  }

  var name: String {
    switch self {
    case .null: "nil"
    case .integer: "a whole number"
    case .real, .decimal: "a number"
    case .date: "a date"
    case .text: "a text"
    case .uuid: "a UUID"
    case .data: "data"
    case .opaque: "a transformed value"
    case .object: "an object"
    }
  }
}
