import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

// Where Foundation is built without the system's own networking, that is a module of its own.
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Rules of the adapter for Kinto besides the contract of all transports, against a real server.
@Suite(.timeLimit(.minutes(5))) struct KintoTests {
  // MARK: - Requests

  @Test(arguments: TestServer.available(.memory, .postgres))
  func anIdlePullIsARequestWithoutARecord(_ kind: TestServer.Kind) async throws {
    let proxy = try await TestProxy(kind)
    let here = try Client(try proxy.transport())
    try await here.engine.sync()
    for index in 0..<200 { try here.insert("Note", ["title": .string("\(index)")]) }
    try await here.engine.push()
    _ = try await proxy.log()
    // Records that were just sent are not shown again, nor is the account looked at for them.
    #expect(try await here.engine.pull().records == 0)
    for _ in 0..<20 { try await here.engine.sync() }
    let early = try await proxy.log()
    #expect(early.allSatisfy { $0.kind == "changes" })
    // Once the server's clock has passed the latest version by five seconds, one look is the last.
    try await proxy.set(
      Fault("rest", ["mode": "edit", "headers": ["Backoff": "6"]]), of: .changes, times: 1)
    for _ in 0..<2 { #expect(try await here.engine.pull().records == 0) }
    _ = try await proxy.log()
    for _ in 0..<20 { try await here.engine.sync() }
    let idle = try await proxy.log()
    #expect(idle.count == 20)
    #expect(idle.allSatisfy { $0.status == 304 && !$0.condition.isEmpty && $0.records == 0 })
    // And later changes come.
    let there = try Client(try proxy.plain())
    try await there.engine.pull()
    try there.insert("Note", ["title": "there"])
    try await there.engine.push()
    #expect(try await here.engine.pull().records == 1)
    try await settle([here, there], fresh: try proxy.plain())
  }

  @Test(.server(.memory)) func whatOthersWroteBetweenOnesOwnIsRead() async throws {
    let proxy = try await TestProxy()
    let there = try Client(try proxy.plain())
    try await there.engine.sync()
    let number = Locked(0)
    let transport = FaultyTransport(try proxy.transport()) { _ in
      let title = number.withLock { number in
        number += 1
        return "there \(number)"
      }
      try there.insert("Note", ["title": .string(title)])
      try await there.engine.push()
    }
    let here = try Client(transport)
    try await here.engine.sync()
    for index in 0..<100 { try here.insert("Note", ["title": .string("\(index)")]) }
    #expect(try await here.engine.push().sent == 100)
    #expect(try await here.engine.pull().inserted == 4)
    try await settle([here, there], fresh: try proxy.plain())
  }

  // MARK: - Waiting

  @Test(.server(.memory), arguments: ["3600", "99999999999999999999", "86400.5"])
  func aLongWaitIsNotSleptOut(_ seconds: String) async throws {
    let proxy = try await TestProxy()
    let here = try Client(try proxy.transport(), retry: RetryPolicy())
    try await here.engine.sync()
    try here.insert("Note", ["title": "a"])
    try await proxy.set(.answer(503, headers: ["Retry-After": .string(seconds)]), of: .batch)
    let began = ContinuousClock.now
    let error = await #expect(throws: CloudError.self) { try await here.engine.sync() }
    #expect(error?.code == .busy)
    let date = try #require(error?.retryDate)
    #expect((3500...86_401).contains(date.timeIntervalSinceNow))
    #expect(try #require(error?.message).contains("until 20"))
    try await proxy.clear()
    _ = try await proxy.log()
    // Nor is the server asked before.
    for call in [{ _ = try await here.engine.pull() }, { _ = try await here.engine.push() }] {
      let again = await #expect(throws: CloudError.self) { try await call() }
      #expect(again?.code == .busy && again?.retryDate != nil)
    }
    #expect(try await proxy.log().isEmpty)
    #expect(here.engine.status.waiting == 1)
    #expect(began.duration(to: .now) < .seconds(300))
  }

  @Test(.server(.memory)) func backoffOnAGoodAnswerIsKept() async throws {
    let proxy = try await TestProxy()
    let here = try Client(try proxy.transport(), retry: RetryPolicy())
    try await here.engine.sync()
    try await proxy.set(
      Fault("backoff", ["mode": "edit", "headers": ["Backoff": "1"]]), of: .changes, times: 1)
    // The second that the server asks for begins with its answer, which comes later than this.
    let began = ContinuousClock.now
    try await here.engine.pull()
    try await here.engine.pull()
    #expect(began.duration(to: .now) >= .seconds(1))
    try await proxy.set(
      Fault("backoff", ["mode": "edit", "headers": ["Backoff": "7200"]]), of: .changes, times: 1)
    try await here.engine.pull()
    await expectError(.busy) { try await here.engine.pull() }
  }

  @Test(.server(.memory)) func tooManyRequestsAreGivenUpInTheTimeThatWasPromised() async throws {
    let proxy = try await TestProxy()
    let here = try Client(
      try proxy.transport(), retry: RetryPolicy(attempts: 5, delay: 0.01, longestDelay: 2))
    try await here.engine.sync()
    try here.insert("Note", ["title": "a"])
    try await proxy.set(.answer(429, headers: ["Retry-After": "1"]), of: .batch)
    await expectError(.busy) { try await here.engine.push() }
    #expect(try await proxy.log().filter { $0.kind == "batch" }.count <= 3)
  }

  // MARK: - Lines

  @Test(.server(.memory)) func aRefusedRedirectIsAnErrorEachTime() async throws {
    let proxy = try await TestProxy()
    let transport = try proxy.transport()
    for target in ["http://localhost:1/v1/", "/v1/", "/elsewhere", "https://example.invalid/"] {
      for status: Int64 in [301, 302, 303, 307, 308] {
        try await proxy.set(.answer(status, headers: ["Location": .string(target)]))
        await expectError(.redirected) { try await transport.account() }
      }
    }
  }

  @Test(.server(.memory)) func aSlowLineIsNoDeadOne() async throws {
    let proxy = try await TestProxy()
    let there = try Client(try proxy.plain())
    for index in 0..<40 {
      try there.insert(
        "Note",
        ["title": .string("\(index)"), "text": .string(String(repeating: "x", count: 5000))])
    }
    try await there.engine.push()
    // The whole answer takes longer than the timeout, which leaves the server seconds for its first byte.
    try await proxy.set(Fault("slow", ["mode": "slow", "rate": 25_000]), of: .changes)
    let fresh = try Client(
      try proxy.transport(timeout: 5), retry: RetryPolicy(attempts: 3, delay: 0))
    let began = ContinuousClock.now
    #expect(try await fresh.engine.pull().inserted == 40)
    #expect(began.duration(to: .now) > .seconds(5))
  }

  @Test func pagesThatDoNotComeAreAskedForSmaller() async throws {
    let server = MemoryTransport(limits: CloudLimits(batch: 200, page: 400))
    let there = try Client(server)
    for index in 0..<400 { try there.insert("Note", ["title": .string("\(index)")]) }
    try await there.engine.push()
    let sizes = NarrowTransport.Sizes()
    let here = try Client(NarrowTransport(server, most: 60, sizes: sizes))
    #expect(try await here.engine.pull().inserted == 400)
    #expect(sizes.all.withLock { Array($0.prefix(5)) } == [400, 200, 100, 50, 50])
    #expect(sizes.all.withLock { $0.count } == 11)
  }

  @Test(.server(.memory), arguments: ["close", "lost", "early", "cut"])
  func aConnectionThatEndsIsNoticedAtOnce(_ mode: String) async throws {
    let proxy = try await TestProxy()
    let transport = try proxy.transport(timeout: 600)
    let zone = CloudZone(.private)
    _ = try await transport.open(zone, create: true)
    try await transport.create("a", ["type": "Note"], in: zone)
    try await proxy.set(.line(mode))
    let began = ContinuousClock.now
    for _ in 0..<3 {
      await expectError(.unreachable) { try await transport.account() }
    }
    try await proxy.set(.line(mode), of: .batch)
    for size in [10, 300_000] {
      _ = try await transport.account()
      let text = JSONValue.string(String(repeating: "x", count: size))
      await expectError(.unreachable) {
        try await transport.save([.create(name: "b", content: ["f_text": text])], in: zone)
      }
    }
    #expect(began.duration(to: .now) < .seconds(300))
  }

  @Test func aClosedPortFailsAtOnceAndSaysSo() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:1"))
    let here = try Client(
      try KintoTransport(url, app: "tests", signIn: .password("a", "b")),
      retry: RetryPolicy(attempts: 5, delay: 100, longestDelay: 100))
    let error = await #expect(throws: CloudError.self) { try await here.engine.sync() }
    #expect(error?.code == .unreachable)
    #expect(try #require(error?.message).contains("There is no answer from 127.0.0.1:1"))
  }

  // MARK: - Names and addresses

  @Test(arguments: [
    "", "Meine App", "a/b", "-a", "_a", "ä", "a.b", String(repeating: "a", count: 300),
  ])
  func aNameOfAnAppThatCanBeNoneIsRefusedWhenItIsGiven(_ app: String) throws {
    let url = try #require(URL(string: "http://127.0.0.1:1"))
    let error = #expect(throws: CloudError.self) {
      try KintoTransport(url, app: app, signIn: .password("a", "b"))
    }
    #expect(error?.code == .unsupported && error?.message.contains("“\(app)”") == true)
    #expect(throws: CloudError.self) {
      try KintoTransport(URL(filePath: "/tmp"), app: "a", signIn: .password("a", "b"))
    }
    #expect(throws: CloudError.self) {
      try KintoTransport(url, app: "a", signIn: .password("a:b", "c"))
    }
    _ = try KintoTransport(url, app: "My_app-2", signIn: .token("x"))
  }

  @Test(
    .server(.memory), arguments: [#"{"hello": "world"}"#, "[]", "{}", #"{"user": {"id": "x"}}"#])
  func aServerOfJSONThatIsNoKintoIsNotAQuestionOfThePassword(_ body: String) async throws {
    let proxy = try await TestProxy()
    try await proxy.set(.answer(200, body: body))
    let error = await #expect(throws: CloudError.self) {
      try await proxy.transport().account()
    }
    #expect(error?.code != .notSignedIn)
    #expect(try #require(error?.message).contains("Kinto"))
  }

  /// Rights that another account may have given on a bucket whose name can be guessed.
  @Test(
    .server(.memory),
    arguments: [
      #"{}"#, #"{"permissions":{"write":["ME"]}}"#,
      #"{"permissions":{"write":["system.Everyone"]}}"#,
      #"{"permissions":{"collection:create":["ME"],"read":["ME"]}}"#,
    ])
  func privateDataNeverGoIntoAnotherAccountsBucket(_ permissions: String) async throws {
    let proxy = try await TestProxy()
    let here = try Client(try proxy.transport())
    try here.insert("Note", ["title": "secret"])
    let bucket = try await Self.bucket(of: proxy)
    let other = try await TestServer.account(on: proxy.server)
    try await Self.put(
      "buckets/\(bucket)", permissions.replacing("ME", with: "account:\(proxy.account)"),
      as: other, on: proxy.server)
    let error = await #expect(throws: CloudError.self) { try await here.engine.sync() }
    #expect(error?.code == .notOwner, "\(String(describing: error))")
    #expect(try await proxy.log().allSatisfy { $0.kind != "batch" })
    #expect(here.engine.status.waiting == 1)
  }

  @Test(.server(.memory), arguments: ["buckets/BUCKET", "buckets/BUCKET/collections/private"])
  func aBucketThatOthersMayReadIsRefused(_ path: String) async throws {
    let proxy = try await TestProxy()
    let here = try Client(try proxy.transport())
    try here.insert("Note", ["title": "a"])
    try await here.engine.sync()
    let bucket = try await Self.bucket(of: proxy)
    try await Self.put(
      path.replacing("BUCKET", with: bucket), #"{"permissions":{"read":["system.Authenticated"]}}"#,
      as: proxy.account, on: proxy.server, method: "PATCH")
    try here.insert("Note", ["title": "b"])
    let again = try Client(try proxy.transport())
    try again.insert("Note", ["title": "b"])
    await expectError(.notOwner) { try await again.engine.sync() }
  }

  private static func bucket(of proxy: TestProxy) async throws -> String {
    let account = "account:\(proxy.account)"
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in account.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return "tests-\(String(hash, radix: 16))"
  }

  private static func put(
    _ path: String, _ body: String, as account: String, on server: URL, method: String = "PUT"
  ) async throws {
    var request = URLRequest(url: server.appending(path: "v1/\(path)"))
    request.httpMethod = method
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    let credentials = Data("\(account):\(TestServer.password)".utf8).base64EncodedString()
    request.setValue("Basic \(credentials)", forHTTPHeaderField: "Authorization")
    request.httpBody = Data(body.utf8)
    let (_, response) = try await URLSession.shared.data(for: request)
    #expect([200, 201].contains((response as? HTTPURLResponse)?.statusCode))
  }

  // MARK: - Numbers

  @Test(
    .server(.memory),
    arguments: ["9223372036854775807", "-5", "0", "1e300", "99999999999999999999999"])
  func anyNumberOfRecordsInABatchIsOne(_ number: String) async throws {
    let proxy = try await TestProxy()
    try await proxy.set(
      Fault(
        "batch",
        [
          "mode": "edit", "find": #""batch_max_requests":25"#,
          "replace": .string(#""batch_max_requests":\#(number)"#),
        ]), of: .root)
    let limits = try await proxy.transport().limits()
    #expect((1...100_000).contains(limits.batch))
    let here = try Client(try proxy.transport())
    for index in 0..<20 { try here.insert("Note", ["title": .string("\(index)")]) }
    try await here.engine.sync()
    #expect(here.engine.status.waiting == 0)
  }

  @Test(arguments: [
    ("0", 0), ("17", 17), ("0.5", 0.5), ("1e30", nil), ("inf", nil), ("nan", nil), ("-1", nil),
    ("", nil),
    (".", nil), ("99999999999999999999999999", 86_400), ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
    ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400),
  ])
  func secondsOfHeadersAreANumberOrADate(_ text: String, _ seconds: Double?) {
    #expect(Seconds.parse(text) == seconds)
  }

  @Test(arguments: [Double.infinity, .nan, -1, 1e300])
  func noNumberOfSecondsTraps(_ seconds: Double) {
    let retry = RetryPolicy(attempts: .max, delay: seconds, longestDelay: seconds)
    #expect((0...86_400).contains(retry.wait(before: 64)) && retry.patience <= 86_400_000)
    let after = CloudError(.busy, message: "", retryAfter: seconds).retryAfter
    #expect(after.map { (0...86_400).contains($0) } == true)
  }
}

/// A line on which large pages do not arrive.
private struct NarrowTransport: RelayingTransport {
  let inner: any CloudTransport
  let most: Int
  let sizes: Sizes

  final class Sizes: Sendable {
    let all = Locked<[Int]>([])
  }

  init(_ inner: any CloudTransport, most: Int, sizes: Sizes) {
    (self.inner, self.most, self.sizes) = (inner, most, sizes)
  }

  func changes(in zone: CloudZone, after token: CloudToken?, limit: Int) async throws -> CloudPage {
    sizes.all.withLock { $0.append(limit) }
    if limit > most { throw CloudError(.unreachable, message: "It did not come.") }
    return try await inner.changes(in: zone, after: token, limit: limit)
  }
}
