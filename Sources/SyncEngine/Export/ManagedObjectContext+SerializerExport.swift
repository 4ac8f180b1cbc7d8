public import Foundation
public import SyncCore
public import SyncGraph

/// Export of what a context sees through mapping that was written by hand, unsaved changes included.
extension ManagedObjectContext {
  /// The objects that a serializer describes as a JSON array.
  ///
  /// - Throws: ``MappingError`` when the serializer does not fit the model; ``ExportError``, with entity, property and
  ///   path, when a rule of it has no way back; ``FilterError`` for mistakes in filter or order.
  public func export(
    with source: some PlanSource, where filter: Filter? = nil, sortedBy keys: [SortKey] = [],
    using options: ExportOptions = ExportOptions()
  ) throws -> JSONValue {
    try export(request(source, filter, keys), with: source, using: options)
  }

  /// The objects of a fetch as a JSON array, in its order, as a serializer describes them.
  ///
  /// - Throws: as ``export(with:where:sortedBy:using:)``; ``MappingError`` when the fetch is of another entity.
  public func export<Object: ManagedObject>(
    _ request: Fetch<Object>, with source: some PlanSource,
    using options: ExportOptions = ExportOptions()
  ) throws -> JSONValue {
    let plan = try ExportPlan(source, in: model, options: options, plans: exportPlans)
    var exporter = Exporter(plan, ObjectSource())
    return .array(
      try fetch(request).map { object in
        try object.require(source.mappingSource.entityName)
        return try exporter.export(object)
      })
  }

  /// The objects that a serializer describes as JSON text.
  ///
  /// - Throws: as ``export(with:where:sortedBy:using:)``.
  public func exportData(
    with source: some PlanSource, where filter: Filter? = nil, sortedBy keys: [SortKey] = [],
    using options: ExportOptions = ExportOptions()
  ) throws -> Data {
    let plan = try ExportPlan(source, in: model, options: options, plans: exportPlans)
    var exporter = Exporter(plan, ObjectSource())
    return try ExportWriter.data(options) { writer in
      for object in try fetch(request(source, filter, keys)) {
        try writer.write(exporter.export(object))
      }
    }
  }

  private func request(
    _ source: some PlanSource, _ filter: Filter?, _ keys: [SortKey]
  ) -> Fetch<ManagedObject> {
    let mapping = source.mappingSource
    return Fetch(entityNamed: mapping.entityName, mapping.filter(and: filter)).sorted(by: keys)
  }
}

extension ManagedObject {
  /// The object as a serializer describes it, with what the serializers below its relationships say, unsaved values
  /// included.
  ///
  /// - Returns: A JSON object; the value of the attribute where the serializer reads bare values.
  /// - Throws: ``MappingError`` when the serializer does not fit the model or is one of another entity; ``ExportError``,
  ///   with entity, property and path, when a rule of it has no way back.
  public final func export(
    with source: some PlanSource, using options: ExportOptions = ExportOptions()
  ) throws -> JSONValue {
    try require(source.mappingSource.entityName)
    let plans = managedObjectContext?.exportPlans ?? MappingPlanCache(transformers: .shared)
    let plan = try ExportPlan(source, in: entity.model, options: options, plans: plans)
    var exporter = Exporter(plan, ObjectSource())
    return try exporter.export(self)
  }

  fileprivate final func require(_ name: String) throws {
    let described = try entity.model.requireEntity(named: name)
    guard entity.isKind(of: described) else {
      throw MappingError(
        .wrongEntity, entity: name,
        message: """
          The object is of the entity “\(entity.name)”, and what should write it is a mapping of “\(name)”. Use one of \
          “\(entity.name)”.
          """)
    }
  }
}
