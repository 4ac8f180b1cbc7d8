import Foundation
import SyncCore
import SyncStore
import TestSupport
import Testing

@testable import SyncCloud

/// What reports and programs of the server see of records, and write. One after the other: rights
/// on a database are given to one role at a time.
@Suite(.timeLimit(.minutes(10)), .serialized, .server(.database)) struct PostgreSQLViewTests {
  private let client: Client
  private let connection: PostgreSQLConnection
  private let schema: String

  init() async throws {
    let role = try await TestServer.role()
    schema = try #require(URL(string: role)?.user())
    try await TestServer.run("grant create on database kinto to \(schema)")
    connection = PostgreSQLConnection(try PostgreSQLAddress(role), timeout: 60)
    client = try Client(try PostgreSQLTransport(role, app: "tests", timeout: 60))
  }

  private func makeViews() async throws {
    _ = try await connection.value(
      "select syncstack.create_views('tests/private/private', $1)", [schema])
  }

  /// The rows of a question as JSON.
  private func rows(_ question: String) async throws -> JSONValue {
    let text = try await connection.value(
      "select coalesce(json_agg(q), '[]') from (\(question)) q", [])
    return try JSONValue(parsing: try #require(text))
  }

  @Test func aViewHasTheNamesAndValuesOfTheModelAndWhoeverIsThere() async throws {
    let folder = try client.insert("Folder", ["name": "it's \"home\""])
    let note = try client.insert("Note", ["title": "a", "stars": 3, "folder": .int(folder)])
    let gone = try client.insert("Note", ["title": "gone", "stars": 1])
    try await client.engine.sync()
    try client.delete("Note", gone)
    try await client.engine.sync()
    try await makeViews()
    let question = """
      select n.title, n.stars, f.name from \(schema)."Note" n
      join \(schema)."Folder" f on f.record_name = n.folder
      """
    #expect(
      try await rows(question) == [["title": "a", "stars": 3, "name": "it's \"home\""]])
    #expect(try await rows("select * from \(schema).\"Note\" where title = 'gone'") == [])
    try client.update("Note", note, ["stars": 5])
    try await client.engine.sync()
    #expect(try await rows("select stars from \(schema).\"Note\"") == [["stars": 5]])
  }

  @Test(
    arguments: [
      (.integer16, .int(-3), "-3"), (.integer32, .int(3), "3"),
      (.integer64, .int(.max), "9223372036854775807"), (.double, .double(0.5), "0.5"),
      (.double, .double(.infinity), "Infinity"), (.float, .double(0.5), "0.5"),
      (.boolean, .bool(true), "true"), (.string, .string("é"), "é"),
      (.decimal, .decimal(Decimal(12) / 10), "1.2"),
      (.date, .date(Date(timeIntervalSinceReferenceDate: 0.5)), "2001-01-01 00:00:00.5+00"),
      (.binary, .data(Data([0, 255])), "\\x00ff"),
    ] as [(AttributeType, Value, String)])
  func aValueIsOneOfItsTypeInAColumn(
    _ type: AttributeType, _ value: Value, _ text: String
  ) async throws {
    try client.insert("Every", [CloudModels.name(of: type): value])
    try await client.engine.sync()
    try await makeViews()
    let answer = try await connection.value(
      "select \"\(CloudModels.name(of: type))\"::text from \(schema).\"Every\"", [])
    #expect(answer == text)
  }

  @Test func whatTheServerWritesIsAnEditAsOfAnyMachine() async throws {
    let row = try client.insert("Note", ["title": "a", "text": "x"])
    try await client.engine.sync()
    let name = try #require(try client.record("Note", row)?.name)
    let write = "select syncstack.write('tests/private/private', 'Note', $1, $2::jsonb)"
    _ = try await connection.value(write, [name, #"{"title": "server"}"#])
    _ = try await connection.value(write, ["born", #"{"title": "born", "stars": 2}"#])
    try await client.engine.sync()
    #expect(try client.values("Note", "title") == ["server", "born"])
    #expect(try client.values("Note", "text") == ["x", .null])
    // The later edit wins, whoever makes it.
    try client.update("Note", row, ["title": "later"])
    try await client.engine.sync()
    #expect(try client.values("Note", "title") == ["later", "born"])
    #expect(try client.engine.status.problems.isEmpty)
  }
}
