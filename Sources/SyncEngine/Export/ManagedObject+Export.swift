import Foundation
public import SyncCore
public import SyncGraph

extension ManagedObject {
  /// The object and the objects that it leads to as JSON, unsaved values included.
  ///
  /// Keys and values are those that a sync reads: importing the result changes nothing. Keys stand
  /// in a fixed order: attributes, relationships to one, relationships to many, each in model
  /// order. Values of an attribute or a relationship with the user info `sync.nonExportable` are
  /// left out, and so are values of transformable attributes whose transformer has no way back;
  /// that there is no value needs none, and is exported as null.
  ///
  /// - Returns: A JSON object.
  /// - Throws: ``ExportError`` when a transformer refuses a value.
  public final func export(using options: ExportOptions = ExportOptions()) throws -> JSONValue {
    try export(with: Conventional(entity.name), using: options)
  }

  /// The value of ``export(using:)`` as a dictionary; `NSNull` stands for attributes without value,
  /// and binary values are `Data` when the options ask for ``ExportOptions/BinaryFormat/bytes``.
  public final func exportDictionary(
    using options: ExportOptions = ExportOptions()
  ) throws -> [String: Any] {
    try export(using: options).objectValue?
      .foundationDictionary(bytesAsData: options.binaryFormat == .bytes) ?? [:]
  }

  /// The object as a serializer describes it, with the objects of the serializers below its
  /// relationships, unsaved values included.
  ///
  /// - Returns: A JSON object; the value of the attribute where the serializer reads bare values.
  /// - Throws: ``MappingError`` when the serializer does not fit the model or is one of another
  ///   entity; ``ExportError``, with entity, property and path, when a rule of it has no way back.
  public final func export(
    with source: some PlanSource, using options: ExportOptions = ExportOptions()
  ) throws -> JSONValue {
    try require(source.mappingSource.entityName)
    let plans = managedObjectContext?.mappingPlans ?? MappingPlanCache(transformers: .shared)
    let plan = try ExportPlan(source, in: entity.model, options: options, plans: plans)
    var exporter = Exporter(plan, ObjectSource())
    return try exporter.export(self)
  }

  /// - Throws: ``MappingError`` when a mapping of an entity does not describe the object.
  final func require(_ name: String) throws {
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
