import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// The settings of remote sync in the user info of a model, and objects that are removed here only.
@Suite(.timeLimit(.minutes(5))) struct AnnotationTests {
  private let server = MemoryTransport(limits: CloudLimits(batch: 25, page: 50))

  private static func model(
    _ properties: [PropertyDraft], identity: String? = nil, unique: [[String]] = []
  ) throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Item", properties, uniquenessConstraints: unique,
        userInfo: identity.map { ["cloud.identity": $0] } ?? [:])
    ])
  }

  // MARK: - Scopes

  private static func scoped(_ key: String, _ value: String) throws
    -> ManagedObjectModel
  {
    try ManagedObjectModel([
      "Mine: name, shared -> Shared.mine",
      EntityDraft("Shared", ["name", "mine ->> Mine.shared"], userInfo: [key: value]),
    ])
  }

  @Test(arguments: [
    ("cloud.scope", "none"), ("CloudCoreScopes", "none"), ("cloud.scope", "public"),
    ("CloudCoreScopes", "public"), ("CloudCoreScopes", ""),
  ])
  func entitiesOfAnotherScopeHaveNoRecords(_ key: String, _ value: String) async throws {
    let model = try Self.scoped(key, value)
    let (here, there) = (try Client(server, model: model), try Client(server, model: model))
    let shared = try here.insert("Shared", ["name": "shared"])
    try here.insert("Mine", ["name": "mine", "shared": .int(shared)])
    #expect(try await here.engine.push().sent == 1)
    try await there.engine.pull()
    #expect(try there.values("Mine", "name") == ["mine"])
    #expect(try there.values("Mine", "shared") == [.null])
    #expect(try there.rows("Shared").isEmpty)
    #expect(try here.values("Mine", "shared") == [.int(shared)])
  }

  @Test func eachScopeHasAnEngineOfItsOwn() async throws {
    let model = try Self.scoped("cloud.scope", "public")
    let (here, there) = (try Client(server, model: model), try Client(server, model: model))
    let engines = try [here, there].map {
      try CloudEngine($0.stack, transport: server, scope: .public)
    }
    try here.insert("Shared", ["name": "shared"])
    try here.insert("Mine", ["name": "mine"])
    #expect(try await engines[0].push().sent == 1)
    #expect(try await here.engine.push().sent == 1)
    #expect(try await engines[1].pull().inserted == 1)
    #expect(try await there.engine.pull().inserted == 1)
    #expect(try await engines[1].push().sent == 0)
    #expect(try await there.engine.push().sent == 0)
    #expect(server.records(in: engines[0].zone).count == 1)
    #expect(server.records(in: here.engine.zone).count == 1)
  }

  @Test(.server(.memory)) func inThePublicScopeEverybodyReadsAndChangesWhatIsTheirOwn()
    async throws
  {
    let url = try TestServer.address(.memory)
    let app = "public-\(UUID().uuidString.lowercased())"
    let model = try Self.scoped("cloud.scope", "public")
    var clients: [Client] = []
    var engines: [CloudEngine] = []
    for _ in 0..<2 {
      let user = try await TestServer.account(on: url)
      let transport = try KintoTransport(
        url, app: app, signIn: .password(user, TestServer.password), timeout: 120)
      clients.append(try Client(transport, model: model))
      engines.append(
        try CloudEngine(clients[clients.count - 1].stack, transport: transport, scope: .public))
    }
    try clients[0].insert("Shared", ["name": "ann's"])
    try await engines[0].sync()
    #expect(try await engines[1].pull().inserted == 1)
    // Objects of others can be read, not changed; one's own can.
    try clients[1].insert("Shared", ["name": "bob's"])
    let theirs = try clients[1].rows("Shared")[0].row
    try clients[1].update("Shared", theirs, ["name": "changed"])
    let report = try await engines[1].push()
    #expect(report.sent == 1 && report.refused == 1)
    let status = engines[1].status
    let problem = try #require(status.problems.first)
    #expect(status.waiting == 1 && status.problems.count == 1 && status.lastError == nil)
    #expect(problem.row == theirs && problem.entity == "Shared")
    #expect(problem.reason.contains("belongs to another account"), "\(problem.reason)")
    try await engines[0].sync()
    #expect(try clients[0].values("Shared", "name") == ["ann's", "bob's"])
    try await engines[1].revert(problem)
    #expect(try clients[1].values("Shared", "name") == ["ann's", "bob's"])
    #expect(try engines[1].conflicts.map(\.value) == ["changed"])
    #expect(engines[1].status.waiting == 0 && engines[1].status.problems.isEmpty)
    // Deleting is changing, too.
    try clients[1].delete("Shared", theirs)
    #expect(try await engines[1].push().refused == 1)
  }

  // MARK: - Masks

  @Test(arguments: ["upload", "download", "both"])
  func aMaskedPropertyDoesNotTravelThatWay(_ mask: String) async throws {
    let masked = try Self.model([
      .attribute("name", .string),
      .attribute("local", .string, userInfo: ["cloud.mask": mask]),
    ])
    let plain = try Self.model([.attribute("name", .string), .attribute("local", .string)])
    let (here, there) = (try Client(server, model: masked), try Client(server, model: plain))
    let row = try here.insert("Item", ["name": "a", "local": "here"])
    try await sync(here, there)
    let sends = mask == "download"
    #expect(try there.values("Item", "local") == [sends ? "here" : .null])
    try here.update("Item", row, ["local": "here 2"])
    #expect(try await here.engine.push().sent == (sends ? 1 : 0))
    #expect(here.engine.status.waiting == 0)
    try await there.engine.sync()
    try there.update("Item", try #require(try there.rows("Item").first).row, ["local": "there"])
    try await sync(there, here)
    #expect(try here.values("Item", "local") == [mask == "upload" ? "there" : "here 2"])
    #expect(here.engine.status.waiting == 0)
  }

  @Test(arguments: [["cloud.mask": "up"], ["cloud.policy": "oldest"]])
  func whatIsNotKnownIsNamed(_ userInfo: [String: String]) throws {
    let model = try Self.model([.attribute("name", .string, userInfo: userInfo)])
    #expect {
      _ = try Client(server, model: model)
    } throws: { error in
      let error = error as? CloudError
      return error?.code == .unsupported && error?.message.contains("Item.name") == true
    }
  }

  // MARK: - Identity

  private static var keyed: ManagedObjectModel {
    get throws {
      try model(
        [
          .attribute("key", .integer64, isPrimaryKey: true), .attribute("name", .string),
          .attribute("text", .string),
        ], identity: "primaryKey")
    }
  }

  @Test(arguments: [true, false])
  func objectsOfOneIdentityAreOneRecord(_ isByConstraint: Bool) async throws {
    let model =
      isByConstraint
      ? try Self.model(
        [.attribute("key", .string), .attribute("name", .string), .attribute("text", .string)],
        unique: [["key"]]) : try Self.keyed
    let (here, there) = (try Client(server, model: model), try Client(server, model: model))
    let key: Value = isByConstraint ? "one" : 1
    try here.insert("Item", ["key": key, "name": "here"])
    try there.insert("Item", ["key": key, "text": "there"])
    try await settle([here, there], fresh: server)
    #expect(try here.rows("Item").count == 1)
    #expect(try there.rows("Item").count == 1)
    #expect(server.records(in: here.engine.zone).count == 1)
  }

  @Test(arguments: [true, false], [true, false])
  func deletedAndInsertedAgainUnderOneIdentityIsAliveEverywhere(
    _ isInOneSave: Bool, _ isPushedBetween: Bool
  ) async throws {
    let model = try Self.keyed
    let (here, there) = (try Client(server, model: model), try Client(server, model: model))
    let row = try here.insert("Item", ["key": 1, "name": "first", "text": "old"])
    try await settle([here, there], fresh: server)
    if isInOneSave {
      try here.stack.store.write { transaction in
        _ = try transaction.insert("Item", [["key": 1, "name": "second"]])
        try transaction.delete("Item", [row])
      }
    } else {
      try here.delete("Item", row)
      if isPushedBetween { try await here.engine.push() }
      try here.insert("Item", ["key": 1, "name": "second"])
    }
    try await settle([here, there], fresh: server)
    for client in [here, there] {
      #expect(try client.values("Item", "name") == ["second"])
      #expect(try client.values("Item", "text") == [.null])
    }
    #expect(server.records(in: here.engine.zone).count == 1)
  }

  // MARK: - Policies

  @Test(arguments: [
    ("newest", 5, 7, 7), ("newest", 7, 5, 5), ("largest", 5, 7, 7), ("largest", 7, 5, 7),
    ("smallest", 5, 7, 5), ("smallest", 7, 5, 5), ("server", 5, 7, 5), ("server", 7, 5, 7),
  ])
  func aPolicyDecidesBetweenEditsThatDidNotKnowOfEachOther(
    _ policy: String, _ first: Int64, _ second: Int64, _ stays: Int64
  ) async throws {
    let model = try Self.model([
      .attribute("stars", .integer64, userInfo: ["cloud.policy": policy])
    ])
    let (here, there) = (try Client(server, model: model), try Client(server, model: model))
    let row = try here.insert("Item", ["stars": 6])
    try await settle([here, there], fresh: server)
    try here.update("Item", row, ["stars": .int(first)])
    try await here.engine.sync()
    try there.update(
      "Item", try #require(try there.rows("Item").first).row, ["stars": .int(second)])
    try await settle([there, here], fresh: server)
    #expect(try here.values("Item", "stars") == [.int(stays)])
    // An edit that knows of the value that it replaces is no conflict.
    try here.update("Item", row, ["stars": 6])
    try await settle([here, there], fresh: server)
    #expect(try there.values("Item", "stars") == [6])
  }

  @Test func aClosureMayMakeOneValueOfTwo() async throws {
    let model = try Self.model([.attribute("tags", .string)])
    let clients = try (0..<2).map { _ in try Client(server, model: model) }
    let engines = try clients.map { client in
      try CloudEngine(
        client.stack, transport: server,
        policies: [
          "Item.tags": .custom { mine, theirs in
            let words = [mine, theirs].flatMap { ($0.stringValue ?? "").split(separator: " ") }
            return .string(Set(words).sorted().joined(separator: " "))
          }
        ])
    }
    try clients[0].insert("Item", ["tags": "a"])
    for engine in engines { try await engine.sync() }
    for (client, tags) in zip(clients, ["a b", "a c"]) {
      try client.update(
        "Item", try #require(try client.rows("Item").first).row, ["tags": .string(tags)])
    }
    for _ in 0..<2 { for engine in engines { try await engine.sync() } }
    for client in clients { #expect(try client.values("Item", "tags") == ["a b c"]) }
    #expect(throws: CloudError.self) {
      try CloudEngine(clients[0].stack, transport: server, policies: ["Item.none": .server])
    }
  }

  // MARK: - Removing here only

  @Test func anEvictedObjectStaysOnTheServerAndDoesNotComeBack() async throws {
    let (here, there) = (try Client(server), try Client(server))
    let folder = try here.insert("Folder", ["name": "Home"])
    let note = try here.insert("Note", ["title": "a", "folder": .int(folder)])
    let entity = try here.stack.model.requireEntity(named: "Folder")
    await expectError(.unsent) {
      try await here.engine.evict(ManagedObjectID(entity: entity, row: folder))
    }
    try await settle([here, there], fresh: server)
    try await here.engine.evict(ManagedObjectID(entity: entity, row: folder))
    #expect(try here.rows("Folder").isEmpty)
    #expect(try await here.engine.push() == PushReport())
    let other = try #require(try there.rows("Folder").first).row
    try there.update("Folder", other, ["name": "Moved"])
    try await there.engine.push()
    try await here.engine.pull()
    try await here.engine.write { $0.zone.token = "none" }
    try await here.engine.pull()
    #expect(try here.rows("Folder").isEmpty)
    // References to it are on the server still.
    try here.update("Note", note, ["title": "b"])
    try await sync(here, there)
    #expect(try there.values("Note", "folder") == [.int(other)])
    #expect(try there.values("Note", "title") == ["b"])
    try await here.engine.replaceLocal()
    #expect(try here.values("Folder", "name") == ["Moved"])
    #expect(
      try here.values("Note", "folder") == [.int(try #require(try here.rows("Folder").first).row)])
    try await settle([here, there], fresh: server)
  }
}
