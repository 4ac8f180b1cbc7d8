import Foundation
import SyncCore
import TestSupport
import Testing

@testable import SyncCloud

/// The lock of a zone's counter has changes appear in the order of their numbers. Without it the
/// same tests fail, so they would notice.
@Suite(.timeLimit(.minutes(10)), .server(.database)) struct PostgreSQLOrderTests {
  /// Two writers that overlap, and a reader that follows: the writer that comes first commits
  /// first, and the reader asks for changes before the other has committed too.
  ///
  /// - Parameter edit: Makes other functions of ours; they get a database of their own.
  /// - Returns: The records that the reader is shown.
  private func shown(_ edit: ((String) -> String)? = nil) async throws -> [String] {
    var text = try await TestServer.role()
    if let edit {
      let name = "d" + UUID().uuidString.lowercased().replacing("-", with: "")
      _ = try TestServer.install(edit(PostgreSQLTransport.schema), in: name)
      text = text.replacing("/kinto", with: "/\(name)")
    }
    let address = try PostgreSQLAddress(text)
    let (first, second) = (
      PostgreSQLConnection(address, timeout: 60), PostgreSQLConnection(address, timeout: 60)
    )
    func save(_ name: String, on connection: PostgreSQLConnection) async throws {
      let saves = "[{\"op\": \"create\", \"name\": \"\(name)\", \"content\": {}}]"
      _ = try await connection.value(
        "select syncstack.save('tests/private/z', $1::jsonb)", [saves], isRepeatable: false)
    }
    let reader = try PostgreSQLTransport(text, app: "tests", timeout: 60)
    _ = try await reader.open(CloudZone("z"), create: true)
    var names: [String] = []
    var token: CloudToken?
    func read() async throws {
      let page = try await reader.changes(in: CloudZone("z"), after: token, limit: 10)
      names += page.records.map(\.name)
      token = page.token
    }
    let process = try await second.value("select pg_backend_pid()", [])
    for connection in [first, second] { _ = try await connection.value("begin", []) }
    try await save("early", on: first)
    async let late: Void = save("late", on: second)
    while try await TestServer.run(
      "select wait_event_type from pg_stat_activity where pid = $1::integer", process) != "Lock"
    {
      await Task.yield()
    }
    try await read()
    #expect(names == [])
    _ = try await first.value("commit", [])
    try await late
    try await read()
    _ = try await second.value("commit", [])
    try await read()
    return names
  }

  private func withoutLock(_ functions: String) -> String {
    functions.replacing("where z.id = found.id for update;", with: "where z.id = found.id;")
  }

  @Test func aNumberThatWasDrawnLaterAppearsLater() async throws {
    #expect(try await shown() == ["early", "late"])
  }

  @Test func withoutTheLockNoNumberIsDrawnTwice() async throws {
    #expect(withoutLock(PostgreSQLTransport.schema) != PostgreSQLTransport.schema)
    await #expect {
      _ = try await shown(withoutLock)
    } throws: {
      "\($0)".contains("record_change")
    }
  }

  @Test func withoutTheLockAndTheIndexATokenPassesOverAChange() async throws {
    let names = try await shown {
      withoutLock($0).replacing(
        "create unique index if not exists record_change", with: "create index record_change")
    }
    #expect(names == ["early"])
  }
}
