import Foundation
import SyncStack
import TestSupport
import Testing

/// A store in memory and syncs into it, without stack and operations, for the engine's own tests.
struct SyncBench {
  let model: ManagedObjectModel
  let store: Store

  init(_ model: ManagedObjectModel) throws {
    self.model = model
    store = try Store(model: model, configuration: .init(.memory))
  }

  init(_ entities: [EntityDraft]) throws { try self.init(ManagedObjectModel(entities)) }

  /// Works with a store that is there.
  init(store: Store) throws {
    model = store.model
    self.store = store
  }

  /// Looks into the store of a stack.
  init(_ stack: DataStack) throws {
    model = stack.model
    store = try stack.store
  }

  /// Syncs JSON text and returns the report.
  ///
  /// - Parameters:
  ///   - parent: The object whose children the items are, by a relationship of that name.
  ///   - parts: How many items a part has.
  @discardableResult
  func sync(
    _ json: String, _ entity: String, under parent: ManagedObjectID? = nil,
    by relationship: String? = nil, operations: SyncOperations = .all, parts: Int? = nil,
    _ change: (inout SyncRequest) -> Void = { _ in }
  ) throws -> SyncReport {
    try syncWithChanges(
      json, entity, under: parent, by: relationship, operations: operations, parts: parts, change
    ).report
  }

  /// A request of a sync by conventions.
  func request(_ entity: String, _ payload: SyncPayload) throws -> SyncRequest {
    let plan = SyncBench.plans.of(model).plan(for: try model.requireEntity(named: entity))
    return SyncRequest(plan: plan, payload: payload)
  }

  private static let plans = PlansOfModels()

  func syncWithChanges(
    _ json: String, _ entity: String, under parent: ManagedObjectID? = nil,
    by relationship: String? = nil, operations: SyncOperations = .all, parts: Int? = nil,
    _ change: (inout SyncRequest) -> Void = { _ in }, control: SyncControl = SyncControl()
  ) throws -> (report: SyncReport, changes: ChangeSet) {
    var request = try request(entity, .data(Data(json.utf8)))
    request.setup.parent = parent
    request.setup.parentRelationship = relationship
    request.settings.operations = operations
    request.tuning.partItems = parts
    change(&request)
    guard let session = request.session else {
      return try SyncRun(request, store: store, control: control).run()
    }
    return try PagesRun(
      [request], of: session, ends: false, lists: { [request] }, store: store, control: control
    ).run()
  }

  /// Ends a page session.
  func end(_ session: SessionState, _ request: SyncRequest) throws -> SyncReport {
    try PagesRun(
      [], of: session, ends: true, lists: { [request] }, store: store, control: SyncControl()
    ).run().report
  }

  /// The objects of an entity as text, one a line, by key: attributes that have a value, to-one as
  /// keys, to-many as lists of keys (sorted when not ordered).
  func objects(_ entity: String) throws -> [String] {
    let entity = try model.requireEntity(named: entity)
    return try store.read { reader in
      var rows: [StoredRow] = []
      try reader.scan(entity, .all) { rows.append(try $0.storedRow()) }
      return try rows.map { try describe($0, reader) }.sorted()
    }
  }

  private func describe(_ row: StoredRow, _ reader: StoreReader) throws -> String {
    var parts: [String] = []
    for property in row.entity.properties {
      switch property {
      case .attribute(let attribute):
        let value = row.values[attribute.slot]
        if !value.isNull { parts.append("\(attribute.name)=\(value)") }
      case .relationship(let relationship):
        let members = try reader.members(of: relationship, in: row.entity, owners: [row.row])
        guard !members.isEmpty else { continue }
        let keys = try members.map { member in
          try key(member.row, member.entity, reader)
        }
        let list = relationship.isOrdered ? keys : keys.sorted()
        parts.append(
          relationship.isToMany
            ? "\(relationship.name)=[\(list.joined(separator: ","))]"
            : "\(relationship.name)=\(list[0])")
      }
    }
    return parts.joined(separator: " ")
  }

  private func key(_ row: Int64, _ entity: EntityDescription, _ reader: StoreReader) throws
    -> String
  {
    guard let key = entity.primaryKey else { return "#\(row)" }
    return try reader.rows(entity, rows: [row]).first?.values[key.slot].description ?? "?"
  }

  /// The object of a key.
  func id(_ entity: String, _ key: Int) throws -> ManagedObjectID {
    let entity = try model.requireEntity(named: entity)
    var found: ManagedObjectID?
    try store.read { reader in
      try reader.scan(entity, .filter(Filter("id == %@", key))) {
        found = ManagedObjectID(entity: $0.entity, row: $0.row)
      }
    }
    return try #require(found)
  }

  func count(_ entity: String) throws -> Int {
    var count = 0
    let entity = try model.requireEntity(named: entity)
    try store.read { try $0.scan(entity, .all) { _ in count += 1 } }
    return count
  }
}
