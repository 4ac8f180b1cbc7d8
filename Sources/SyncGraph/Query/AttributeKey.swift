public import SyncCore

/// An attribute in a typed filter or sort key: `$0.$age`, `$0.$company.$name`.
public struct AttributeKey<Wrapped: ValueConvertible>: FilterKey {
  let path: [String]

  /// The key path as text: `company.name`.
  public var keyPath: String { path.joined(separator: ".") }

  public func filter(_ comparison: FilterComparisonKind, _ value: Wrapped) -> Filter {
    .compare(path, comparison.operation, value.storedValue)
  }

  /// Whether the value is one of these.
  public func isIn(_ values: some Sequence<Wrapped>) -> Filter {
    .member(path, of: values.map(\.storedValue))
  }

  /// Whether the value lies between two others; both ends belong to it.
  public func between(_ lower: Wrapped, _ upper: Wrapped) -> Filter {
    .between(path, lower.storedValue, upper.storedValue)
  }

  // MARK: - Two attributes

  /// Whether both are equal, or both absent.
  public static func == (left: AttributeKey, right: AttributeKey) -> Filter {
    .compare(left.path, .equal, path: right.path)
  }

  /// The opposite of `==`.
  public static func != (left: AttributeKey, right: AttributeKey) -> Filter {
    .compare(left.path, .notEqual, path: right.path)
  }

  /// Whether the left one is less.
  public static func < (left: AttributeKey, right: AttributeKey) -> Filter {
    .compare(left.path, .less, path: right.path)
  }

  /// Whether the left one is less or equal.
  public static func <= (left: AttributeKey, right: AttributeKey) -> Filter {
    .compare(left.path, .lessOrEqual, path: right.path)
  }

  /// Whether the left one is greater.
  public static func > (left: AttributeKey, right: AttributeKey) -> Filter {
    .compare(left.path, .greater, path: right.path)
  }

  /// Whether the left one is greater or equal.
  public static func >= (left: AttributeKey, right: AttributeKey) -> Filter {
    .compare(left.path, .greaterOrEqual, path: right.path)
  }
}

/// A type of text, which can be searched. An enum with raw texts conforms by saying so.
public protocol TextConvertible: ValueConvertible {}

extension String: TextConvertible {}
extension Optional: TextConvertible where Wrapped: TextConvertible {}

extension AttributeKey where Wrapped: TextConvertible {
  /// Whether the text is the same, compared with options.
  public func equals(_ text: String, options: TextOptions) -> Filter {
    .compare(path, .equal, .string(text), options: options)
  }

  /// Whether the text has this one in it.
  public func contains(_ text: String, options: TextOptions = []) -> Filter {
    .compare(path, .contains, .string(text), options: options)
  }

  /// Whether the text begins with this one.
  public func hasPrefix(_ text: String, options: TextOptions = []) -> Filter {
    .compare(path, .beginsWith, .string(text), options: options)
  }

  /// Whether the text ends with this one.
  public func hasSuffix(_ text: String, options: TextOptions = []) -> Filter {
    .compare(path, .endsWith, .string(text), options: options)
  }

  /// Whether the whole text is like a pattern with `?` for one and `*` for any characters.
  public func isLike(_ pattern: String, options: TextOptions = []) -> Filter {
    .compare(path, .like, .string(pattern), options: options)
  }

  /// Whether the whole text matches a regular expression.
  public func matches(_ pattern: String, options: TextOptions = []) -> Filter {
    .compare(path, .matches, .string(pattern), options: options)
  }
}
