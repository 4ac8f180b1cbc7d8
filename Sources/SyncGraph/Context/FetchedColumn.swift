import SyncCore

/// One column of an answer that lists values: an attribute, or what is calculated from a group.
///
/// ```swift
/// try context.values(Fetch<User>(), [.key("company.name"), .count, .average("age")],
///   groupedBy: ["company.name"])
/// ```
public struct FetchedColumn: Sendable, Hashable, ExpressibleByStringLiteral {
  let column: FetchColumn

  /// The name of the column in the answer: the key path, or `average(age)`.
  public var name: String { column.name }

  init(_ column: FetchColumn) {
    self.column = column
  }

  /// The value of a key path, as ``key(_:as:)``.
  public init(stringLiteral value: String) {
    self = .key(value)
  }

  /// The value of an attribute, across to-one relationships too; for a to-one relationship the row
  /// number of the object.
  public static func key(_ keyPath: String, as name: String? = nil) -> FetchedColumn {
    FetchedColumn(FetchColumn(keyPath, as: name))
  }

  /// How many objects a group has.
  public static var count: FetchedColumn {
    FetchedColumn(FetchColumn("", as: "count", function: .count))
  }

  /// How many objects of a group have a value under a key path.
  public static func count(_ keyPath: String, as name: String? = nil) -> FetchedColumn {
    FetchedColumn(FetchColumn(keyPath, as: name, function: .count))
  }

  /// The sum of a key path over a group; whole numbers stay whole.
  public static func sum(_ keyPath: String, as name: String? = nil) -> FetchedColumn {
    FetchedColumn(FetchColumn(keyPath, as: name, function: .sum))
  }

  /// The mean of a key path over a group, always floating point.
  public static func average(_ keyPath: String, as name: String? = nil) -> FetchedColumn {
    FetchedColumn(FetchColumn(keyPath, as: name, function: .average))
  }

  /// The least value of a key path in a group.
  public static func min(_ keyPath: String, as name: String? = nil) -> FetchedColumn {
    FetchedColumn(FetchColumn(keyPath, as: name, function: .min))
  }

  /// The largest value of a key path in a group.
  public static func max(_ keyPath: String, as name: String? = nil) -> FetchedColumn {
    FetchedColumn(FetchColumn(keyPath, as: name, function: .max))
  }
}
