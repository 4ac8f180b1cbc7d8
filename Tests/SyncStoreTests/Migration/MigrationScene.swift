import Foundation
import SyncStore
import TestSupport
import Testing

/// A store that is opened with one model after the other.
struct MigrationScene {
  let folder: TemporaryFolder
  var url: URL { folder.file() }

  init() throws { folder = try TemporaryFolder() }

  /// Settings for the store.
  func set(_ body: (inout Store.Configuration) -> Void) -> Store.Configuration {
    var configuration = Store.Configuration(.file(url))
    body(&configuration)
    return configuration
  }

  @discardableResult
  func open<T>(
    _ model: ManagedObjectModel, _ configuration: Store.Configuration? = nil,
    _ body: (Store) throws -> T
  ) throws -> T {
    let store = try Store(model: model, configuration: configuration ?? set { _ in })
    defer { try? store.close() }
    return try body(store)
  }

  func open<T>(_ entities: [EntityDraft], _ body: (Store) throws -> T) throws -> T {
    try open(ManagedObjectModel(entities), nil, body)
  }

  /// The error that keeps the store from being opened, with the file byte for byte as it was and
  /// nothing left beside it.
  func refusal(
    _ model: ManagedObjectModel, _ configuration: Store.Configuration? = nil
  ) throws -> StoreError? {
    let bytes = try Data(contentsOf: url)
    let names = try files()
    let error = #expect(throws: StoreError.self) { try open(model, configuration) { _ in } }
    #expect(try Data(contentsOf: url) == bytes)
    #expect(try files() == names)
    return error
  }

  /// The files in the folder, without the log, which a reader may not remove.
  func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
      .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
  }
}

extension Store {
  /// Every object in a line: `User 1 v1 id=1 name=a notes=[2, 3]`, with empty properties left out.
  func graph() throws -> [String] {
    try read { reader in
      try model.entities.filter { $0.superentity == nil }.flatMap { root in
        try reader.fetch(FetchPlan(entity: root)).map { row in
          var parts: [String] = []
          for property in row.entity.properties {
            switch property {
            case .attribute(let attribute):
              let value = row.values[attribute.slot]
              if !value.isNull { parts.append("\(attribute.name)=\(value)") }
            case .relationship(let relationship):
              let members = try reader.members(of: relationship, in: row.entity, owners: [row.row])
              let rows = members.map(\.row)
              if !rows.isEmpty {
                parts.append(
                  "\(relationship.name)=\(relationship.isToMany ? "\(rows)" : "\(rows[0])")")
              }
            }
          }
          return (["\(row.entity.name) \(row.row) v\(row.version)"] + parts).joined(separator: " ")
        }
      }
    }
  }

  /// Links owners with members, in this order.
  func link(_ entity: String, _ name: String, _ pairs: [(Int64, Int64)]) throws {
    let entity = try model.requireEntity(named: entity)
    let relationship = try #require(entity.relationship(named: name))
    try write { transaction in
      switch relationship.kind {
      case .manyToMany:
        try transaction.addLinks(
          relationship, of: entity, pairs: pairs.map { (owner: $0.0, member: $0.1) })
      case .oneToMany:
        let inverse = try #require(relationship.inverseName)
        for (index, pair) in pairs.enumerated() {
          try transaction.update(relationship.destinationName, pair.1, [inverse: .int(pair.0)])
          guard relationship.isOrdered else { continue }
          try transaction.setPositions(
            relationship, of: entity,
            positions: [(owner: pair.0, member: pair.1, position: Int64(index))])
        }
      case .toOne:
        for pair in pairs { try transaction.update(entity.name, pair.0, [name: .int(pair.1)]) }
      }
    }
  }
}

/// Fails unless the file is made exactly like a new one of the model.
func expectMadeLikeNew(_ store: Store) throws {
  let fresh = try TemporaryStore(store.model)
  let expected = try fresh.store.read { try $0.schema() }
  #expect(try store.read { try $0.schema() } == expected)
}
