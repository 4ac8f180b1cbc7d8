import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Refusals of PostgreSQL that pass by themselves do not halt an engine; the others give advice.
@Suite(.timeLimit(.minutes(5)), .server(.database)) struct PostgreSQLRefusalTests {
  private let name = "d" + UUID().uuidString.lowercased().replacing("-", with: "")

  /// The error of an account that signs in to a database of this test.
  private func refusal(
    _ prepare: (_ role: String) async throws -> Void
  ) async throws -> CloudError {
    let address = try await TestServer.role()
    try await prepare(try #require(URL(string: address)?.user()))
    let transport = try PostgreSQLTransport(
      address.replacing("/kinto", with: "/\(name)"), app: "tests", timeout: 60)
    let error = await #expect(throws: CloudError.self) { try await transport.account() }
    return try #require(error)
  }

  @Test func tooManyConnectionsOfARoleAreBusy() async throws {
    try await TestServer.run("create database \(name)")
    let error = try await refusal {
      try await TestServer.run("alter role \($0) connection limit 0")
    }
    #expect(error.code == .busy && !error.needsPerson, "\(error)")
  }

  @Test func tooManyConnectionsOfADatabaseAreBusy() async throws {
    try await TestServer.run("create database \(name) connection limit 0")
    let error = try await refusal { _ in }
    #expect(error.code == .busy && !error.needsPerson, "\(error)")
  }

  @Test func aDatabaseThatTakesNoConnectionsIsUnreachable() async throws {
    try await TestServer.run("create database \(name) allow_connections false")
    let error = try await refusal { _ in }
    #expect(error.code == .unreachable && !error.needsPerson, "\(error)")
  }

  @Test func aRightToConnectThatIsMissingIsNamed() async throws {
    try await TestServer.run("create database \(name)")
    try await TestServer.run("revoke connect on database \(name) from public")
    let error = try await refusal { _ in }
    #expect(
      error.code == .forbidden && "\(error)".contains("grant connect on database"), "\(error)")
  }

  /// The same engine before, meanwhile and afterwards.
  @Test func aDatabaseThatIsDroppedAndRestoredIsUnreachableMeanwhile() async throws {
    _ = try TestServer.install(PostgreSQLTransport.schema, in: name)
    let address = try await TestServer.role().replacing("/kinto", with: "/\(name)")
    let transport = try PostgreSQLTransport(address, app: "tests", timeout: 240, listens: false)
    let client = try Client(transport, retry: RetryPolicy(attempts: 1, delay: 0))
    try client.insert("Note", ["title": "a"])
    try await client.engine.sync()
    let copy = name + "copy"
    try await TestServer.run(
      "select count(pg_terminate_backend(pid, 20000)) from pg_stat_activity where datname = $1",
      name)
    try await TestServer.run("create database \(copy) template \(name)")
    try await TestServer.run("drop database \(name) with (force)")
    try client.insert("Note", ["title": "b"])
    func error() async throws -> CloudError {
      try #require(await #expect(throws: CloudError.self) { try await client.engine.sync() })
    }
    let dropped = try await error()
    #expect(dropped.code == .unreachable && !dropped.needsPerson, "\(dropped)")
    // It is there again, and its functions are not yet.
    try await TestServer.run("create database \(name)")
    let empty = try await error()
    #expect(!empty.needsPerson && "\(empty)".contains("install-sql"), "\(empty)")
    try await TestServer.run("drop database \(name) with (force)")
    try await TestServer.run("alter database \(copy) rename to \(name)")
    #expect(try await client.engine.sync().push.sent == 1)
    #expect(client.engine.status.problems.isEmpty)
  }

  @Test(
    arguments: [
      (#"FATAL: too many connections for role "ann""#, "53300"),
      (#"FATAL: too many connections for database "sync""#, "53300"),
      ("FATAL: sorry, too many clients already", "53300"),
      ("FATAL: remaining connection slots are reserved for roles with SUPERUSER", "53300"),
      (#"FATAL: database "role "x"" does not exist"#, "3D000"),
      (#"FATAL: role "ann" does not exist"#, "28000"),
      (#"FATAL: role "ann" is not permitted to log in"#, "28000"),
      (#"FATAL: database "sync" is not currently accepting connections"#, "57P03"),
      (#"FATAL: permission denied for database "sync""#, "42501"),
      ("FATAL: the database system is in recovery mode", "57P03"),
      ("FATAL: the database system is not yet accepting connections", "57P03"),
      (#"no pg_hba.conf entry for host "::1", user "ann", database "sync""#, "28000"),
    ])
  func aConnectionThatIsRefusedHasACode(_ text: String, _ state: String) {
    #expect(PostgreSQLFailure.state(ofRefusal: text) == state)
  }
}
