package import Foundation

/// The question of a fetch: the entity, the filter of its objects, their order, and the form of the
/// answer.
///
/// Without sort keys the order is that of insertion, which also decides between objects that the
/// sort keys leave equal. Row space only: a context makes objects of the answer.
package struct FetchPlan: Sendable {
  /// The rows of the answer.
  package enum Output: Sendable {
    /// Whole rows.
    case rows
    /// One row of values per object, or per group when there are aggregates or
    /// ``FetchPlan/groupBy``.
    case values([FetchColumn])
  }

  package var entity: EntityDescription
  package var filter: Filter?
  package var sort: [SortKey]

  /// The other end first: all sort keys and insertion order turned around.
  package var isReversed = false
  package var limit: Int?
  package var offset: Int
  package var includesSubentities = true
  package var output: Output = .rows

  /// Leaves out rows of values that were there before; for ``Output/values(_:)``.
  package var isDistinct = false

  /// Key paths whose values make a group.
  package var groupBy: [String] = []

  /// A condition on groups, over the names of the columns.
  package var having: Filter?

  /// The moment of `now()` in its filters: one, for the store and for unsaved objects.
  package var now = Date()

  package init(
    entity: EntityDescription, filter: Filter? = nil, sort: [SortKey] = [], limit: Int? = nil,
    offset: Int = 0
  ) {
    self.entity = entity
    self.filter = filter
    self.sort = sort
    self.limit = limit
    self.offset = offset
  }
}

/// One column of an answer that lists values.
package struct FetchColumn: Sendable, Hashable {
  /// The name it has in the answer.
  package var name: String

  /// Key path to an attribute or a to-one relationship; empty for a count of objects.
  package var keyPath: String

  /// The function calculated over the values of a group; nil for the value itself.
  package var function: AggregateFunction?

  package init(_ keyPath: String, as name: String? = nil, function: AggregateFunction? = nil) {
    self.keyPath = keyPath
    self.function = function
    self.name = name ?? (function.map { "\($0.rawValue)(\(keyPath))" } ?? keyPath)
  }
}

/// One key of an order: a key path, a direction, and how texts compare.
///
/// ```swift
/// SortKey("name", options: [.caseInsensitive, .diacriticInsensitive])
/// let keys: [SortKey] = ["-age", "company.name"]
/// ```
///
/// Absent values come first when ascending, last when descending. The path may cross to-one
/// relationships. A mistake in it is thrown as a ``FilterError`` when the key is used.
public struct SortKey: Sendable, Hashable {
  /// The key path, without the `-` of the short form.
  public let keyPath: String
  /// Whether small values come first.
  public let ascending: Bool
  /// Which differences of texts count for nothing.
  public let options: TextOptions

  /// Makes a key from a key path; a leading `-` reverses the direction.
  public init(_ keyPath: String, ascending: Bool = true, options: TextOptions = []) {
    let isReversed = keyPath.hasPrefix("-")
    self.keyPath = isReversed ? String(keyPath.dropFirst()) : keyPath
    self.ascending = ascending != isReversed
    self.options = options
  }

  /// The same key in the other direction.
  public var reversed: SortKey {
    SortKey(keyPath: keyPath, ascending: !ascending, options: options)
  }

  private init(keyPath: String, ascending: Bool, options: TextOptions) {
    self.keyPath = keyPath
    self.ascending = ascending
    self.options = options
  }
}

extension SortKey: ExpressibleByStringLiteral, CustomStringConvertible {
  public init(stringLiteral value: String) {
    self.init(value)
  }

  public var description: String { (ascending ? "" : "-") + keyPath + options.description }
}
