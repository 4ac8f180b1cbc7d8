import Foundation
import Measuring
import SyncCloud
import SyncStack

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A push and a pull with Kinto, beside plain requests that post the same bodies and fetch the same
/// pages and do nothing with the answers. Each plain request follows the engine's, so that both
/// meet the same load; the bodies go to an account of their own.
struct KintoTrial {
  let url: URL
  let records: Int
  private let password = "secret"

  init(url: URL, records: Int) {
    self.url = url
    self.records = records
  }

  func run() async throws {
    try await withFolder { folder in
      let user = try await account()
      let mirror = try await postingPlainly()
      let beside = BesideTransport(try transport(of: user), post: mirror)
      let here = try Machine(folder, "here", beside)
      try await here.fill(records)
      let push = try await measure { try await here.cloud.push() }
      tell("push", "posting the same bodies", push, await beside.plain)
      let pages = try await fetchingPlainly(as: user)
      let second = BesideTransport(try transport(of: user), fetch: pages)
      let there = try Machine(folder, "there", second)
      let pull = try await measure { try await there.cloud.pull() }
      tell("pull", "fetching the same pages", pull, await second.plain)
    }
  }

  private func transport(of user: String) throws -> KintoTransport {
    try KintoTransport(url, app: "benchmark", signIn: .password(user, password))
  }

  private func tell(
    _ name: String, _ other: String, _ both: (elapsed: Double, processor: Double),
    _ plain: (elapsed: Double, processor: Double)
  ) {
    let (elapsed, processor) = (both.elapsed - plain.elapsed, both.processor - plain.processor)
    say(
      "\(name) of \(records): \(rounded(elapsed, 2)) s, \(other) \(rounded(plain.elapsed, 2)) s: "
        + "\(rounded(elapsed / plain.elapsed, 2)) times as long, \(rounded(elapsed - plain.elapsed, 2)) s more; processor time "
        + "here \(rounded(processor, 2)) and \(rounded(plain.processor, 2)) s")
  }

  private func account() async throws -> String {
    let name = "u-\(UUID().uuidString.lowercased())"
    _ = try await send(
      "PUT", "accounts/\(name)", as: nil, Data(#"{"data":{"password":"\#(password)"}}"#.utf8))
    return name
  }

  /// Posts batches to an account of its own.
  private func postingPlainly() async throws -> @Sendable ([CloudSave]) async throws -> Plain {
    let user = try await account()
    let collection = "buckets/plain-\(user)/collections/private"
    _ = try await send("PUT", "buckets/plain-\(user)", as: user, Data("{}".utf8))
    _ = try await send("PUT", collection, as: user, Data("{}".utf8))
    return { saves in
      let requests = saves.map { save -> JSONValue in
        [
          "method": "PUT", "path": .string("/v1/\(collection)/records/\(save.name)"),
          "headers": ["If-None-Match": "*"], "body": ["data": .object(save.content)],
        ]
      }
      let body = (["requests": .array(requests)] as JSONValue).data()
      return { _ = try await send("POST", "batch", as: user, body) }
    }
  }

  /// Fetches the pages that an account has pushed, one after the other.
  private func fetchingPlainly(as user: String) async throws -> [Plain] {
    let buckets = try JSONValue(parsing: try await send("GET", "buckets", as: user, nil))
    let names = buckets["data"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
    guard let bucket = names.first(where: { $0.hasPrefix("benchmark-") }) else {
      throw MeasuringError("The bucket of the push is not there.")
    }
    let path = "buckets/\(bucket)/collections/private/records?_sort=last_modified&_limit=2000"
    var since = 0
    var pages: [Plain] = []
    // Where each page begins is found before the clock starts.
    for _ in 0..<(records + 1999) / 2000 {
      let place = since
      pages.append { _ = try await send("GET", "\(path)&_since=\(place)", as: user, nil) }
      let page = try JSONValue(
        parsing: try await send("GET", "\(path)&_since=\(since)", as: user, nil))
      since = Int(page["data"]?.arrayValue?.last?["last_modified"]?.integerValue ?? 0)
    }
    return pages
  }

  private func send(
    _ method: String, _ path: String, as user: String?, _ body: Data?
  ) async throws -> Data {
    guard let address = URL(string: "\(url.absoluteString)/v1/\(path)") else {
      throw MeasuringError("\(path) is no path.")
    }
    var request = URLRequest(url: address)
    request.httpMethod = method
    request.httpBody = body
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    if let user {
      let pair = Data("\(user):\(password)".utf8).base64EncodedString()
      request.setValue("Basic \(pair)", forHTTPHeaderField: "Authorization")
    }
    let (data, response) = try await URLSession.shared.data(for: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard (200..<300).contains(status) else {
      throw MeasuringError(
        "\(method) \(path): \(status) \(String(decoding: data.prefix(200), as: UTF8.self))")
    }
    return data
  }
}

/// A plain request, with everything made that it needs.
private typealias Plain = @Sendable () async throws -> Void

/// Lets a plain request follow each batch and each page.
private actor BesideTransport: CloudTransport {
  /// The times of the plain requests.
  private(set) var plain = (elapsed: 0.0, processor: 0.0)
  private let inner: KintoTransport
  private let post: (@Sendable ([CloudSave]) async throws -> Plain)?
  private let pages: [Plain]
  private var page = 0

  init(
    _ inner: KintoTransport, fetch pages: [Plain] = [],
    post: (@Sendable ([CloudSave]) async throws -> Plain)? = nil
  ) {
    self.inner = inner
    self.post = post
    self.pages = pages
  }

  private func follow(_ request: @escaping Plain) async throws {
    let time = try await measure(request)
    plain.elapsed += time.elapsed
    plain.processor += time.processor
  }

  func account() async throws -> String { try await inner.account() }
  func limits() async throws -> CloudLimits { try await inner.limits() }
  func open(_ zone: CloudZone, create: Bool) async throws -> CloudZoneState {
    try await inner.open(zone, create: create)
  }
  func changes(in zone: CloudZone, after token: CloudToken?, limit: Int) async throws -> CloudPage {
    let result = try await inner.changes(in: zone, after: token, limit: limit)
    if pages.indices.contains(page) { try await follow(pages[page]) }
    page += 1
    return result
  }
  func save(_ saves: [CloudSave], in zone: CloudZone) async throws -> [CloudSaveResult] {
    let result = try await inner.save(saves, in: zone)
    if let post { try await follow(try await post(saves)) }
    return result
  }
  func remove(_ zone: CloudZone) async throws { try await inner.remove(zone) }
}
