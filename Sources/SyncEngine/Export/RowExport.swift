package import SyncCore
package import SyncStore

/// Writes stored rows as JSON inside a transaction that somebody else has begun, as one source describes them.
package struct RowExport {
  private let plan: ExportPlan

  /// - Throws: ``MappingError`` when the source does not fit the model, ``ExportError`` when a rule has no way back.
  package init(
    _ source: any PlanSource, in model: ManagedObjectModel, options: ExportOptions,
    plans: MappingPlanCache
  ) throws {
    plan = try ExportPlan(source, in: model, options: options, plans: plans)
  }

  /// The JSON of a row.
  ///
  /// - Parameter slots: The properties that are wanted; nil is all.
  package func json(
    of row: StoredRow, only slots: SlotSet? = nil, _ reader: StoreReader
  ) throws -> JSONValue {
    let source = RowSource(reader)
    var exporter = Exporter(plan, source)
    let objects = source.begin([row])
    return try exporter.export(objects.lowerBound, only: slots)
  }

  /// The relationships of an object of exactly this entity whose objects are written as objects, not as keys.
  package func nestedSlots(of entity: EntityDescription) throws -> SlotSet {
    var result = SlotSet()
    for relationship in try plan.rootNode(for: entity).relationships
    where plan.options.relationshipType != .keys || relationship.isWritten {
      result.insert(relationship.description.slot)
    }
    return result
  }

  /// The slots that an export of an object of exactly this entity writes.
  package func slots(of entity: EntityDescription) throws -> SlotSet {
    let node = try plan.rootNode(for: entity)
    var result = SlotSet()
    for attribute in node.attributes { result.insert(attribute.slot) }
    for relationship in node.relationships
    where plan.options.relationshipType != .keys || relationship.isWritten
      || relationship.description.kind != .oneToMany
    {
      result.insert(relationship.description.slot)
    }
    return result
  }
}
