import Foundation
import SyncStack
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A record of a collection that knows nothing of SyncStack.
final class Chore: ManagedObject {
  @PrimaryKey var id: String?
  @Attribute var title: String?
  @Attribute var done: Bool?
  @Attribute(remoteKey: "last_modified") var version: Int64?
}

/// Sending to a real server of others: plain collections of Kinto, with keys and versions of its
/// own.
@Suite(.enabled("no server: the output says why") { TestServer.isAvailable(.memory) })
struct KintoCollectionTests {
  @Test func keysVersionsConflictsAndDeletionsOfARealServer() async throws {
    let collection = try await KintoCollection(on: TestServer.address(.memory))
    let stack = try DataStack.tracking(Chore.self)
    let outbox = try Outbox(stack, name: "kinto")
    outbox.send(Chore.self) { try await collection.send($0) }

    try await stack.edit { for number in 0..<20 { Chore(context: $0).title = "\(number)" } }
    #expect(try await outbox.send().accepted == 20)
    let first = try await collection.records()
    #expect(first.count == 20)
    try await stack.edit { context in
      let tasks = try context.fetch(Fetch<Chore>())
      #expect(tasks.allSatisfy { $0.id != nil && $0.version != nil })
      tasks[0].title = "edited"
      tasks[1].done = true
      context.delete(tasks[2])
    }
    // Another client edits one of them, and deletes another.
    let keys = try await stack.performBackgroundTask { context in
      try context.fetch(Fetch<Chore>()).compactMap(\.id)
    }
    try await collection.edit(keys[1], ["data": ["title": "theirs"]])
    let report = try await outbox.send()
    #expect(report.accepted == 3 && report.refused == 0, "\(report)")
    let records = try await collection.records()
    #expect(records.count == 19)
    #expect(records[keys[0]]?["title"] == "edited")
    #expect(records[keys[1]]?["title"] == "theirs")
    #expect(records[keys[1]]?["done"] == true)
    let here = try await stack.performBackgroundTask { context in
      try context.fetch(Fetch<Chore>("id == %@", keys[1])).first?.title
    }
    #expect(here == "theirs")

    try await collection.delete(keys[0])
    try await stack.edit { try $0.fetch(Fetch<Chore>("id == %@", keys[0])).first?.done = true }
    #expect(try await outbox.send().refused == 1)
    #expect(try outbox.refused.first?.key == .string(keys[0]))
  }

  /// An outbox with so many new objects for a collection.
  private func outbox(of count: Int, _ collection: KintoCollection) async throws -> Outbox {
    let stack = try DataStack.tracking(Chore.self)
    let outbox = try Outbox(stack, name: "kinto")
    outbox.send(Chore.self) { try await collection.send($0) }
    try await stack.edit { for number in 0..<count { Chore(context: $0).title = "\(number)" } }
    return outbox
  }

  /// Kinto has no limit of its own to requests: administrators set one before it.
  @Test func a429OfAProxyBeforeKintoIsObeyed() async throws {
    let server = try TestServer.startProxy(of: TestServer.address(.memory))
    let collection = try await KintoCollection(on: server)
    let outbox = try await outbox(of: 20, collection)
    outbox.retry = RetryPolicy(attempts: 5, delay: 0, longestDelay: 1)
    try await collection.fault(429, ["Retry-After": "0"], times: 3)
    let report = try await outbox.send()
    #expect(report.accepted == 20 && report["Chore"].sent == 23, "\(report)")
    #expect(try await collection.records().count == 20)

    let later = try await self.outbox(of: 20, collection)
    try await collection.fault(429, ["Retry-After": "3600"])
    #expect(try await later.send().stopReason == "Status 429.")
    let asked = try later.pending.filter { $0.date.map { $0.timeIntervalSinceNow > 3000 } ?? false }
    #expect((1...8).contains(asked.count))
    try await collection.fault(nil)
    #expect(try await later.send().accepted == 20 - asked.count)
    #expect(try later.pending.count == asked.count)
    for item in try later.pending { try later.retry(item) }
    #expect(try await later.send().accepted == asked.count)
    #expect(try await collection.records().count == 40)
  }

  @Test(arguments: ["Retry-After", "Backoff"])
  func a503OfAProxyBeforeKintoIsObeyed(_ header: String) async throws {
    let server = try TestServer.startProxy(of: TestServer.address(.memory))
    let collection = try await KintoCollection(on: server)
    let outbox = try await outbox(of: 1, collection)
    try await collection.fault(503, [header: "3600"])
    #expect(try await outbox.send().waiting == 1)
    #expect(try outbox.pending.first?.date.map { $0.timeIntervalSinceNow > 3000 } == true)
  }

  @Test(.enabled("no server: the output says why") { TestServer.isAvailable(.postgres) })
  func kintoWithoutItsDatabaseIsAskedAgainWhenItSays() async throws {
    let server = try TestServer.startOwn()
    defer { try? TestServer.stop(server) }
    let collection = try await KintoCollection(on: server)
    let outbox = try await outbox(of: 10, collection)
    // It asks for a second, and more than half of one is not waited for.
    outbox.retry = RetryPolicy(attempts: 5, delay: 0, longestDelay: 0.5)
    try TestServer.setDatabase(false, of: server)
    #expect(try await outbox.send().stopReason == "Status 503.")
    #expect(try outbox.pending.contains { $0.date != nil })
    try TestServer.setDatabase(true, of: server)
    for item in try outbox.pending { try outbox.retry(item) }
    #expect(try await outbox.send().accepted == 10)
    #expect(try await collection.records().count == 10)
  }
}

extension OutboxItem {
  /// Before when it is not sent.
  fileprivate var date: Date? {
    switch state {
    case .waiting(let date), .unanswered(let date): date
    case .refused: nil
    }
  }
}

/// One collection with an account of its own.
private struct KintoCollection: Sendable {
  private let server: URL
  private let url: URL
  private let authorization: String

  init(on server: URL) async throws {
    self.server = server
    let name = try await TestServer.account("u-\(UUID().uuidString.lowercased())", on: server)
    authorization = "Basic " + Data("\(name):\(TestServer.password)".utf8).base64EncodedString()
    let bucket = server.appending(path: "v1/buckets/b-\(UUID().uuidString.lowercased())")
    url = bucket.appending(path: "collections/tasks")
    for folder in [bucket, url] { _ = try await call("PUT", folder) }
  }

  func send(_ change: OutboxChange) async throws -> OutboxAnswer {
    let records = url.appending(path: "records")
    var members = change.changedJSON.objectValue ?? JSONObject()
    members["last_modified"] = nil
    let body = JSONValue.object(["data": .object(members)])
    var headers: [String: String] = [:]
    if case .integer(let version)? = change.json.objectValue?["last_modified"] {
      headers["If-Match"] = "\"\(version)\""
    }
    let (data, response) =
      switch change.kind {
      case .insert: try await call("POST", records, body)
      case .update: try await call("PATCH", records.appending(path: change.id), body, headers)
      case .delete: try await call("DELETE", records.appending(path: change.id), nil, headers)
      }
    if (response as? HTTPURLResponse)?.statusCode == 412 {
      return OutboxAnswer(data, response, at: "details.existing")
    }
    return OutboxAnswer(data, response, at: "data")
  }

  /// Has the proxy before the server answer so many of the requests that make records, or all; nil
  /// ends that.
  func fault(_ status: Int?, _ headers: JSONValue = [:], times: Int? = nil) async throws {
    guard let status else {
      _ = try await call("DELETE", server.appending(path: "__fault__"))
      return
    }
    var fault: JSONObject = [
      "kind": "changes", "mode": "answer", "status": .integer(Int64(status)), "headers": headers,
    ]
    if let times { fault["times"] = .integer(Int64(times)) }
    _ = try await call("PUT", server.appending(path: "__fault__"), .object(fault))
  }

  func edit(_ key: String, _ body: JSONValue) async throws {
    _ = try await call("PATCH", url.appending(path: "records/\(key)"), body)
  }

  func delete(_ key: String) async throws {
    _ = try await call("DELETE", url.appending(path: "records/\(key)"))
  }

  func records() async throws -> [String: JSONValue] {
    let (data, _) = try await call("GET", url.appending(path: "records"))
    let list = try JSONValue(parsing: data)["data"]?.arrayValue ?? []
    return Dictionary(list.map { ($0["id"]?.stringValue ?? "", $0) }) { first, _ in first }
  }

  private func call(
    _ method: String, _ url: URL, _ body: JSONValue? = nil, _ headers: [String: String] = [:]
  ) async throws -> (Data, URLResponse) {
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body?.data
    request.setValue(authorization, forHTTPHeaderField: "Authorization")
    if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    return try await URLSession.shared.data(for: request)
  }
}
