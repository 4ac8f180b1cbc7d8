import Foundation
import TestSupport
import Testing

@testable import SyncCloud

extension TestServer {
  /// A transport for an account of its own.
  static func transport(
    _ kind: Kind, account: String = "u-\(UUID().uuidString.lowercased())"
  ) async throws -> KintoTransport {
    let url = try address(kind)
    let name = try await TestServer.account(account, on: url)
    return try KintoTransport(url, app: "tests", signIn: .password(name, password), timeout: 120)
  }

  /// Those that can be had here.
  static func available(_ kinds: Kind...) -> [Kind] { kinds.filter { isAvailable($0) } }

  /// A server of a kind, for an account of its own.
  static func server(_ kind: Kind) async throws -> any CloudTransport {
    kind == .database ? try await database() : try await transport(kind)
  }

  /// Where a role of its own signs in to PostgreSQL.
  ///
  /// - Parameter settings: Its settings, as in `default_transaction_isolation = serializable`.
  static func role(_ settings: String? = nil) async throws -> String {
    let name = "u" + UUID().uuidString.lowercased().replacing("-", with: "")
    try await run("create role \(name) login password '\(password)'")
    if let settings { try await run("alter role \(name) set \(settings)") }
    return try address(.database).absoluteString.replacing("kinto@", with: "\(name):\(password)@")
      + "/kinto"
  }

  /// Runs a statement as the owner of the database.
  @discardableResult
  static func run(_ statement: String, _ arguments: String?...) async throws -> String? {
    let address = try PostgreSQLAddress(try address(.database).absoluteString)
    return try await PostgreSQLConnection(address, timeout: 240).value(statement, arguments)
  }

  /// PostgreSQL itself, for a role of its own.
  static func database(_ settings: String? = nil) async throws -> PostgreSQLTransport {
    try PostgreSQLTransport(try await role(settings), app: "tests", timeout: 60)
  }
}

extension Trait where Self == ConditionTrait {
  /// Runs the test where the server can be had; see `TestServer.isAvailable`.
  static func server(_ kind: TestServer.Kind) -> Self {
    .enabled("no server: the output says why") { TestServer.isAvailable(kind) }
  }

  /// Runs the test where the companion of a database can be had.
  static func server(_ companion: TestServer.Companion) -> Self {
    .enabled("no server: the output says why") { TestServer.isAvailable(companion) }
  }
}
