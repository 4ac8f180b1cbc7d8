import Foundation
public import SyncCore
public import SyncGraph

/// Export of the objects that a context sees, unsaved changes included. For stores that are large
/// use ``DataStack/export(_:where:sortedBy:to:using:)-(_,_,_,URL,_)``, which makes no objects.
extension ManagedObjectContext {
  /// The objects of an entity as a JSON array.
  ///
  /// - Throws: ``ModelError`` when there is no such entity, ``FilterError`` for mistakes in filter
  ///   or order, ``ExportError`` when a transformer refuses a value.
  public func export(
    _ entityName: String, where filter: Filter? = nil, sortedBy keys: [SortKey] = [],
    using options: ExportOptions = ExportOptions()
  ) throws -> JSONValue {
    try export(with: Conventional(entityName), where: filter, sortedBy: keys, using: options)
  }

  /// The objects of a fetch as a JSON array, in its order.
  ///
  /// - Throws: as ``export(_:where:sortedBy:using:)``.
  public func export<Object: ManagedObject>(
    _ request: Fetch<Object>, using options: ExportOptions = ExportOptions()
  ) throws -> JSONValue {
    var exporter = Exporter(ExportPlan(options: options, plans: mappingPlans), ObjectSource())
    return .array(try fetch(request).map { try exporter.export($0) })
  }

  // MARK: - Through mapping that was written by hand

  /// The objects that a serializer describes as a JSON array.
  ///
  /// - Throws: ``MappingError`` when the serializer does not fit the model; ``ExportError``, with
  ///   entity, property and path, when a rule of it has no way back; ``FilterError`` for mistakes
  ///   in filter or order.
  public func export(
    with source: some PlanSource, where filter: Filter? = nil, sortedBy keys: [SortKey] = [],
    using options: ExportOptions = ExportOptions()
  ) throws -> JSONValue {
    try export(request(source, filter, keys), with: source, using: options)
  }

  /// The objects of a fetch as a JSON array, in its order, as a serializer describes them.
  ///
  /// - Throws: as ``export(with:where:sortedBy:using:)``; ``MappingError`` when the fetch is of
  ///   another entity.
  public func export<Object: ManagedObject>(
    _ request: Fetch<Object>, with source: some PlanSource,
    using options: ExportOptions = ExportOptions()
  ) throws -> JSONValue {
    let plan = try ExportPlan(source, in: model, options: options, plans: mappingPlans)
    var exporter = Exporter(plan, ObjectSource())
    return .array(
      try fetch(request).map { object in
        try object.require(source.mappingSource.entityName)
        return try exporter.export(object)
      })
  }

  private func request(
    _ source: some PlanSource, _ filter: Filter?, _ keys: [SortKey]
  ) -> Fetch<ManagedObject> {
    let mapping = source.mappingSource
    return Fetch(entityNamed: mapping.entityName, mapping.filter(and: filter)).sorted(by: keys)
  }
}
