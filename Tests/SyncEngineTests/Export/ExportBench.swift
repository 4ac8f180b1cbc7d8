import Foundation
import SyncStack

/// A stack in memory, with syncs into it and exports out of it.
struct ExportBench {
  let stack: DataStack

  init(_ model: ManagedObjectModel) throws {
    stack = try DataStack(model: model, store: .inMemory)
  }

  init(entities: [EntityDraft]) throws { try self.init(ManagedObjectModel(entities)) }

  /// One entity with these properties.
  init(_ name: String, _ properties: [PropertyDraft]) throws {
    try self.init(entities: [EntityDraft(name, properties)])
  }

  /// One entity `User` with these properties.
  init(_ properties: [PropertyDraft]) throws { try self.init("User", properties) }

  @discardableResult
  func sync(_ json: String, _ entity: String = "User") throws -> SyncReport {
    try sync(.data(Data(json.utf8)), entity)
  }

  @discardableResult
  func sync(_ payload: SyncPayload, _ entity: String) throws -> SyncReport {
    let sync = Sync(payload, inEntityNamed: entity, dataStack: stack)
    sync.start()
    guard let result = sync.result else { return SyncReport() }
    return try result.get()
  }

  /// The objects of an entity, exported by way of objects; rows have to give the same.
  func export(_ entity: String = "User", _ options: ExportOptions = ExportOptions()) throws
    -> JSONValue
  {
    let context = stack.newBackgroundContext()
    return try context.performAndWait { try context.export(entity, using: options) }
  }

  /// The first object of an entity.
  func first(_ entity: String = "User", _ options: ExportOptions = ExportOptions()) throws
    -> JSONValue
  {
    try export(entity, options)[0] ?? .null
  }

  /// Inserts an object and exports it before it is saved.
  func exportNew(
    _ values: [String: Any], _ entity: String = "User", _ options: ExportOptions = ExportOptions()
  ) throws -> JSONValue {
    let context = stack.newBackgroundContext()
    return try context.queueConfined {
      let object = try context.insert(entityNamed: entity)
      for (key, value) in values { object.setValue(value, forKey: key) }
      return try object.export(using: options)
    }
  }

  /// Everything in the store, comparable.
  func dump() throws -> [String] {
    try stack.store.read { reader in
      var lines: [String] = []
      for entity in reader.model.entities where entity.superentity == nil {
        try reader.scan(entity, .all) { cursor in
          let row = try cursor.storedRow()
          lines.append("\(row.entity.name) \(row.row) v\(row.version) \(row.values)")
        }
        for relationship in entity.familyEntities.flatMap(\.relationships)
        where relationship.isToMany {
          let declaring = EntityDescription(model: reader.model, index: relationship.declaringIndex)
          var owners: [Int64] = []
          try reader.scan(declaring, .all) { owners.append($0.row) }
          let members = try reader.members(of: relationship, in: declaring, owners: owners)
          lines.append("\(relationship.name) \(members.map { "\($0.owner)-\($0.row)" })")
        }
      }
      return lines
    }
  }
}

extension ManagedObjectContext {
  /// Runs the body on the queue, with captures that stay in the test.
  func queueConfined<Result: Sendable>(_ body: () throws -> Result) throws -> Result {
    try performAndWait { try body() }
  }
}
