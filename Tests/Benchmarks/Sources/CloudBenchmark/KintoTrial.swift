import Foundation
import SyncCloud
import SyncStack

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A push and a pull with Kinto, beside plain loops that post the same bodies and fetch the same pages and do nothing
/// with them. The loops have an account of their own.
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
      let kept = KeepingTransport(
        KintoTransport(url, app: "benchmark", signIn: .password(user, password)))
      let here = try Machine(folder, "here", kept)
      try await here.fill(records)
      let push = try await measure { try await here.cloud.push() }
      let bodies = await kept.saves
      let plainPush = try await posting(bodies)
      say(
        "push of \(records): \(rounded(push.elapsed, 2)) s, posting the same bodies \(rounded(plainPush.elapsed, 2)) s, "
          + "\(rounded(push.elapsed / plainPush.elapsed, 2)) times as long; processor time here "
          + "\(rounded(push.processor, 2)) and \(rounded(plainPush.processor, 2)) s")
      let there = try Machine(
        folder, "there",
        KintoTransport(url, app: "benchmark", signIn: .password(user, password)))
      let pull = try await measure { try await there.cloud.pull() }
      let plainPull = try await fetching(as: user)
      say(
        "pull of \(records): \(rounded(pull.elapsed, 2)) s, fetching the same pages \(rounded(plainPull.elapsed, 2)) s, "
          + "\(rounded(pull.elapsed - plainPull.elapsed, 2)) s more; processor time here "
          + "\(rounded(pull.processor, 2)) and \(rounded(plainPull.processor, 2)) s")
    }
  }

  private func account() async throws -> String {
    let name = "u-\(UUID().uuidString.lowercased())"
    _ = try await send(
      "PUT", "accounts/\(name)", as: nil, Data(#"{"data":{"password":"\#(password)"}}"#.utf8))
    return name
  }

  private func posting(
    _ batches: [[CloudSave]]
  ) async throws -> (elapsed: Double, processor: Double) {
    let user = try await account()
    let collection = "buckets/plain-\(user)/collections/private"
    _ = try await send("PUT", "buckets/plain-\(user)", as: user, Data("{}".utf8))
    _ = try await send("PUT", collection, as: user, Data("{}".utf8))
    let bodies = batches.map { saves in
      let requests = saves.map { save -> JSONValue in
        [
          "method": "PUT", "path": .string("/v1/\(collection)/records/\(save.name)"),
          "headers": ["If-None-Match": "*"], "body": ["data": .object(save.content)],
        ]
      }
      return (["requests": .array(requests)] as JSONValue).data()
    }
    return try await measure {
      for body in bodies { _ = try await send("POST", "batch", as: user, body) }
    }
  }

  private func fetching(
    as user: String
  ) async throws -> (elapsed: Double, processor: Double) {
    let buckets = try JSONValue(parsing: try await send("GET", "buckets", as: user, nil))
    let names = buckets["data"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
    guard let bucket = names.first(where: { $0.hasPrefix("benchmark-") }) else {
      throw BenchmarkError("The bucket of the push is not there.")
    }
    let path = "buckets/\(bucket)/collections/private/records?_sort=last_modified&_limit=2000"
    var since = 0
    let pages = (records + 1999) / 2000
    var places: [Int] = []
    // Where each page begins is found before the clock starts.
    for _ in 0..<pages {
      places.append(since)
      let page = try JSONValue(
        parsing: try await send("GET", "\(path)&_since=\(since)", as: user, nil))
      since = Int(page["data"]?.arrayValue?.last?["last_modified"]?.integerValue ?? 0)
    }
    return try await measure {
      for place in places { _ = try await send("GET", "\(path)&_since=\(place)", as: user, nil) }
    }
  }

  private func send(
    _ method: String, _ path: String, as user: String?, _ body: Data?
  ) async throws -> Data {
    guard let address = URL(string: "\(url.absoluteString)/v1/\(path)") else {
      throw BenchmarkError("\(path) is no path.")
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
      throw BenchmarkError(
        "\(method) \(path): \(status) \(String(decoding: data.prefix(200), as: UTF8.self))")
    }
    return data
  }
}

/// Keeps what is sent.
private actor KeepingTransport: CloudTransport {
  private(set) var saves: [[CloudSave]] = []
  private let inner: KintoTransport

  init(_ inner: KintoTransport) { self.inner = inner }

  func account() async throws -> String { try await inner.account() }
  func limits() async throws -> CloudLimits { try await inner.limits() }
  func open(_ zone: CloudZone, create: Bool) async throws -> CloudZoneState {
    try await inner.open(zone, create: create)
  }
  func changes(
    in zone: CloudZone, after token: CloudToken?, limit: Int
  ) async throws -> CloudPage {
    try await inner.changes(in: zone, after: token, limit: limit)
  }
  func save(_ saves: [CloudSave], in zone: CloudZone) async throws -> [CloudSaveResult] {
    self.saves.append(saves)
    return try await inner.save(saves, in: zone)
  }
  func remove(_ zone: CloudZone) async throws { try await inner.remove(zone) }
}
