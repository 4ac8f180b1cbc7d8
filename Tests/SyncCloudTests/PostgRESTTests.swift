import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// The functions behind HTTP. A script of our own stands in for PostgREST here; a real one is tried
/// where `SYNCSTACK_POSTGREST_URL` and `SYNCSTACK_POSTGREST_TOKEN` name its address and a token.
@Suite(.timeLimit(.minutes(5))) struct PostgRESTTests {
  static let standIn = Result { try TestServer.startStandInForPostgREST() }

  private static func transport(_ token: String) throws -> PostgRESTTransport {
    try PostgRESTTransport(try standIn.get(), app: "tests", timeout: 60) { token }
  }

  @Test(.server(.database), arguments: TransportContract.rules)
  func aStandInForPostgRESTKeepsTheContract(_ rule: TransportContract) async throws {
    try await rule.check(try Self.transport("u-" + UUID().uuidString))
  }

  @Test(.server(.database)) func aTokenThatAStandInForPostgRESTDoesNotTakeIsAskedForOnceMore()
    async throws
  {
    let tokens = Locked(["expired", "ann", "never"])
    let transport = try PostgRESTTransport(try Self.standIn.get(), app: "tests", timeout: 60) {
      tokens.withLock { $0.removeFirst() }
    }
    await expectError(.notSignedIn) { try await transport.limits() }
    #expect(try await transport.account() == "ann")
    #expect(try await transport.account() == "ann")
    #expect(tokens.withLock { $0 } == ["never"])
    await expectError(.notSignedIn) { try await Self.transport("expired").account() }
  }

  @Test(.server(.database)) func filesTravelThroughAStandInForPostgREST() async throws {
    let account = "u-" + UUID().uuidString
    let (here, there) = (
      try Client(try Self.transport(account), model: try AssetTests.model()),
      try Client(try Self.transport(account), model: try AssetTests.model())
    )
    for client in [here, there] { client.engine.files.state.withLock { $0.chunk = 3000 } }
    let (photo, thumbnail) = (AssetTests.bytes(10_000), AssetTests.bytes(500, 1))
    try here.insert("Note", ["title": "a", "photo": .data(photo), "thumbnail": .data(thumbnail)])
    try await sync(here, there)
    let note = try there.stack.model.requireEntity(named: "Note")
    let row = try #require(try there.rows("Note").first).row
    func value(_ field: String) throws -> Value? {
      let slot = try #require(note.property(named: field)).slot
      return try there.rows("Note").first?.values[slot]
    }
    #expect(try value("thumbnail") == .data(thumbnail))
    #expect(try value("photo") == .data(CloudAsset(of: photo).placeholder))
    try await there.engine.fetchAsset(of: ManagedObjectID(entity: note, row: row), "photo")
    #expect(try value("photo") == .data(photo))
  }

  private static let real = ProcessInfo.processInfo.environment["SYNCSTACK_POSTGREST_URL"].flatMap {
    URL(string: $0)
  }

  @Test(.enabled(if: real != nil, "SYNCSTACK_POSTGREST_URL names no server"))
  func aRealPostgRESTKeepsTheContract() async throws {
    let token = ProcessInfo.processInfo.environment["SYNCSTACK_POSTGREST_TOKEN"] ?? ""
    let transport = try PostgRESTTransport(try #require(Self.real), app: "contract") { token }
    for rule in TransportContract.rules {
      try await rule.check(transport)
      try await transport.remove(CloudZone("contract"))
    }
  }
}
