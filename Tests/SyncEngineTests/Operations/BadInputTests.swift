import Foundation
import SyncStack
import TestSupport
import Testing

/// Wrong input ends in a typed error that names the fault and its place, and the store stays as it
/// was.
@Suite struct BadInputTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let payload: SyncPayload
    var entity = "User"
    var path: String?
    /// Words that the message has to have, so that a person can act on it.
    let mentions: [String]
    var testDescription: String { name }

    init(
      _ name: String, _ json: String, entity: String = "User", at path: String? = nil,
      _ mentions: String...
    ) {
      self.name = name
      payload = .data(Data(json.utf8))
      self.entity = entity
      self.path = path
      self.mentions = mentions
    }
  }

  static let cases = [
    Case("not JSON", "<html>", "line 1", "$"),
    Case("empty", "", "$"),
    Case("cut off", #"[{"id": 1}, {"id": 2, "name": "A"#, "line 1", "$[1].name"),
    Case("a number", "17", "$"),
    Case("a list of numbers", "[1, 2]", "none of the 2 items"),
    Case(
      "a path that leads nowhere", #"{"data": {"users": []}}"#, at: "data.items", "items", "users"),
    Case("a path through a number", #"{"data": 1}"#, at: "data.items", "data"),
    Case("an unknown entity", "[]", entity: "Usr", "Usr", "User"),
    Case(
      "items without their key", #"[{"name": "x"}]"#, "the only item of the payload cannot be used"),
    Case(
      "an error document", #"{"error": "down", "code": 500}"#,
      "the only item of the payload cannot be used"),
  ]

  @Test(arguments: cases) func isRefusedWithAMessage(_ input: Case) async throws {
    let stack = try DataStack.social()
    try await stack.sync([["id": 1, "name": "Ada"]] as JSONValue, inEntityNamed: "User")
    let before = try stack.store.read { try $0.dump() }
    let sync = Sync(
      input.payload, inEntityNamed: input.entity, dataStack: stack,
      at: input.path.map { JSONPath($0) })
    let error = await #expect(throws: (any Error).self) { try await stack.sync(sync) }
    let message = "\(try #require(error))"
    for mention in input.mentions {
      #expect(message.localizedCaseInsensitiveContains(mention), "\(message)")
    }
    #expect(try stack.store.read { try $0.dump() } == before)
  }

  @Test func aFullStoreSaysSoAndStaysAsItWas() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = Store.Configuration(.file(folder.appending(path: "full.sqlite")))
    configuration.maximumPageCount = 60
    let stack = try DataStack(model: TestModels.social(), configuration: configuration)
    let before = try stack.store.read { try $0.dump() }
    let users = (1...5_000).map { JSONValue.object(["id": .integer($0), "name": "somebody"]) }
    let sync = Sync(.json(.array(users)), inEntityNamed: "User", dataStack: stack)
    sync.start()
    expectError("StoreError full") { try sync.result?.get() }
    #expect(try stack.store.read { try $0.dump() } == before)
  }
}
