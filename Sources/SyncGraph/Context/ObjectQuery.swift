public import SyncCore

/// A query over the objects of a class or an entity, refined step by step and asked at the end.
///
/// ```swift
/// try context.managerFor(User.self).filter("age < 40").orderBy("-age", "name").array
/// try context.managerFor(User.self).average("age")
/// ```
///
/// A value: refining it gives a new one and leaves the base as it was. Refinements never throw;
/// mistakes in them are thrown by the question. Unsaved changes count in every answer.
public struct ObjectQuery<Object: ManagedObject>: Sendable {
  private let context: ManagedObjectContext

  /// The fetch of the query.
  public var request: Fetch<Object>

  init(_ context: ManagedObjectContext, _ request: Fetch<Object>) {
    self.context = context
    self.request = request
  }

  // MARK: - Refining

  /// The objects that this filter means too.
  public func filter(_ filter: Filter) -> ObjectQuery {
    ObjectQuery(context, request.filter(filter))
  }

  /// The objects that this filter in the predicate format means too.
  public func filter(_ format: String, _ arguments: Any?...) -> ObjectQuery {
    filter(Filter(format: format, arguments: arguments))
  }

  /// The objects that this filter in the predicate format means too.
  public func filter(format: String, _ arguments: Any?...) -> ObjectQuery {
    filter(Filter(format: format, arguments: arguments))
  }

  /// The objects that this filter in the predicate format means too.
  public func filter(format: String, argumentArray arguments: [Any?]) -> ObjectQuery {
    filter(Filter(format: format, arguments: arguments))
  }

  /// The same objects, sorted by further keys; `"-age"` is descending.
  public func orderBy(_ keys: SortKey...) -> ObjectQuery {
    orderBy(keys)
  }

  /// The same objects, sorted by further keys.
  public func orderBy(_ keys: [SortKey]) -> ObjectQuery {
    ObjectQuery(context, request.sorted(by: keys))
  }

  /// At most so many objects.
  public func limit(_ limit: Int?) -> ObjectQuery {
    ObjectQuery(context, request.limit(limit))
  }

  /// Without so many objects at the beginning.
  public func offset(_ offset: Int) -> ObjectQuery {
    ObjectQuery(context, request.offset(offset))
  }

  /// The same objects, with or without those of subentities.
  public func includingSubentities(_ includesSubentities: Bool) -> ObjectQuery {
    ObjectQuery(context, request.includingSubentities(includesSubentities))
  }

  // MARK: - Asking

  /// All objects, in order.
  public var array: [Object] {
    get throws { try context.fetch(request) }
  }

  /// How many objects there are.
  public var count: Int {
    get throws { try context.count(request) }
  }

  /// Whether there are no objects.
  public var isEmpty: Bool {
    get throws { try context.count(upToOne) == 0 }
  }

  /// The first object; without order the one that was inserted first.
  public var first: Object? {
    get throws { try context.fetch(upToOne).first }
  }

  /// The fetch of the first object, if the query's own limit lets it be.
  private var upToOne: Fetch<Object> { request.limit(Swift.min(request.fetchLimit ?? 1, 1)) }

  /// The last object; without order the one that was inserted last.
  public var last: Object? {
    get throws {
      // A window has an end of its own.
      guard request.fetchLimit == nil, request.fetchOffset == 0 else { return try array.last }
      context.enter()
      var plan = try context.plan(request)
      plan.isReversed = true
      plan.limit = 1
      return try context.fetch(plan).first.map { try $0.typed(as: Object.self) }
    }
  }

  /// The least value of a key path; nil when there is none.
  public func min(_ keyPath: String) throws -> Value? { try aggregate(.min, keyPath) }

  /// The largest value of a key path; nil when there is none.
  public func max(_ keyPath: String) throws -> Value? { try aggregate(.max, keyPath) }

  /// The sum over a key path; nil when there is no value.
  ///
  /// - Throws: ``FilterError`` when a sum of integers does not fit into 64 bits.
  public func sum(_ keyPath: String) throws -> Value? { try aggregate(.sum, keyPath) }

  /// The mean of a key path, always floating point; nil when there is no value.
  public func average(_ keyPath: String) throws -> Double? {
    try aggregate(.average, keyPath).flatMap { Double.converted(from: $0) }
  }

  /// The least value of a key path as a Swift type; nil when there is none.
  ///
  /// - Throws: ``GraphError`` with ``GraphError/Code/unsupported`` when it is no value of the type.
  public func min<Result: ValueConvertible>(
    _ keyPath: String, as type: Result.Type
  ) throws -> Result? {
    try min(keyPath).map { try typed($0, keyPath) }
  }

  /// The largest value of a key path as a Swift type; nil when there is none.
  ///
  /// - Throws: ``GraphError`` with ``GraphError/Code/unsupported`` when it is no value of the type.
  public func max<Result: ValueConvertible>(
    _ keyPath: String, as type: Result.Type
  ) throws -> Result? {
    try max(keyPath).map { try typed($0, keyPath) }
  }

  /// The sum over a key path as a Swift type; nil when there is no value.
  ///
  /// - Throws: ``GraphError`` with ``GraphError/Code/unsupported`` when it is no value of the type.
  public func sum<Result: ValueConvertible>(
    _ keyPath: String, as type: Result.Type
  ) throws -> Result? {
    try sum(keyPath).map { try typed($0, keyPath) }
  }

  /// The result of a function for the values of a key path; nil when there is no value.
  ///
  /// - Parameter function: `min`, `max`, `sum`, `average` or `count`.
  /// - Throws: ``GraphError`` with ``GraphError/Code/unsupported`` for any other function,
  ///   ``FilterError`` for a key path that leads to no attribute.
  public func aggregate(_ function: String, forKeyPath keyPath: String) throws -> Value? {
    guard let known = AggregateFunction(rawValue: function) else {
      throw GraphError(
        .unsupported, key: keyPath,
        message: "There is no function “\(function)”. Use "
          + AggregateFunction.allCases.map(\.rawValue).joined(separator: ", ") + ".")
    }
    return try aggregate(known, keyPath)
  }

  /// Deletes the objects in the context, delete rules included. Nothing is saved.
  ///
  /// - Returns: how many objects the query meant.
  @discardableResult
  public func delete() throws -> Int {
    let objects = try array
    context.delete(objects)
    return objects.count
  }

  /// Name of the entity.
  public func entityName() -> String { request.entityName ?? Object.entityName }

  private func aggregate(_ function: AggregateFunction, _ keyPath: String) throws -> Value? {
    context.enter()
    var plan = try context.plan(request)
    // The order of values does not matter to a function, but a mistake in it is one.
    _ = try plan.resolved()
    let isWindow = plan.limit != nil || plan.offset > 0
    let column = FetchColumn(keyPath, function: function)
    if isWindow {
      let objects = try context.fetch(plan)
      var inner = FetchPlan(entity: plan.entity)
      inner.output = .values([column])
      return try inner.resolved().values(over: objects).first?.first.flatMap {
        $0.isNull ? nil : $0
      }
    }
    plan.sort = []
    plan.output = .values([column])
    return single(try context.values(plan))
  }

  private func typed<Result: ValueConvertible>(_ value: Value, _ keyPath: String) throws -> Result {
    guard let result = Result.converted(from: value) else {
      throw GraphError.notOfType(Result.self, value, entity: entityName(), key: keyPath)
    }
    return result
  }

  /// The only value of an answer; none when it is absent.
  private func single(_ rows: [[Value]]) -> Value? {
    guard let value = rows.first?.first, !value.isNull else { return Optional.none }
    return value
  }
}

extension ManagedObjectContext {
  /// A query over the objects of a class.
  public func managerFor<Object: ManagedObject>(_ type: Object.Type) -> ObjectQuery<Object> {
    ObjectQuery(self, Fetch<Object>())
  }

  /// A query over the objects of an entity.
  public func managerFor(entityNamed name: String) -> ObjectQuery<ManagedObject> {
    ObjectQuery(self, Fetch<ManagedObject>(entityNamed: name))
  }
}
