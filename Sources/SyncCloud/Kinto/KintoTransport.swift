public import Foundation
import SyncCore

// Where Foundation is built without the system's own networking, that is a module of its own.
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A Kinto server (https://docs.kinto-storage.org), version 1 of its API.
///
/// ```swift
/// let server = try KintoTransport(url, app: "demo", signIn: .password("ann", password))
/// ```
///
/// | here | there |
/// |---|---|
/// | private zone | a collection in a bucket of its own per app and account, into which no other account may look |
/// | public zone | a collection in a bucket per app, which everybody may read |
/// | participants | accounts that may read the collection; see `KintoTransport+Sharing.swift`. The name alone will do: `ann` is `account:ann` |
/// | generation | member `generation` of the collection's data, drawn when it is made |
/// | tag | `last_modified` of the record |
/// | token | a time up to which everything is known, and the versions after it that are known; see `FeedPlace` |
///
/// A batch in which any part says 409 or 5xx is not believed at all: a server on PostgreSQL rolls
/// back parts that it has said were done.
public final class KintoTransport: CloudTransport {
  /// The credentials of the account.
  public enum SignIn: Sendable {
    /// Name and password of an account.
    case password(String, String)

    /// A token that the server takes as `Authorization: Bearer`.
    case token(String)

    /// The credentials that a closure gives: it is asked before the first request, and once more
    /// whenever the server does not accept them any more. When the new ones are refused, too, that
    /// is ``CloudError/Code/notSignedIn``.
    case renewed(@Sendable () async throws -> SignIn)
  }

  private let base: String
  private let app: String
  private let credentials: KintoCredentials
  private let client: HTTPClient

  /// The server as far as it is known.
  let known = Locked(Known())

  struct Known: Sendable {
    /// The answer of its root, once it was asked.
    var root: Root?

    /// Buckets of which it was seen that they are the account's alone.
    var owned: Set<String> = []

    /// The names of the collections that have the records of zones; nil is the zone's own.
    var places: [CloudZone: String?] = [:]
    var restsUntil: ContinuousClock.Instant?
  }

  struct Root: Sendable {
    let account: String?
    let batch: Int

    /// Whether the server takes no changes at all.
    let isReadOnly: Bool
  }

  /// Makes a transport; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - url: Address of the server; `/v1` is added when it is missing.
  ///   - app: Keeps programs on one server apart. Letters, digits, `-` and `_`, the first of them a
  ///     letter or digit.
  ///   - signIn: The credentials of the account.
  ///   - timeout: Seconds of silence after which a request fails. A slow line is none.
  /// - Throws: ``CloudError`` with ``CloudError/Code/unsupported`` when one of them can be none.
  public init(_ url: URL, app: String, signIn: SignIn, timeout: Double = 30) throws {
    guard ["http", "https"].contains(url.scheme?.lowercased()), url.host()?.isEmpty == false else {
      throw CloudError(
        .unsupported,
        message:
          "“\(url.absoluteString)” is no address of a server: https://sync.example.com is one.")
    }
    try AppName.check(app)
    if case .password(let name, _) = signIn, name.contains(":") {
      throw CloudError(
        .unsupported, message: "“\(name)” cannot be the name of an account: it has a colon in it.")
    }
    var text = url.absoluteString
    while text.hasSuffix("/") { text.removeLast() }
    base = text.hasSuffix("/v1") ? text : text + "/v1"
    self.app = app
    credentials = KintoCredentials(signIn)
    client = HTTPClient(timeout: timeout)
  }

  // MARK: - Account and limits

  public func account() async throws -> String {
    known.withLock { $0.root = nil }
    guard let account = try await readRoot().account else { throw KintoAnswer.notSignedIn }
    return account
  }

  public func limits() async throws -> CloudLimits {
    CloudLimits(batch: try await readRoot().batch, page: KintoTransport.page)
  }

  /// Records in a page: a server in memory looks through all of them for each page.
  private static let page = 2000

  func readRoot() async throws -> Root {
    if let root = known.withLock({ $0.root }) { return root }
    // The root answers an account that it does not know all the same, without a name.
    let answer = try await send("GET", "/") { $0.status == 401 || $0.isAnonymous }
    let json: JSONValue = answer.status == 404 ? .null : try answer.json()
    guard json["settings"]?.objectValue != nil || json["http_api_version"]?.stringValue != nil
    else {
      throw CloudError(
        .unsupported, message: "The server at \(base) is no Kinto server. Check the address.")
    }
    let read = Root(
      account: json["user"]?["id"]?.stringValue,
      batch: (json["settings"]?["batch_max_requests"]?.integerValue).map { Int(clamping: $0) }
        ?? 25,
      isReadOnly: json["settings"]?["readonly"]?.boolValue ?? false)
    known.withLock { $0.root = read }
    return read
  }

  /// Forgets the limits that the server named; called when it takes less than that.
  func forgetLimits() {
    known.withLock { $0.root = nil }
  }

  // MARK: - Places

  func bucket(of zone: CloudZone) async throws -> String {
    guard zone.scope == .private else { return "\(app)-public" }
    var owner = zone.owner
    if owner == nil { owner = try await readRoot().account }
    guard let account = owner else { throw KintoAnswer.notSignedIn }
    // FNV-1a, 64 bits: names of buckets allow fewer characters than names of accounts.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in account.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return "\(app)-\(String(hash, radix: 16))"
  }

  // MARK: - Requests

  /// - Parameter isRefused: Whether an answer says that the credentials are not accepted.
  func send(
    _ method: String, _ path: String, headers: [String: String] = [:], body: JSONValue? = nil,
    isRefused: (KintoAnswer) -> Bool = { $0.status == 401 }
  ) async throws -> KintoAnswer {
    let authorization = try await credentials.header(refused: nil)
    let answer = try await send(method, path, headers, body, authorization)
    guard credentials.areRenewed, isRefused(answer) else { return answer }
    let renewed = try await credentials.header(refused: authorization)
    // They may be those of another account.
    if path != "/" { known.withLock { $0.root = nil } }
    return try await send(method, path, headers, body, renewed)
  }

  private func send(
    _ method: String, _ path: String, _ headers: [String: String], _ body: JSONValue?,
    _ authorization: String
  ) async throws -> KintoAnswer {
    guard let url = URL(string: base + path) else {
      throw CloudError(.unsupported, message: "“\(base + path)” is no address.")
    }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.setValue(authorization, forHTTPHeaderField: "Authorization")
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    if let body {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = body.data()
    }
    let began = ContinuousClock.now
    let answer = KintoAnswer(try await client.send(request), after: began.duration(to: .now))
    if let seconds = answer.header("Backoff").flatMap(Seconds.parse), seconds > 0 {
      known.withLock { $0.restsUntil = .now + .seconds(seconds) }
    }
    return answer
  }

  public var restsUntil: ContinuousClock.Instant? { known.withLock { $0.restsUntil } }
}
