import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// What an undo changes travels to other machines, as what it takes back did.
@Suite(.timeLimit(.minutes(5))) struct UndoneSyncTests {
  let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 50))

  /// Keys that travel as identities, and names that are made up; ordered lists, pairs and trees.
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "User",
        [
          "id", "name", "notes ->> Note.user ordered cascade", "tags ->> Tag.users",
          "badge -> Badge.owner", "boss -> User.staff", "staff ->> User.boss",
          "read ->> Note.readers ordered", "topics ->> Topic.users ordered",
        ]),
      "Note: text sync.primaryKey=YES, user -> User.notes, readers ->> User.read",
      "Topic: text, users ->> User.topics",
      "Tag: id, users ->> User.tags",
      "Badge: id, owner -> User.badge",
    ])
  }

  private static let json = """
    [{"id": 1, "name": "Ann", "notes": [{"text": "a"}, {"text": "b"}, {"text": "c"}],
      "tags": [{"id": 1}, {"id": 2}], "badge": {"id": 9}},
     {"id": 2, "name": "Ben", "boss": {"id": 1}, "notes": [{"text": "d"}]},
     {"id": 3, "name": "Cid", "boss": {"id": 2}}]
    """

  private static let nonsense = """
    [{"id": 1, "name": "?", "notes": [{"text": "c"}, {"text": "new"}, {"text": "a"}],
      "tags": [{"id": 3}, {"id": 2}], "badge": {"id": 8}},
     {"id": 3, "name": "Cid", "boss": {"id": 1}, "tags": [{"id": 1}]},
     {"id": 4, "name": "new", "boss": {"id": 3}}]
    """

  func content(_ client: Client) throws -> [String] {
    try client.stack.store.read { reader in
      var lines: [String] = []
      for entity in reader.model.entities {
        try reader.scan(entity, .all) { cursor in
          let id = ManagedObjectID(entity: entity, row: cursor.row)
          var line = try "\(name(id, reader)):"
          for property in entity.properties {
            if let relationship = property.relationship {
              guard relationship.isToMany else { continue }
              let members = try reader.members(of: relationship, in: entity, owners: [id.row])
                .map { try name(ManagedObjectID(entity: $0.entity, row: $0.row), reader) }
              line += " \(property.name) \(relationship.isOrdered ? members : members.sorted())"
            } else {
              line += " \(property.name) \(cursor.value(property.slot))"
            }
          }
          for relationship in entity.relationships where !relationship.isToMany {
            guard case .int(let row) = cursor.value(relationship.slot) else { continue }
            let target = ManagedObjectID(entity: entity.destination(of: relationship), row: row)
            line += " \(relationship.name) \(try name(target, reader))"
          }
          lines.append(line)
        }
      }
      return lines.sorted()
    }
  }

  func expect(
    _ client: Client, has expected: [String], _ place: SourceLocation = #_sourceLocation
  ) throws {
    let differences = Set(try content(client)).symmetricDifference(expected).sorted()
    #expect(differences == [], "\(differences)", sourceLocation: place)
  }

  func name(_ id: ManagedObjectID, _ reader: StoreReader) throws -> String {
    let key = try #require(id.entity.property(named: "id") ?? id.entity.property(named: "text"))
    var result = ""
    try reader.scan(id.entity, .rows([id.row]), slots: [key.slot]) {
      result = "\(id.entity.name) \($0.value(key.slot))"
    }
    return result
  }

  @Test(arguments: [false, true])
  func aSyncIsTakenBackOnEveryMachine(_ isPushed: Bool) async throws {
    let model = try UndoneSyncTests.model()
    let here = try Client(server, model: model, keepsFormerValues: true)
    let there = try Client(server, model: model)
    try await here.sync(UndoneSyncTests.json, "User")
    try await settle([here, there], fresh: server)
    let before = try content(here)
    try expect(there, has: before)
    try await here.sync(UndoneSyncTests.nonsense, "User")
    let bad = try content(here)
    #expect(bad != before)
    let commit = try here.stack.latestHistoryToken()
    if isPushed {
      try await settle([here, there], fresh: server)
      try expect(there, has: bad)
    }
    let undo = try await here.stack.undo(commit)
    #expect(undo.left == [])
    try expect(here, has: before)
    try await settle([here, there], fresh: server)
    try expect(here, has: before)
    try expect(there, has: before)
    for client in [here, there] {
      #expect(try await client.stack.checkConsistency().problems.isEmpty)
    }
  }

  @Test func aPullIsTakenBackOnTheMachineThatItCameFrom() async throws {
    let model = try UndoneSyncTests.model()
    let here = try Client(server, model: model, keepsFormerValues: true)
    let there = try Client(server, model: model)
    try await there.sync(UndoneSyncTests.json, "User")
    try await settle([there, here], fresh: server)
    let before = try content(here)
    try await there.sync(UndoneSyncTests.nonsense, "User")
    try await there.engine.push()
    let last = try here.stack.latestHistoryToken()
    try await here.engine.pull()
    let pulled = try here.stack.latestHistoryToken()
    #expect(try content(here) != before)
    let report = try await here.stack.undo(HistoryToken(number: last.number + 1)...pulled)
    #expect(report.left == [])
    try expect(here, has: before)
    try await settle([here, there], fresh: server)
    try expect(here, has: before)
    try expect(there, has: before)
  }

  @Test func aDeletionThatNeverLeftIsTakenBack() async throws {
    let (here, there) = (try Client(server, keepsFormerValues: true), try Client(server))
    let folder = try here.insert("Folder", ["name": "Home"])
    let note = try here.insert("Note", ["title": "a", "folder": .int(folder)])
    try await settle([here, there], fresh: server)
    let graph = try here.graph()
    try here.delete("Folder", folder)
    try await here.stack.undo(try here.stack.latestHistoryToken())
    #expect(try here.rows("Note").map(\.row) == [note])
    try await settle([here, there], fresh: server)
    #expect(try there.values("Note", "title") == ["a"])
    #expect(try there.values("Folder", "name") == ["Home"])
    #expect(try there.graph().count == graph.count)
  }
}
