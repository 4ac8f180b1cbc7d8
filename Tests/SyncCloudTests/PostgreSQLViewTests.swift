import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// The views of records for reports and programs of the server, and their writes. The tests run one
/// after the other: rights on a database are given to one role at a time.
@Suite(.timeLimit(.minutes(5)), .serialized, .server(.database)) struct PostgreSQLViewTests {
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

  @Test func aViewHasTheNamesAndValuesOfTheModelAndTheObjectsThatAreThere() async throws {
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
    #expect(try await rows(question) == [["title": "a", "stars": 3, "name": "it's \"home\""]])
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

  private func save(_ name: String, _ content: JSONObject, zone: String = "private") async throws {
    let saves: JSONValue = [["op": "create", "name": .string(name), "content": .object(content)]]
    let path = "tests/private/\(zone)"
    _ = try await connection.value("select syncstack.open($1, true)", [path])
    _ = try await connection.value(
      "select syncstack.save($1, $2::jsonb)", [path, saves.description])
  }

  /// As on the page: a schema of the zone unless another is named.
  @Test func viewsOfTwoZonesStandBesideEachOther() async throws {
    let (app, other) = ("a\(schema)", "b\(schema)")
    for (name, app) in [("one", app), ("two", app), ("one", other)] {
      let path = "\(app)/private/\(name)"
      _ = try await connection.value("select syncstack.open($1, true)", [path])
      let saves =
        #"[{"op": "create", "name": "r", "content": {"type": "Note", "f_title": "\#(app) \#(name)"}}]"#
      _ = try await connection.value("select syncstack.save($1, $2::jsonb)", [path, saves])
      _ = try await connection.value("select syncstack.create_views($1)", [path])
    }
    for (name, app) in [("one", app), ("two", app), ("one", other)] {
      #expect(
        try await rows("select title from \(app)_\(name).\"Note\"") == [
          ["title": .string("\(app) \(name)")]
        ])
    }
    // A view in a schema that is named is not replaced by another zone's.
    await #expect {
      _ = try await connection.value(
        "select syncstack.create_views($1, $2)", ["\(app)/private/two", "\(app)_one"])
    } throws: {
      "\($0)".contains("is there already")
    }
  }

  @Test func oddRecordsCostThemselvesAndNotTheView() async throws {
    let long = String(repeating: "p", count: 62) + "é"
    try await save(
      "r1", ["type": "Note", "f_stars": 3, "f_when": ["t", "0.5"], "f_data": ["b", "AP8="]])
    try await save("r2", ["type": "", "f_stars": 1])
    try await save("r3", ["f_stars": 1])
    try await save("r4", ["type": 5, "f_\(long)1": 1, "f_\(long)2": 2, "f_record_name": "mine"])
    try await makeViews()
    try await save(
      "s1", ["type": "Note", "f_stars": "many", "f_when": ["t", "soon"], "f_data": ["b", "?"]])
    try await save(
      "s2", ["type": "Note", "f_stars": ["i", "7"], "f_when": ["t", "1e300"], "f_data": 5])
    #expect(
      try await rows("select record_name, stars, \"when\", data from \(schema).\"Note\" order by 1")
        == [
          [
            "record_name": "r1", "stars": 3, "when": "2001-01-01T00:00:00.5+00:00",
            "data": "\\x00ff",
          ],
          ["record_name": "s1", "stars": nil, "when": nil, "data": nil],
          ["record_name": "s2", "stars": 7, "when": nil, "data": nil],
        ])
    let odd = try await rows("select * from \(schema).\"5\"")
    let values = odd[0]?.objectValue?.map(\.value) ?? []
    #expect(
      values.count == 4 && values.contains(1) && values.contains(2) && values.contains("mine"))
  }

  @Test func rightsStayWhenViewsAreMadeOnceMore() async throws {
    let reader = try #require(URL(string: try await TestServer.role())?.user())
    try await save("r1", ["type": "Note", "f_stars": 3])
    try await makeViews()
    _ = try await connection.value("grant select on \(schema).\"Note\" to \(reader)", [])
    func hasRight() async throws -> Bool {
      let ask = "select has_table_privilege($1, $2, 'select')"
      return try await connection.value(ask, [reader, "\(schema).\"Note\""]) == "t"
    }
    // A property that is new, one whose type is another, and nothing.
    for (name, fields) in [
      ("r2", ["type": "Note", "f_a": 1]), ("r3", ["type": "Note", "f_stars": "many"]),
      ("r4", ["type": "Other"]),
    ] as [(String, JSONObject)] {
      try await save(name, fields)
      try await makeViews()
      #expect(try await hasRight(), "\(name)")
    }
    #expect(
      try await rows("select record_name, stars from \(schema).\"Note\" order by 1") == [
        ["record_name": "r1", "stars": "3"], ["record_name": "r2", "stars": nil],
        ["record_name": "r3", "stars": "many"],
      ])
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
    // The later edit wins, on any machine.
    try client.update("Note", row, ["title": "later"])
    try await client.engine.sync()
    #expect(try client.values("Note", "title") == ["later", "born"])
    #expect(client.engine.status.problems.isEmpty)
  }
}
