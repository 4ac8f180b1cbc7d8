public import SyncCore
import SyncStore

/// Fetches that make no objects. Unsaved changes count in every answer.
extension ManagedObjectContext {
  /// Identifiers of the objects that a fetch means, in its order; temporary ones for new objects.
  ///
  /// - Throws: as ``fetch(_:)``.
  public func identifiers<Object: ManagedObject>(
    _ request: Fetch<Object>
  ) throws -> [ManagedObjectID] {
    enter()
    let plan = try plan(request)
    if try !isOverlaid(plan) { return try readIdentifiers(plan) }
    return try fetch(plan).map(\.objectID)
  }

  /// A row of values for each object that a fetch means, or for each group.
  ///
  /// The fetch's order is over the objects' key paths; with functions or groups, over the names of
  /// the columns. Limit and offset count rows of the answer.
  ///
  /// - Parameters:
  ///   - columns: key paths and functions. With functions, every plain one has to be grouped by.
  ///   - groupedBy: key paths whose values make a group.
  ///   - having: a condition on groups, over the names of columns: `"count > 3"`.
  ///   - isDistinct: whether equal rows are listed once.
  /// - Returns: values by column name.
  /// - Throws: ``FilterError`` for key paths and functions that make no sense, otherwise as
  ///   ``fetch(_:)``.
  public func values<Object: ManagedObject>(
    _ request: Fetch<Object>, _ columns: [FetchedColumn], groupedBy: [String] = [],
    having: Filter? = nil, isDistinct: Bool = false
  ) throws -> [[String: Value]] {
    enter()
    var plan = try plan(request)
    plan.output = .values(columns.map(\.column))
    plan.groupBy = groupedBy
    plan.having = having
    plan.isDistinct = isDistinct
    let names = columns.map(\.name)
    return try values(plan).map { row in
      Dictionary(zip(names, row)) { first, _ in first }
    }
  }

  /// A row of values for each object that a fetch means, with the identifier of the object.
  ///
  /// - Parameter columns: key paths; functions have no object.
  /// - Throws: ``FilterError`` for key paths that make no sense and for functions, otherwise as
  ///   ``fetch(_:)``.
  public func identifiedValues<Object: ManagedObject>(
    _ request: Fetch<Object>, _ columns: [FetchedColumn]
  ) throws -> [(objectID: ManagedObjectID, values: [String: Value])] {
    enter()
    if let function = columns.first(where: { $0.column.function != nil }) {
      throw FilterError(
        .unsupported, entity: Object.entityName, key: function.name,
        message: "“\(function.name)” belongs to no single object. Ask for it with values(_:_:).")
    }
    let plan = try plan(request)
    var listed = plan
    listed.output = .values(columns.map(\.column))
    let names = columns.map(\.name)
    let (ids, rows) = try identified(plan, listed)
    return zip(ids, rows).map { id, row in
      (id, Dictionary(zip(names, row)) { first, _ in first })
    }
  }

  /// Identifiers and values of the same objects, in the same order.
  private func identified(
    _ plan: FetchPlan, _ listed: FetchPlan
  ) throws -> ([ManagedObjectID], [[Value]]) {
    if parent == nil, try !isOverlaid(listed) {
      // One reader sees one state of the store.
      return try core.store().read { reader in
        (try reader.fetchIdentifiers(plan), try reader.fetchValues(listed))
      }
    }
    let objects = try fetch(plan)
    var each = FetchPlan(entity: plan.entity)
    each.output = listed.output
    let resolved = try each.resolved()
    return (
      objects.map(\.objectID), try objects.map { try resolved.values(over: [$0]).first ?? [] }
    )
  }

  /// The different values of a key path, each once; absent is one of them. Without order, in the
  /// order in which they were first inserted.
  ///
  /// - Throws: as ``values(_:_:groupedBy:having:isDistinct:)``.
  public func distinctValues<Object: ManagedObject>(
    of keyPath: String, _ request: Fetch<Object>
  ) throws -> [Value] {
    enter()
    var plan = try plan(request)
    plan.output = .values([FetchColumn(keyPath)])
    plan.isDistinct = true
    return try values(plan).compactMap(\.first)
  }

  /// The different values of an attribute, each once, sorted when the fetch is:
  /// `distinctValues(of: \.$name, Fetch<User>())`.
  ///
  /// - Throws: ``GraphError`` with ``GraphError/Code/unsupported`` for a stored value that is none
  ///   of the property's type; an optional one is nil then, as it reads. Otherwise as
  ///   ``values(_:_:groupedBy:having:isDistinct:)``.
  public func distinctValues<Object: ManagedObject, Property: AttributeProperty>(
    of property: KeyPath<Object, Property>, _ request: Fetch<Object>
  ) throws -> [Property.Wrapped] {
    let name = PropertyNames.name(of: property)
    return try distinctValues(of: name, request).map { value in
      guard let result = Property.Wrapped.converted(from: value) ?? Property.Wrapped.absentValue
      else {
        throw GraphError.notOfType(
          Property.Wrapped.self, value, entity: Object.entityName, key: name)
      }
      return result
    }
  }
}
