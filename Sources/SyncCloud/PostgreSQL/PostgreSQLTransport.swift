import Dispatch
import Foundation
import SyncCore

/// A PostgreSQL database, version 13 or later, in which the functions of ``schema`` are installed.
///
/// ```swift
/// let server = try PostgreSQLTransport("postgresql://ann@db.example.com/sync?sslmode=verify-full", app: "demo")
/// ```
///
/// | here | there |
/// |---|---|
/// | account | the role that signs in |
/// | private zone | a row of `syncstack.zone`, which functions show its owner alone |
/// | public zone | one that every role may read and add to |
/// | participants | rows of `syncstack.member`; functions show them the zone |
/// | tag | the number of the change that the record was written by |
/// | token | the zone's generation, and the number of a change |
///
/// It calls PostgreSQL's client library, libpq, which is looked for when it is first used. TLS,
/// certificates, `.pgpass` and the environment's `PGPASSWORD` are libpq's. No error repeats the
/// password. Statements are neither prepared nor is anything set for the session, so a pooler in
/// transaction mode may stand in between.
///
/// Calls may come from any task; they follow each other on one connection.
public final class PostgreSQLTransport: CloudTransport {
  private let functions: StoredFunctions
  private let address: PostgreSQLAddress
  private let timeout: Double
  private let listens: Bool

  /// Makes a transport; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - connection: Address or parameters as libpq reads them.
  ///   - app: Keeps programs in one database apart. Letters, digits, `-` and `_`, the first of them
  ///     a letter or digit.
  ///   - timeout: Seconds of silence after which a call fails, and the statement is ended: the server
  ///     has neither answered nor sent more of its answer. To connect takes at least two, for each
  ///     host that the address names.
  ///   - listens: Whether to be told of changes at once, over a connection of its own. A pooler in
  ///     transaction mode passes no signals on: say false behind one, so that an engine that was
  ///     started asks more often.
  /// - Throws: ``CloudError`` with ``CloudError/Code/unsupported`` when one of them can be none,
  ///   and where libpq is not installed.
  public init(
    _ connection: String, app: String, timeout: Double = 30, listens: Bool = true
  ) throws {
    address = try PostgreSQLAddress(connection)
    functions = try StoredFunctions(app: app, PostgreSQLCaller(address, timeout: timeout))
    self.timeout = timeout
    self.listens = listens
  }

  /// The SQL that makes the functions, or brings them up to date; for `psql` and for migrations.
  public static var schema: String {
    String(decoding: PackageResources.syncstack_sql, as: UTF8.self)
  }

  public func account() async throws -> String { try await functions.account() }

  public func limits() async throws -> CloudLimits { try await functions.limits() }

  public func open(_ zone: CloudZone, create: Bool) async throws -> CloudZoneState {
    try await functions.open(zone, create: create)
  }

  public func changes(
    in zone: CloudZone, after token: CloudToken?, limit: Int
  ) async throws -> CloudPage {
    try await functions.changes(in: zone, after: token, limit: limit)
  }

  public func record(_ name: String, in zone: CloudZone) async throws -> CloudRecord? {
    try await functions.record(name, in: zone)
  }

  public func save(_ saves: [CloudSave], in zone: CloudZone) async throws -> [CloudSaveResult] {
    try await functions.save(saves, in: zone)
  }

  public func remove(_ zone: CloudZone) async throws { try await functions.remove(zone) }

  public func participants(of zone: CloudZone) async throws -> [CloudParticipant] {
    try await functions.participants(of: zone)
  }

  public func setParticipants(_ participants: [CloudParticipant], of zone: CloudZone) async throws {
    try await functions.setParticipants(participants, of: zone)
  }

  public func leave(_ zone: CloudZone) async throws { try await functions.leave(zone) }

  /// A signal each time that an account has written into a zone, by `LISTEN`. The stream ends when
  /// the connection is lost, or the server is silent for twice the timeout.
  public func signals(for zone: CloudZone) -> AsyncStream<Void>? {
    #if os(Windows)
      nil
    #else
      guard listens else { return nil }
      return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
        let listener = PostgreSQLListener(address, silence: timeout, continuation)
        let task = Task { [functions] in
          // The next call for the zone throws the error; without a channel the stream has no
          // signals.
          guard let channel = try? await functions.channel(of: zone) else {
            return continuation.finish()
          }
          listener.listen(on: channel)
        }
        continuation.onTermination = { _ in
          task.cancel()
          listener.end()
        }
      }
    #endif
  }
}

/// Calls functions by SQL.
final class PostgreSQLCaller: StoredFunctionCaller {
  private let connection: PostgreSQLConnection

  init(_ address: PostgreSQLAddress, timeout: Double) {
    connection = PostgreSQLConnection(address, timeout: timeout)
  }

  func call(
    _ function: String, _ arguments: JSONObject, isRepeatable: Bool
  ) async throws -> JSONValue {
    // Names of functions and parameters are ours; values travel beside the statement.
    var names: [String] = []
    var values: [String?] = []
    for argument in arguments {
      values.append(Self.text(argument.value))
      names.append("\(argument.key) => $\(values.count)")
    }
    let statement = "select to_json(syncstack.\(function)(\(names.joined(separator: ", "))))"
    let answer = try await connection.value(statement, values, isRepeatable: isRepeatable)
    guard let answer else { return .null }
    guard let json = try? JSONValue(parsing: answer) else { throw StoredFunctions.unreadable }
    return json
  }

  private static func text(_ value: JSONValue) -> String? {
    if value.isNull { return nil }
    return value.stringValue ?? String(decoding: value.data(), as: UTF8.self)
  }
}
