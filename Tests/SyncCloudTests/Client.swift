import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

enum CloudModels {
  /// Folders in folders with notes, and an entity with an attribute of every type.
  static func notes() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Folder",
        [
          "name", "parent -> Folder.folders", "folders ->> Folder.parent cascade",
          "notes ->> Note.folder cascade",
        ]),
      "Note: title, text, stars integer64, folder -> Folder.notes",
      EntityDraft("Every", AttributeType.allCases.map { .attribute(name(of: $0), $0) }),
    ])
  }

  static func name(of type: AttributeType) -> String {
    type.rawValue.lowercased().replacing(" ", with: "")
  }
}

/// The length of a test in the environment: `SYNCSTACK_CLOUD_` and the name.
func setting(_ name: String) -> Int? { Proof.number("CLOUD_\(name)") }

/// A store with its engine, as one machine has them.
final class Client: Sendable {
  let stack: DataStack
  let engine: CloudEngine

  /// - Parameters:
  ///   - clock: By how many seconds the machine's clock is wrong.
  ///   - now: Another clock.
  init(
    _ transport: any CloudTransport, model: ManagedObjectModel? = nil, file: URL? = nil,
    clock: Double = 0, retry: RetryPolicy = RetryPolicy(attempts: 20, delay: 0),
    cipher: (any CloudCipher)? = nil, now: (@Sendable () -> Date)? = nil,
    keepsFormerValues: Bool = false
  ) throws {
    var configuration = Store.Configuration(file.map { .file($0) } ?? .memory)
    configuration.keepsHistory = true
    if keepsFormerValues {
      configuration.formerValues = FormerValueLimits(age: 86_400, size: 1 << 24)
    }
    if clock != 0 { configuration.now = { Date(timeIntervalSinceNow: clock) } }
    if let now { configuration.now = now }
    stack = try DataStack(
      model: try model ?? CloudModels.notes(), configuration: configuration, classes: [])
    engine = try CloudEngine(stack, transport: transport, retry: retry, cipher: cipher)
  }

  func close() throws { try stack.close() }

  /// Syncs where requests are lost: edits wait when too many are lost in a row.
  func syncWithLosses() async throws {
    do {
      try await engine.sync()
    } catch let error as CloudError where error.isTemporary {}
  }

  // MARK: - Edits

  @discardableResult
  func insert(_ entity: String, _ values: [String: Value]) throws -> Int64 {
    try stack.store.write { try $0.insert(entity, [values])[0] }.0
  }

  func update(_ entity: String, _ row: Int64, _ values: [String: Value]) throws {
    try stack.store.write { try $0.update(entity, row, values) }
  }

  func delete(_ entity: String, _ row: Int64) throws {
    try stack.store.write {
      try $0.delete(entity, [row])
    }
  }

  /// Joins objects by a many-to-many relationship, or parts them.
  func link(
    _ entity: String, _ row: Int64, _ relationship: String, _ members: [Int64],
    isAdded: Bool = true
  ) throws {
    try stack.store.write { transaction in
      let entity = try transaction.model.requireEntity(named: entity)
      let relationship = try #require(entity.property(named: relationship)?.relationship)
      let pairs = members.map { (owner: row, member: $0) }
      if isAdded {
        try transaction.addLinks(relationship, of: entity, pairs: pairs)
      } else {
        try transaction.removeLinks(relationship, of: entity, pairs: pairs)
      }
    }
  }

  /// Syncs JSON, as an import does.
  func sync(_ json: String, _ entity: String) async throws {
    _ = try await stack.sync(Data(json.utf8), inEntityNamed: entity)
  }

  /// Rows of an entity, in order.
  func rows(_ entity: String) throws -> [StoredRow] {
    try stack.store.read { reader in
      var rows: [StoredRow] = []
      try reader.scan(reader.model.requireEntity(named: entity), .all) {
        rows.append(try $0.storedRow())
      }
      return rows
    }
  }

  /// The values of a property of all objects of an entity, in order.
  func values(_ entity: String, _ property: String) throws -> [Value] {
    let slot = try #require(stack.model.requireEntity(named: entity).property(named: property)).slot
    return try rows(entity).map { $0.values[slot] }
  }

  /// The record of an object.
  func record(_ entity: String, _ row: Int64) throws -> RemoteRecord? {
    try stack.store.read { reader in
      try reader.remoteRecord(of: row, reader.model.requireEntity(named: entity))
    }
  }

  /// The row of the object of a record.
  func row(_ name: String) throws -> Int64? {
    try stack.store.read { [zone = engine.zone.name] in try $0.remoteRecord(name, in: zone)?.row }
  }

  /// Gives stamps to edits, as the next pull or push would.
  func drain() async throws { try await engine.write { _ in } }

  /// Gives the edits here their stamps, and returns when the clock has passed them: stamps run ahead
  /// of it where commits follow each other within a millisecond. Edits elsewhere are later then.
  func passStamps() async throws {
    let latest = try await engine.write { $0.clock.last }
    while Int64(Date().timeIntervalSince1970 * 1000) <= latest { await Task.yield() }
  }

  var generation: Int64 {
    get throws { try stack.store.write(commit: false) { _ in }.1.generation }
  }

  // MARK: - Looking at everything

  /// All objects by the names of their records, with their fields; fails when an object has no
  /// record.
  func graph() throws -> [String: [String: JSONValue]] {
    try stack.store.read { reader in
      var result: [String: [String: JSONValue]] = [:]
      var count = 0
      let shared = try reader.sharedZones(home: engine.zone.key).map(\.key)
      for record in try ([engine.zone.key] + shared).flatMap(reader.allRemoteRecords) {
        let fields = FieldReader(reader: reader, zone: record.zone, fields: engine.fields)
        guard let row = record.row, let entity = reader.model.entity(named: record.entity) else {
          continue
        }
        let stored = try #require(
          try reader.rows(entity, rows: [row]).first, "\(record.name) has no object.")
        var values: [String: JSONValue] = ["": .string(record.entity)]
        for (field, value) in try fields.values(stored, of: record, only: { _ in true }) {
          values[field.name] = value
        }
        // The value of the row: a link that waits is no object.
        for slot in engine.fields.rules(of: entity).fields.map(\.slot) {
          let property = entity.properties[slot]
          guard let relationship = property.relationship, !relationship.isToMany,
            case .int(let target) = stored.values[slot]
          else { continue }
          let other = try reader.remoteRecord(of: target, entity.destination(of: relationship))
          values["\(property.name) in row"] = .string(other?.name ?? "none")
        }
        for side in engine.fields.rules(of: entity).sides {
          let members = try reader.members(of: side.relationship, in: entity, owners: [row])
          values[side.relationship.name] = .array(
            try members.map { member in
              .string(try reader.remoteRecord(of: member.row, member.entity)?.name ?? "none")
            }.sorted { $0.description < $1.description })
        }
        for list in engine.fields.rules(of: entity).lists.values {
          let members = try reader.members(of: list, in: entity, owners: [row])
          values["\(list.name) in order"] = .array(
            try members.map { member in
              .string(try reader.remoteRecord(of: member.row, member.entity)?.name ?? "none")
            })
        }
        result[record.name] = values
        count += 1
      }
      var objects = 0
      for entity in reader.model.entities where entity.superentity == nil {
        try reader.scan(entity, .all, slots: []) { _ in objects += 1 }
      }
      #expect(objects == count, "Every object has one record.")
      return result
    }
  }
}

/// Expects an error of the cloud.
func expectError<T>(
  _ code: CloudError.Code, location: SourceLocation = #_sourceLocation,
  _ body: () async throws -> T
) async {
  await #expect(sourceLocation: location) { _ = try await body() } throws: {
    ($0 as? CloudError)?.code == code
  }
}

/// Syncs clients one after the other, so many times.
func sync(_ clients: Client..., rounds: Int = 1) async throws {
  try await sync(clients, rounds: rounds)
}

func sync(_ clients: [Client], rounds: Int = 1) async throws {
  for _ in 0..<rounds { for client in clients { try await client.engine.sync() } }
}

extension CloudTransport {
  /// Saves a record as another machine would.
  func create(_ name: String, _ content: JSONObject, in zone: CloudZone) async throws {
    _ = try await save([.create(name: name, content: content)], in: zone)
  }

  func replace(
    _ name: String, tag: String, _ content: JSONObject, in zone: CloudZone
  ) async throws {
    _ = try await save([.replace(name: name, tag: tag, content: content)], in: zone)
  }

  func update(_ name: String, tag: String, _ content: JSONObject, in zone: CloudZone) async throws {
    _ = try await save([.update(name: name, tag: tag, content: content)], in: zone)
  }
}

/// Syncs clients one after the other until nothing moves, which has to come soon.
func rest(_ clients: [Client], rounds: Int = 10, _ comment: Comment? = nil) async throws {
  for _ in 1...rounds {
    var isMoving = false
    for client in clients {
      let (pull, push) = try await client.engine.sync()
      isMoving = isMoving || pull.inserted + pull.updated + pull.deleted + push.sent > 0
    }
    if !isMoving { return }
  }
  Issue.record(comment ?? "Clients still move after \(rounds) rounds.")
}

/// Syncs clients one after the other until nothing moves, at most four rounds, and expects that
/// they and a fresh one have the same.
func settle(_ clients: [Client], fresh transport: any CloudTransport) async throws {
  try await rest(clients, rounds: 4)
  let fresh = try Client(transport, model: clients[0].stack.model)
  try await fresh.engine.pull()
  let expected = try fresh.graph()
  for client in clients {
    let graph = try client.graph()
    let differing = Set(graph.keys).union(expected.keys).filter { graph[$0] != expected[$0] }
    #expect(
      differing.isEmpty,
      "\(differing.map { "\($0): \(graph[$0] ?? [:]) / \(expected[$0] ?? [:])" })")
    #expect(client.engine.status.waiting == 0)
    #expect(client.engine.status.problems.isEmpty)
  }
}
