import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Texts that look like lines of another format travel, and are kept, as any other text.
@Suite(.timeLimit(.minutes(5))) struct TextTests {
  private static let texts = [
    "plain", "milk, eggs", "a; b", "Doe,\tAnn", "<b>, c</b>", #""a","b""#,
  ]

  /// Hides values from a plain search.
  private struct Hiding: CloudCipher {
    func seal(_ value: Data, for place: String) throws -> Data { Data(value.map { $0 ^ 0x55 }) }
    func open(_ sealed: Data, for place: String) throws -> Data { Data(sealed.map { $0 ^ 0x55 }) }
  }

  @Test(arguments: texts)
  func encryptedTextsArrive(_ text: String) async throws {
    let model = try ManagedObjectModel(["Note: text cloud.encrypted=true"])
    let server = MemoryTransport()
    let (here, there) = (
      try Client(server, model: model, cipher: Hiding()),
      try Client(server, model: model, cipher: Hiding())
    )
    try here.insert("Note", ["text": .string(text)])
    try await sync(here, there)
    #expect(try there.values("Note", "text") == [.string(text)])
    #expect(there.engine.status.problems.isEmpty)
  }

  @Test(arguments: texts)
  func aValueThatLostIsListedAndRestored(_ text: String) async throws {
    let server = MemoryTransport()
    let (here, there) = (try Client(server, clock: -60), try Client(server))
    let row = try here.insert("Note", ["title": "first"])
    try await sync(here, there)
    try here.update("Note", row, ["title": .string(text)])
    try there.update("Note", try #require(try there.rows("Note").first).row, ["title": "later"])
    try await sync(there, here)
    let conflict = try #require(try here.engine.conflicts.first)
    #expect(conflict.value == .string(text))
    try here.engine.restore(conflict)
    #expect(try here.values("Note", "title") == [.string(text)])
  }

  /// Answers of the database are JSON, names of accounts among them.
  @Test(.server(.database), arguments: ["Doe, Ann", "a;b", "<ann>", #""a", b"#])
  func anAccountMayHaveAnyName(_ name: String) async throws {
    let name = "\(name) \(UUID().uuidString)"
    let quoted = "\"\(name.replacing("\"", with: "\"\""))\""
    try await TestServer.run("create role \(quoted) login password '\(TestServer.password)'")
    let user = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    let address = try TestServer.address(.database).absoluteString.replacing(
      "kinto@", with: "\(user):\(TestServer.password)@")
    let transport = try PostgreSQLTransport(address + "/kinto", app: "tests", timeout: 60)
    #expect(try await transport.account() == name)
    let here = try Client(transport)
    try here.insert("Note", ["title": "a"])
    #expect(try await here.engine.sync().push.sent == 1)
  }
}
