import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// A cipher that is none, but for the place: it turns bytes round behind it, and counts.
private struct Turner: CloudCipher {
  struct Wrong: Error {}
  var key: UInt8 = 7

  func seal(_ value: Data, for place: String) throws -> Data {
    Data((place + "\n").utf8.map { $0 ^ key } + value.reversed().map { $0 ^ key })
  }

  func open(_ sealed: Data, for place: String) throws -> Data {
    let plain = sealed.map { $0 ^ key }
    let head = Array((place + "\n").utf8)
    guard plain.starts(with: head) else { throw Wrong() }
    return Data(plain.dropFirst(head.count).reversed())
  }
}

/// Values of attributes that are marked travel sealed.
@Suite(.timeLimit(.minutes(5))) struct SealTests {
  private let server = MemoryTransport()

  private static func model(
    _ marks: [String: String] = ["cloud.encrypted": "true"], identity: Bool = false
  ) throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Note",
        [
          .attribute("key", .string, isPrimaryKey: identity, userInfo: identity ? marks : [:]),
          "title", .attribute("text", .string, userInfo: marks),
          .attribute("stars", .integer64, userInfo: marks),
        ])
    ])
  }

  private func client(_ cipher: Turner?, _ model: ManagedObjectModel) throws -> Client {
    try Client(server, model: model, cipher: cipher)
  }

  @Test func theServerSeesBytesOnlyAndEverybodyWithTheKeyTheValues() async throws {
    let (here, there) = (
      try client(Turner(), try Self.model()), try client(Turner(), try Self.model())
    )
    let row = try here.insert("Note", ["title": "open", "text": "secret", "stars": 5])
    try await here.engine.sync()
    let content = try #require(server.records(in: here.engine.zone).values.first?.content)
    #expect(content["f_title"] == "open")
    for field in ["f_text", "f_stars"] { #expect(content[field].map(FieldSeal.isSealed) == true) }
    #expect(!content.description.contains("secret"))
    try await there.engine.sync()
    #expect(try there.values("Note", "text") == ["secret"])
    #expect(try there.values("Note", "stars") == [5])
    // A cleared value is sealed like any other; two edits that did not know of each other meet as
    // ever.
    try here.update("Note", row, ["text": .null])
    try there.update("Note", try #require(try there.rows("Note").first).row, ["stars": 6])
    try await sync(here, there, here)
    for client in [here, there] {
      #expect(try client.values("Note", "text") == [.null])
      #expect(try client.values("Note", "stars") == [6])
      #expect(client.engine.status.problems.isEmpty)
    }
    let cleared = try #require(server.records(in: here.engine.zone).values.first?.content)
    #expect(cleared["f_text"].map(FieldSeal.isSealed) == true)
  }

  @Test func whatCannotBeOpenedIsAProblemAndTheValueHereStays() async throws {
    let (here, there) = (
      try client(Turner(), try Self.model()), try client(Turner(key: 9), try Self.model())
    )
    try here.insert("Note", ["title": "a", "text": "secret"])
    try await sync(here, there)
    #expect(try there.values("Note", "title") == ["a"])
    #expect(try there.values("Note", "text") == [.null])
    let problem = try #require(there.engine.status.problems.first)
    #expect(problem.reason.contains("encrypted"), "\(problem.reason)")
  }

  @Test func aValueIsReadOnceTheKeyIsHere() async throws {
    let folder = try TemporaryFolder()
    let (model, file) = (try Self.model(), folder.file())
    let here = try client(Turner(), model)
    let row = try here.insert("Note", ["title": "a", "text": "secret"])
    var there = try Client(server, model: model, file: file, cipher: Turner(key: 9))
    try await sync(here, there)
    // The problem stays, whatever else changes.
    try here.update("Note", row, ["title": "b"])
    try await sync(here, there)
    #expect(there.engine.status.problems.count == 1)
    try there.close()
    there = try Client(server, model: model, file: file, cipher: Turner())
    try await there.engine.sync()
    #expect(try there.values("Note", "text") == ["secret"])
    try await there.engine.sync()
    #expect(there.engine.status.problems.isEmpty && there.engine.status.waiting == 0)
    try there.close()
  }

  @Test func aValueIsBoundToItsPlace() async throws {
    let (here, there) = (
      try client(Turner(), try Self.model()), try client(Turner(), try Self.model())
    )
    try here.insert("Note", ["title": "a", "text": "secret"])
    try await here.engine.sync()
    // A server that puts one value in the place of another.
    let record = try #require(server.records(in: here.engine.zone).values.first)
    var content = try #require(record.content)
    content["f_stars"] = content["f_text"]
    content["t_stars"] = content["t"]
    try await server.replace(record.name, tag: record.tag, content, in: here.engine.zone)
    try await there.engine.sync()
    #expect(try there.values("Note", "text") == ["secret"])
    #expect(try there.values("Note", "stars") == [.null])
    #expect(there.engine.status.problems.count == 1)
  }

  @Test func valuesFromBeforeTheMarkAreReadAndSealedWithTheNextEdit() async throws {
    let (here, there) = (
      try client(nil, try Self.model([:])), try client(Turner(), try Self.model())
    )
    try here.insert("Note", ["text": "plain"])
    try await sync(here, there)
    #expect(try there.values("Note", "text") == ["plain"])
    try there.update("Note", try #require(try there.rows("Note").first).row, ["text": "secret"])
    try await there.engine.sync()
    let content = try #require(server.records(in: here.engine.zone).values.first?.content)
    #expect(content["f_text"].map(FieldSeal.isSealed) == true)
  }

  @Test func aModelDocumentMayAskForIt() throws {
    let model = try ManagedObjectModel(
      xml: Data(
        """
        <model documentVersion="1.0"><entity name="Note"><attribute name="text" optional="YES" \
        attributeType="String" allowsCloudEncryption="YES"/><attribute name="title" optional="YES" \
        attributeType="String" allowsCloudEncryption="NO"/></entity></model>
        """.utf8))
    let fields = try TravellingFields(model, cipher: Turner())
    #expect(try fields.rules(of: model.requireEntity(named: "Note")).sealed == ["text"])
  }

  @Test func withoutCipherOrWhereItCannotBeItIsRefused() throws {
    let refusals: [(ManagedObjectModel, Turner?, String)] = [
      (try Self.model(), nil, "Note.stars is to be encrypted, and the engine has no cipher"),
      (try Self.model(["cloud.encrypted": "perhaps"]), Turner(), "known are true and false"),
      (try Self.model(identity: true), Turner(), "cloud.identity = none"),
    ]
    for (model, cipher, reason) in refusals {
      #expect {
        _ = try client(cipher, model)
      } throws: { error in
        let error = error as? CloudError
        return error?.code == .unsupported && error?.message.contains(reason) == true
      }
    }
  }
}
