public import Foundation
import SyncCore

// Where Foundation is built without the system's own networking, that is a module of its own.
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A Kinto server (https://docs.kinto-storage.org), version 1 of its API.
///
/// ```swift
/// let server = KintoTransport(url, app: "demo", signIn: .password("ann", password))
/// ```
///
/// | here | there |
/// |---|---|
/// | private zone | a collection in a bucket of its own per app and account |
/// | public zone | a collection in a bucket per app, which everybody may read |
/// | generation | member `generation` of the collection's data, drawn when it is made |
/// | tag | `last_modified` of the record |
/// | token | the largest `last_modified` that was read; the feed is read again from 5 s before that, because a server
/// with several workers may commit an earlier change later |
///
/// A batch in which any part says 409 or 5xx is not believed at all: a server on PostgreSQL rolls back parts that it
/// has said were done.
public final class KintoTransport: CloudTransport {
  /// Who asks.
  public enum SignIn: Sendable, Hashable {
    /// Name and password of an account.
    case password(String, String)

    /// A token that the server takes as `Authorization: Bearer`.
    case token(String)

    var header: String {
      switch self {
      case .password(let name, let password):
        "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
      case .token(let token): "Bearer \(token)"
      }
    }
  }

  private let base: String
  private let app: String
  private let authorization: String
  private let client: HTTPClient

  /// What the root of the server says, once it was asked.
  private let root = Locked<Root?>(nil)

  private struct Root: Sendable {
    let account: String?
    let batch: Int

    /// Whether the server takes no changes at all.
    let isReadOnly: Bool
  }

  /// Makes a transport; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - url: Address of the server; `/v1` is added when it is missing.
  ///   - app: Keeps programs on one server apart. Letters, digits, `-` and `_`.
  ///   - signIn: Who asks.
  ///   - timeout: Seconds until an unanswered request fails.
  public init(_ url: URL, app: String, signIn: SignIn, timeout: Double = 30) {
    var text = url.absoluteString
    while text.hasSuffix("/") { text.removeLast() }
    base = text.hasSuffix("/v1") ? text : text + "/v1"
    self.app = app
    authorization = signIn.header
    client = HTTPClient(timeout: timeout)
  }

  // MARK: - Account and limits

  public func account() async throws -> String {
    root.withLock { $0 = nil }
    guard let account = try await readRoot().account else { throw KintoAnswer.notSignedIn }
    return account
  }

  public func limits() async throws -> CloudLimits {
    CloudLimits(batch: try await readRoot().batch, page: KintoTransport.page)
  }

  /// Records in a page: a server in memory looks through all of them for each page.
  private static let page = 2000

  private func readRoot() async throws -> Root {
    if let known = root.withLock({ $0 }) { return known }
    let answer = try await send("GET", "/")
    guard answer.status != 404 else {
      throw CloudError(
        .unsupported, message: "There is no Kinto server at \(base). Check the address.")
    }
    let json = try answer.json()
    let read = Root(
      account: json["user"]?["id"]?.stringValue,
      batch: (json["settings"]?["batch_max_requests"]?.integerValue).map(Int.init) ?? 25,
      isReadOnly: json["settings"]?["readonly"]?.boolValue ?? false)
    root.withLock { $0 = read }
    return read
  }

  /// Forgets what the server said of its limits; called when it takes less than that.
  func forgetLimits() {
    root.withLock { $0 = nil }
  }

  // MARK: - Zones

  public func open(_ zone: CloudZone, create: Bool) async throws -> CloudZoneState {
    let path = try await path(of: zone)
    var answer = try await send("GET", path)
    if create, answer.isMissing {
      try await make(zone, path)
      answer = try await send("GET", path)
    }
    if answer.isMissing { throw KintoAnswer.missing(zone) }
    let json = try answer.json()
    guard let generation = json["data"]?["generation"]?.stringValue else {
      throw CloudError(
        .unsupported,
        message:
          "The collection \(path) was not made by SyncStack: it has no generation. Use another app name."
      )
    }
    // Who may only read a collection is not shown its permissions, whether or not it may add records of its own: what it
    // may not change is refused record by record.
    let isReadOnly = try await readRoot().isReadOnly
    return CloudZoneState(generation: generation, access: isReadOnly ? .readOnly : .readWrite)
  }

  private func make(_ zone: CloudZone, _ path: String) async throws {
    let bucket = try await bucket(of: zone)
    let guardHeader = ["If-None-Match": "*"]
    let made = try await send("PUT", "/buckets/\(bucket)", headers: guardHeader, body: [:])
    // It is there: made by this account earlier, or by whoever made the public one.
    if made.status != 412, made.status != 403 { try made.check() }
    let permissions: JSONValue =
      zone.scope == .public
      ? ["read": ["system.Everyone"], "record:create": ["system.Authenticated"]] : [:]
    let generation = UUID().uuidString.lowercased()
    let collection = try await send(
      "PUT", path, headers: guardHeader,
      body: ["data": ["generation": .string(generation)], "permissions": permissions])
    if collection.status != 412 { try collection.check() }
  }

  public func remove(_ zone: CloudZone) async throws {
    let answer = try await send("DELETE", try await path(of: zone))
    if !answer.isMissing { try answer.check() }
  }

  private func bucket(of zone: CloudZone) async throws -> String {
    guard zone.scope == .private else { return "\(app)-public" }
    guard let account = try await readRoot().account else { throw KintoAnswer.notSignedIn }
    // FNV-1a, 64 bits: names of buckets may not hold what names of accounts may.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in account.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return "\(app)-\(String(hash, radix: 16))"
  }

  func path(of zone: CloudZone) async throws -> String {
    "/buckets/\(try await bucket(of: zone))/collections/\(zone.name)"
  }

  // MARK: - Requests

  func send(
    _ method: String, _ path: String, headers: [String: String] = [:], body: JSONValue? = nil
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
    return KintoAnswer(try await client.send(request))
  }
}
