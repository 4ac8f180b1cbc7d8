import Foundation
import TestSupport
import Testing

@testable import SyncCloud

/// The lock of a zone's counter has changes appear in the order of their numbers. Without it the
/// same tests fail, so they would notice.
@Suite(.timeLimit(.minutes(5)), .server(.database)) struct PostgreSQLOrderTests {
  /// Two writers that overlap, and a reader that follows: the writer that comes first commits
  /// first, and the reader asks for changes before the other has committed too.
  ///
  /// - Parameter edit: Makes other functions of ours. They get a database of their own, and wait for
  ///   a lock as long as a busy machine may need until the other writer commits.
  /// - Returns: The records that the reader is shown.
  private func shown(_ edit: (String) -> String = { $0 }) async throws -> [String] {
    let name = "d" + UUID().uuidString.lowercased().replacing("-", with: "")
    let functions = edit(PostgreSQLTransport.schema)
      .replacing("lock_timeout = '10s'", with: "lock_timeout = '10min'")
    _ = try TestServer.install(functions, in: name)
    let text = try await TestServer.role().replacing("/kinto", with: "/\(name)")
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
    let process = try #require(try await second.value("select pg_backend_pid()", []))
    for connection in [first, second] { _ = try await connection.value("begin", []) }
    try await save("early", on: first)
    async let late: Void = save("late", on: second)
    _ = try await TestServer.run(untilItWaits(process))
    try await read()
    #expect(names == [])
    _ = try await first.value("commit", [])
    try await late
    try await read()
    _ = try await second.value("commit", [])
    try await read()
    return names
  }

  /// A statement that ends when a process waits for a lock, as the server sees it: questions of a
  /// test may be as far apart as the tests beside it let them.
  private func untilItWaits(_ process: String) -> String {
    """
    do $$ begin
      for attempt in 1..6000 loop
        perform pg_stat_clear_snapshot();
        exit when exists (
          select from pg_stat_activity where pid = \(process) and wait_event_type = 'Lock');
        perform pg_sleep(0.05);
      end loop;
    end $$
    """
  }

  private func withoutLock(_ functions: String) -> String {
    functions.replacing("where z.id = found.id for update;", with: "where z.id = found.id;")
  }

  @Test func aNumberThatWasDrawnLaterAppearsLater() async throws {
    #expect(try await shown() == ["early", "late"])
  }

  @Test func withoutTheLockNoNumberIsDrawnTwice() async throws {
    #expect(withoutLock(PostgreSQLTransport.schema) != PostgreSQLTransport.schema)
    await #expect { _ = try await shown(withoutLock) } throws: { "\($0)".contains("record_change") }
  }

  @Test func withoutTheLockAndTheIndexATokenPassesOverAChange() async throws {
    let names = try await shown {
      withoutLock($0).replacing(
        "create unique index if not exists record_change", with: "create index record_change")
    }
    #expect(names == ["early"])
  }
}
