import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Programs and functions of different versions.
@Suite(.timeLimit(.minutes(5)), .server(.database)) struct PostgreSQLInstallTests {
  private let name = "d" + UUID().uuidString.lowercased().replacing("-", with: "")
  private let zone = CloudZone("z")

  /// The functions, of another version.
  private func functions(of version: Int) throws -> String {
    let head = "function syncstack.version() returns integer\nlanguage sql immutable as $$ select "
    let start = try #require(PostgreSQLTransport.schema.range(of: head)).upperBound
    let end = try #require(PostgreSQLTransport.schema[start...].range(of: " $$;")).lowerBound
    return PostgreSQLTransport.schema[..<start] + "\(version)" + PostgreSQLTransport.schema[end...]
  }

  /// Makes the database say another version of itself.
  private func say(_ version: Int, at owner: String) async throws {
    let connection = PostgreSQLConnection(try PostgreSQLAddress(owner), timeout: 60)
    _ = try await connection.value(
      "create or replace function syncstack.version() returns integer language sql immutable as "
        + "'select \(version)'", [])
  }

  @Test func aProgramWorksWithNewerFunctions() async throws {
    _ = try TestServer.install(try functions(of: 1000), in: name)
    let role = try await TestServer.role().replacing("/kinto", with: "/\(name)")
    let transport = try PostgreSQLTransport(role, app: "tests", timeout: 60)
    #expect(try await role.contains(transport.account()))
    _ = try await transport.open(zone, create: true)
    try await transport.create("r1", ["type": "Note"], in: zone)
    #expect(try await transport.changes(in: zone, after: nil, limit: 10).records.count == 1)
  }

  /// Each version as it was: before zones were shared, and before `save` left waking others to
  /// `tell`.
  @Test(arguments: [
    (1, "drop table syncstack.member cascade"), (2, "drop function syncstack.tell(text) cascade"),
  ])
  func ofOlderFunctionsAProgramSaysWhatBringsThemUpToDateAndThatKeepsWhatIsThere(
    _ version: Int, _ loss: String
  ) async throws {
    let owner = try TestServer.install(PostgreSQLTransport.schema, in: name)
    let transport = try PostgreSQLTransport(owner, app: "tests", timeout: 60)
    _ = try await transport.open(zone, create: true)
    try await transport.create("r1", ["type": "Note"], in: zone)
    let connection = PostgreSQLConnection(try PostgreSQLAddress(owner), timeout: 60)
    _ = try await connection.value(loss, [])
    try await say(version, at: owner)
    await #expect {
      _ = try await transport.account()
    } throws: { error in
      (error as? CloudError)?.code == .unsupported
        && "\(error)".contains("syncstack cloud install-sql | psql")
    }
    _ = try TestServer.install(PostgreSQLTransport.schema, in: name)
    _ = try await transport.account()
    try await transport.create("r2", ["type": "Note"], in: zone)
    _ = try await connection.value("select syncstack.tell('tests/private/z')", [])
    let names = try await transport.changes(in: zone, after: nil, limit: 10).records.map(\.name)
    #expect(names == ["r1", "r2"])
  }

  /// Its owner could have put code into it that runs with the rights of the role that installs.
  @Test(arguments: [
    "create schema syncstack authorization %@",
    "create schema syncstack; create function syncstack.version() returns integer language sql as 'select 1'; "
      + "alter function syncstack.version() owner to %@",
    "create schema syncstack; create table syncstack.zone (); alter table syncstack.zone owner to %@",
  ])
  func aSchemaOfAnotherRoleIsRefused(_ made: String) async throws {
    let role = try #require(URL(string: try await TestServer.role())?.user())
    let owner = try TestServer.install("select 1", in: name)
    let connection = PostgreSQLConnection(try PostgreSQLAddress(owner), timeout: 60)
    for statement in made.replacing("%@", with: role).split(separator: "; ") {
      _ = try await connection.value(String(statement), [])
    }
    #expect {
      _ = try TestServer.install(PostgreSQLTransport.schema, in: name)
    } throws: {
      "\($0)".contains("belongs to “\(role)”")
    }
  }

  @Test func aDatabaseThatIsNotUnicodeIsRefused() async throws {
    try await TestServer.run(
      "create database \(name) encoding 'LATIN1' locale 'C' template template0")
    #expect {
      _ = try TestServer.install(PostgreSQLTransport.schema, in: name)
    } throws: {
      "\($0)".contains("LATIN1") && "\($0)".contains("encoding 'UTF8'")
    }
  }

  @Test func olderFunctionsTakeNotThePlaceOfNewerOnes() async throws {
    let owner = try TestServer.install(PostgreSQLTransport.schema, in: name)
    try await say(1000, at: owner)
    #expect {
      _ = try TestServer.install(PostgreSQLTransport.schema, in: name)
    } throws: {
      "\($0)".contains("This database has version 1000") && "\($0)".contains("newer program")
    }
    let connection = PostgreSQLConnection(try PostgreSQLAddress(owner), timeout: 60)
    #expect(try await connection.value("select syncstack.version()", []) == "1000")
  }
}
