package import Foundation
package import SyncCore
package import SyncStore

/// The kinds of store that one suite runs against.
package enum StoreKind: String, CaseIterable, Sendable {
  case memory
  case file
}

/// A folder of its own for a test, removed when the test lets go of it.
package final class TemporaryFolder: Sendable {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "syncstack-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of a file in the folder.
  package func file(_ name: String = "test.sqlite") -> URL { url.appending(path: name) }
}

/// A store that goes away with the test.
package final class TemporaryStore: Sendable {
  package let store: Store
  package let folder: TemporaryFolder

  package init(
    _ model: ManagedObjectModel, _ kind: StoreKind = .memory,
    configure: (inout Store.Configuration) -> Void = { _ in }
  ) throws {
    folder = try TemporaryFolder()
    var configuration = Store.Configuration(kind == .memory ? .memory : .file(folder.file()))
    configure(&configuration)
    store = try Store(model: model, configuration: configuration)
  }

  deinit { try? store.close() }
}

extension StoreTransaction {
  /// Inserts objects given by property name; to-one relationships as row numbers.
  ///
  /// - Returns: their row numbers, in order.
  @discardableResult
  package func insert(_ name: String, _ objects: [[String: Value]]) throws -> [Int64] {
    let entity = try model.requireEntity(named: name)
    let arena = CellArena()
    let block = RowBlock(width: entity.properties.count)
    for object in objects { try block.append(object, of: entity, arena: arena) }
    let first = try reserveRows(objects.count, in: entity)
    let rows = (0..<Int64(objects.count)).map { first + $0 }
    try rows.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return }
      try insert(block, of: entity, indexes: (0..<Int32(objects.count)).map { $0 }, rows: start)
    }
    return rows
  }

  /// Deletes objects of an entity.
  @discardableResult
  package func delete(_ name: String, _ rows: [Int64]) throws -> DeletionSummary {
    try delete(rows, of: model.requireEntity(named: name))
  }

  /// Updates one object.
  @discardableResult
  package func update(
    _ name: String, _ row: Int64, _ values: [String: Value], expectedVersion: Int64? = nil
  ) throws -> Bool {
    let entity = try model.requireEntity(named: name)
    let arena = CellArena()
    let block = RowBlock(width: entity.properties.count)
    try block.append(values, of: entity, arena: arena)
    var slots = SlotSet()
    for key in values.keys {
      if let property = entity.property(named: key) { slots.insert(property.slot) }
    }
    if let expectedVersion {
      let read = RowVersion(row: row, version: expectedVersion)
      return try update(block, rows: [read], of: entity, slots: slots).isEmpty
    }
    return try update(block, index: 0, row: row, of: entity, slots: slots)
  }
}

extension RowBlock {
  /// Adds a row of values by property name.
  package func append(
    _ values: [String: Value], of entity: EntityDescription, arena: CellArena
  ) throws {
    let row = append()
    for (key, value) in values {
      guard let property = entity.property(named: key) else {
        throw ModelError(
          .unknownProperty, entity: entity.name, property: key, message: "No property \(key).")
      }
      self[row][property.slot] = arena.cell(value, as: property.attribute?.type)
    }
  }
}

extension ChangeSet {
  /// The change set in one comparable text: `User +[1, 2] ~[3: name age] -[4]`.
  package var summary: String {
    entities.map { changes in
      let updated = changes.updated.map { update in
        let names = update.slots.map { changes.entity.properties[$0].name }
        return "\(update.row): \(names.joined(separator: " "))"
      }
      return "\(changes.entity.name) +\(changes.inserted) ~[\(updated.joined(separator: ", "))] "
        + "-\(changes.deleted)"
    }.joined(separator: "; ")
  }
}
