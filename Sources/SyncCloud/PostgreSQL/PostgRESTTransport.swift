public import Foundation
import SyncCore

// Where Foundation is built without the system's own networking, that is a module of its own.
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The functions of ``PostgreSQLTransport/schema`` behind PostgREST (https://docs.postgrest.org),
/// for apps that reach a database by HTTP only.
///
/// ```swift
/// let server = try PostgRESTTransport(url, app: "demo") { try await session.accessToken() }
/// ```
///
/// The account is the claim `sub` of the token. PostgREST has to expose the schema `syncstack` (its
/// setting `db-schemas`), and its role to be listed in `syncstack.gateway`.
public final class PostgRESTTransport: CloudTransport {
  private let functions: StoredFunctions

  /// Makes a transport; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - url: Where PostgREST answers, without `/rpc`.
  ///   - app: Keeps programs in one database apart. Letters, digits, `-` and `_`, the first of them
  ///     a letter or digit.
  ///   - timeout: Seconds of silence after which a request fails.
  ///   - token: Gives the bearer token. It is asked before the first request, and once more when
  ///     the server does not take the one that it gave.
  /// - Throws: ``CloudError`` with ``CloudError/Code/unsupported`` when one of them can be none.
  public init(
    _ url: URL, app: String, timeout: Double = 30,
    token: @escaping @Sendable () async throws -> String
  ) throws {
    guard ["http", "https"].contains(url.scheme?.lowercased()), url.host()?.isEmpty == false else {
      throw CloudError(
        .unsupported,
        message:
          "“\(url.absoluteString)” is no address of PostgREST: https://api.example.com is one.")
    }
    functions = try StoredFunctions(
      app: app, PostgRESTCaller(url, token, HTTPClient(timeout: timeout)))
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
}

/// Calls functions by `POST /rpc/…`.
private final class PostgRESTCaller: StoredFunctionCaller {
  private let url: URL
  private let token: @Sendable () async throws -> String
  private let client: HTTPClient
  private let known = Locked<String?>(nil)

  init(_ url: URL, _ token: @escaping @Sendable () async throws -> String, _ client: HTTPClient) {
    (self.url, self.token, self.client) = (url, token, client)
  }

  func call(
    _ function: String, _ arguments: JSONObject, isRepeatable: Bool
  ) async throws -> JSONValue {
    var request = URLRequest(url: url.appending(path: "rpc/\(function)"))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    request.setValue("syncstack", forHTTPHeaderField: "Content-Profile")
    request.httpBody = JSONValue.object(arguments).data()
    let last = known.withLock { $0 }
    var answer = try await send(request, last)
    // A request that was refused at the door has changed nothing, so it may be sent again.
    if answer.status == 401, last != nil { answer = try await send(request, nil) }
    guard (200..<300).contains(answer.status) else { throw Self.error(answer) }
    if answer.body.isEmpty { return .null }
    guard let json = try? JSONValue(parsing: answer.body) else { throw StoredFunctions.unreadable }
    return json
  }

  private func send(_ request: URLRequest, _ last: String?) async throws -> HTTPClient.Answer {
    let bearer: String
    if let last { bearer = last } else { bearer = try await token() }
    known.withLock { $0 = bearer }
    var request = request
    request.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization")
    return try await client.send(request)
  }

  /// https://docs.postgrest.org/en/stable/references/errors.html
  private static func error(_ answer: HTTPClient.Answer) -> CloudError {
    let json = try? JSONValue(parsing: answer.body)
    let message = json?["message"]?.stringValue ?? "status \(answer.status)"
    let seconds = answer.header("Retry-After").flatMap(Seconds.parse)
    switch (json?["code"]?.stringValue, answer.status) {
    case (let code?, _) where code.hasPrefix("PGRST3"):
      return CloudError(.notSignedIn, message: "PostgREST does not accept the token. (\(message))")
    case ("PGRST106", _), ("PGRST202", _), ("PGRST205", _):
      return CloudError(
        .unsupported,
        message:
          "PostgREST does not show the functions of SyncStack: install them (syncstack cloud install-sql), and add "
          + "syncstack to its db-schemas. (\(message))", isClosed: true)
    case (let code?, _) where code.hasPrefix("PGRST0"):
      return CloudError(
        .unreachable,
        message: "PostgREST does not reach its database. Sync again later. (\(message))",
        retryAfter: seconds)
    case (let code?, _) where code.utf8.count == 5:
      return PostgreSQLFailure(state: code, message: message).error
    case (_, 401):
      return CloudError(.notSignedIn, message: "The token is not accepted. (\(message))")
    case (_, 403):
      return CloudError(.forbidden, message: "The account may not do that. (\(message))")
    case (_, 413):
      return CloudError(.tooLarge, message: "The server takes no request of that size.")
    case (_, 429), (_, 503):
      return CloudError(.busy, message: "The server is busy. (\(message))", retryAfter: seconds)
    default:
      return CloudError(
        .unreachable,
        message: "PostgREST did not answer as it should. Sync again later. (\(message))",
        retryAfter: seconds)
    }
  }
}
