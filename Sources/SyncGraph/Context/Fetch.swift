public import SyncCore

/// Which objects to fetch, and in which order.
///
/// ```swift
/// Fetch<User>("age >= %@", 18).sorted(by: "name", "-age").limit(20)
/// Fetch<ManagedObject>(entityNamed: "User", "age >= %@", 18)
/// ```
///
/// A value: every refinement is a new one. Without order, objects come in the order of insertion.
/// Mistakes in filters and sort keys are thrown when it is used.
public struct Fetch<Object: ManagedObject>: Sendable {
  /// Name of the entity; nil is that of the class.
  public var entityName: String?

  /// Which objects are meant; nil is all.
  public var filter: Filter?
  /// In which order the objects come; none is the order of insertion.
  public var sortKeys: [SortKey] = []

  /// How many objects at most; nil is no limit.
  public var fetchLimit: Int?

  /// How many objects are passed over at the beginning.
  public var fetchOffset = 0

  /// Whether objects of subentities are meant too.
  public var includesSubentities = true

  /// How many rows are read at a time; nil reads all at once. With a size, a fetch reads
  /// identifiers only, and rows when objects are looked at.
  public var fetchBatchSize: Int?

  /// Key paths of relationships that are read together with the objects.
  public var prefetchedKeyPaths: [String] = []

  /// Fetches all objects of the class.
  public init() {}

  /// Fetches the objects of the class that a filter means.
  public init(_ filter: Filter) {
    self.filter = filter
  }

  /// Fetches the objects of the class that a filter in the predicate format means.
  public init(_ format: String, _ arguments: Any?...) {
    filter = Filter(format: format, arguments: arguments)
  }

  /// Fetches the objects of an entity.
  public init(entityNamed name: String, _ filter: Filter? = nil) {
    entityName = name
    self.filter = filter
  }

  /// Fetches the objects of an entity that a filter in the predicate format means.
  public init(entityNamed name: String, _ format: String, _ arguments: Any?...) {
    entityName = name
    filter = Filter(format: format, arguments: arguments)
  }

  /// The objects that this filter means too.
  public func filter(_ filter: Filter) -> Fetch {
    var result = self
    result.filter = self.filter.map { $0 && filter } ?? filter
    return result
  }

  /// The objects that this filter in the predicate format means too.
  public func filter(_ format: String, _ arguments: Any?...) -> Fetch {
    filter(Filter(format: format, arguments: arguments))
  }

  /// The same objects, sorted by further keys; `"-age"` is descending.
  public func sorted(by keys: SortKey...) -> Fetch {
    sorted(by: keys)
  }

  /// The same objects, sorted by further keys.
  public func sorted(by keys: [SortKey]) -> Fetch {
    var result = self
    result.sortKeys += keys
    return result
  }

  /// At most so many objects.
  public func limit(_ limit: Int?) -> Fetch {
    var result = self
    result.fetchLimit = limit
    return result
  }

  /// Without so many objects at the beginning.
  public func offset(_ offset: Int) -> Fetch {
    var result = self
    result.fetchOffset = offset
    return result
  }

  /// The same objects, with or without those of subentities.
  public func includingSubentities(_ includesSubentities: Bool) -> Fetch {
    var result = self
    result.includesSubentities = includesSubentities
    return result
  }

  /// The same objects, their rows read so many at a time, and twice as many each further time.
  public func batchSize(_ size: Int?) -> Fetch {
    var result = self
    result.fetchBatchSize = size
    return result
  }

  /// The same objects, with the objects of relationships read ahead: `prefetching("notes.tags")`
  /// takes one statement for `notes` and two for `tags`, however many objects there are.
  public func prefetching(_ keyPaths: String...) -> Fetch {
    var result = self
    result.prefetchedKeyPaths += keyPaths
    return result
  }
}

/// One column of an answer that lists values: an attribute, or a value calculated from a group.
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
