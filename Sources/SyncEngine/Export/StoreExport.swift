import Foundation
package import SyncCore
package import SyncStore

/// Exports stored objects one after the other, in bounded memory: rows are read in portions, with
/// the rows that they lead to, and forgotten again.
///
/// Everything is read from one state of the store, under writes meanwhile.
package struct StoreExport {
  /// Rows that are read together. The rows that they lead to are in memory at the same time.
  private static let portion = 256

  private let store: Store
  private let plans: MappingPlanCache
  private let options: ExportOptions
  private let source: (any PlanSource)?

  /// - Parameter source: The mapping that describes the objects; nil is the conventions.
  package init(
    _ store: Store, plans: MappingPlanCache, options: ExportOptions,
    source: (any PlanSource)? = nil
  ) {
    self.source = source
    self.store = store
    self.plans = plans
    self.options = options
  }

  /// Shows the JSON of each object that the request means to a closure, in its order.
  ///
  /// - Throws: `CancellationError` when the task was cancelled, ``FilterError``, ``ExportError``,
  ///   ``MappingError``, `StoreError`, and errors of the closure.
  /// - Returns: how many objects there were.
  @discardableResult
  package func forEach(
    _ request: FetchPlan, _ body: (JSONValue) throws -> Void
  ) throws -> Int {
    let plan =
      try source.map {
        try ExportPlan($0, in: request.entity.model, options: options, plans: plans)
      } ?? ExportPlan(options: options, plans: plans)
    return try store.read { reader in
      var count = 0
      let source = RowSource(reader)
      var exporter = Exporter(plan, source)
      try StoreExport.portions(of: request, reader) { rows in
        try Task.checkCancellation()
        for object in source.begin(rows) { try body(exporter.export(object)) }
        count += rows.count
      }
      return count
    }
  }

  /// The rows of a request, in portions. With an order of its own or limits, the row numbers of all
  /// are held in memory; without, nothing is.
  private static func portions(
    of request: FetchPlan, _ reader: StoreReader, _ body: ([StoredRow]) throws -> Void
  ) throws {
    guard !request.sort.isEmpty || request.limit != nil || request.offset > 0 else {
      var rows: [StoredRow] = []
      let selection = request.filter.map { RowSelection.filter($0) } ?? .all
      try reader.scan(request.entity, selection) { cursor in
        rows.append(try cursor.storedRow())
        guard rows.count == portion else { return }
        try body(rows)
        rows.removeAll(keepingCapacity: true)
      }
      if !rows.isEmpty { try body(rows) }
      return
    }
    let all = try reader.fetchIdentifiers(request).map(\.row)
    for start in stride(from: 0, to: all.count, by: portion) {
      let numbers = all[start..<min(start + portion, all.count)]
      let rows = try reader.rows(request.entity.rootEntity, rows: Array(numbers))
      let byNumber = Dictionary(uniqueKeysWithValues: rows.map { ($0.row, $0) })
      try body(numbers.compactMap { byNumber[$0] })
    }
  }
}

/// Writes stored rows as JSON inside a transaction that the caller has begun, as one source
/// describes them.
package struct RowExport {
  private let plan: ExportPlan

  /// - Throws: ``MappingError`` when the source does not fit the model, ``ExportError`` when a rule
  ///   has no way back.
  package init(
    _ source: any PlanSource, in model: ManagedObjectModel, options: ExportOptions,
    plans: MappingPlanCache
  ) throws {
    plan = try ExportPlan(source, in: model, options: options, plans: plans)
  }

  /// The JSON of a row; a document, where resources of JSON:API are written.
  ///
  /// - Parameters:
  ///   - slots: The properties that are wanted; nil is all.
  ///   - namesKind: Whether it says the kind of the object.
  ///   - leftOut: Objects that are not nested in it.
  package func json(
    of row: StoredRow, only slots: SlotSet? = nil, namesKind: Bool = true,
    without leftOut: Set<ManagedObjectID> = [], _ reader: StoreReader
  ) throws -> JSONValue {
    let source = RowSource(reader)
    var exporter = Exporter(plan, source)
    exporter.leftOut = leftOut
    let objects = source.begin([row])
    let json = try exporter.export(objects.lowerBound, only: slots, namesKind: namesKind)
    return plan.options.writesResources ? .object(["data": json]) : json
  }

  /// The relationships of an object of exactly this entity whose objects are written as objects,
  /// not as keys.
  package func nestedSlots(of entity: EntityDescription) throws -> SlotSet {
    var result = SlotSet()
    for relationship in try plan.rootNode(for: entity).relationships
    where !relationship.isOfKeys && !plan.options.writesResources {
      result.insert(relationship.description.slot)
    }
    return result
  }

  /// The slots that an export of an object of exactly this entity writes.
  package func slots(of entity: EntityDescription) throws -> SlotSet {
    let node = try plan.rootNode(for: entity)
    var result = SlotSet()
    for attribute in node.attributes { result.insert(attribute.rule.slot) }
    for relationship in node.relationships
    where relationship.description.kind != .oneToMany
      || !relationship.isOfKeys && !plan.options.writesResources
    {
      result.insert(relationship.description.slot)
    }
    return result
  }
}
