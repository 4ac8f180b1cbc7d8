import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// The rules of every transport. Each rule runs against a zone of its own.
struct TransportContract: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let check: @Sendable (any CloudTransport) async throws -> Void

  init(_ name: String, _ check: @escaping @Sendable (any CloudTransport) async throws -> Void) {
    testDescription = name
    self.check = check
  }

  private static let zone = CloudZone("contract")
  private static let content: JSONObject = ["type": "Note", "f_title": "one"]

  private static func opened(_ transport: any CloudTransport) async throws {
    _ = try await transport.open(zone, create: true)
  }

  private static func saved(
    _ transport: any CloudTransport, _ save: CloudSave
  ) async throws -> CloudRecord {
    let results = try await transport.save([save], in: zone)
    guard case .saved(let record) = results.first else {
      throw CloudError(.unreachable, message: "\(save) gave \(results).")
    }
    return record
  }

  static let rules: [TransportContract] = [
    TransportContract("the account has a name that stays") { transport in
      let first = try await transport.account()
      #expect(!first.isEmpty)
      #expect(try await transport.account() == first)
      #expect(try await transport.limits().batch >= 1)
    },
    TransportContract("a zone that is not made is missing, and keeps its generation once it is") {
      transport in
      await expectError(.zoneMissing) { try await transport.open(zone, create: false) }
      let made = try await transport.open(zone, create: true)
      #expect(made.access == .readWrite)
      #expect(try await transport.open(zone, create: true) == made)
      #expect(try await transport.open(zone, create: false) == made)
    },
    TransportContract("a removed zone is missing, and another one when it is made again") {
      transport in
      let first = try await transport.open(zone, create: true)
      _ = try await saved(transport, .create(name: "r1", content: content))
      try await transport.remove(zone)
      await expectError(.zoneMissing) {
        try await transport.changes(in: zone, after: nil, limit: 10)
      }
      await expectError(.zoneMissing) {
        try await transport.save([.create(name: "r2", content: content)], in: zone)
      }
      try await transport.remove(zone)
      let second = try await transport.open(zone, create: true)
      #expect(second.generation != first.generation)
      #expect(try await transport.changes(in: zone, after: nil, limit: 10).records.isEmpty)
    },
    TransportContract("a created record is shown as it was written") { transport in
      try await opened(transport)
      let record = try await saved(transport, .create(name: "r1", content: content))
      #expect(record.content == content)
      #expect(record.name == "r1")
      let page = try await transport.changes(in: zone, after: nil, limit: 10)
      #expect(page.records == [record])
      #expect(!page.hasMore)
    },
    TransportContract("a record is never created over another one") { transport in
      try await opened(transport)
      let first = try await saved(transport, .create(name: "r1", content: content))
      let results = try await transport.save(
        [.create(name: "r1", content: ["type": "Note", "f_title": "two"])], in: zone)
      #expect(results == [.conflict(first)])
    },
    TransportContract("an update sets members and leaves the others") { transport in
      try await opened(transport)
      let first = try await saved(
        transport, .create(name: "r1", content: ["type": "Note", "f_a": [1, 2], "f_b": "b"]))
      let second = try await saved(
        transport,
        .update(name: "r1", tag: first.tag, content: ["f_a": ["n", "1.5"], "f_c": nil]))
      #expect(second.content == ["type": "Note", "f_a": ["n", "1.5"], "f_b": "b", "f_c": nil])
      #expect(second.tag != first.tag)
    },
    TransportContract("an update and a replacement of another version change nothing") {
      transport in
      try await opened(transport)
      let first = try await saved(transport, .create(name: "r1", content: content))
      let second = try await saved(
        transport, .update(name: "r1", tag: first.tag, content: ["f_title": "two"]))
      let results = try await transport.save(
        [
          .update(name: "r1", tag: first.tag, content: ["f_title": "three"]),
          .replace(name: "r1", tag: first.tag, content: ["type": "Note"]),
        ], in: zone)
      #expect(results == [.conflict(second), .conflict(second)])
    },
    TransportContract("a replacement leaves no other member") { transport in
      try await opened(transport)
      let first = try await saved(transport, .create(name: "r1", content: content))
      let second = try await saved(
        transport, .replace(name: "r1", tag: first.tag, content: ["type": "Note", "d": "x"]))
      #expect(second.content == ["type": "Note", "d": "x"])
    },
    TransportContract("what is not there is missing") { transport in
      try await opened(transport)
      let results = try await transport.save(
        [
          .update(name: "r9", tag: "1", content: content),
          .replace(name: "r9", tag: "1", content: content),
        ], in: zone)
      #expect(results == [.missing, .missing])
    },
    TransportContract("a bad name is refused, and the rest of its batch is not") { transport in
      try await opened(transport)
      let results = try await transport.save(
        [.create(name: "_a b", content: content), .create(name: "r1", content: content)], in: zone)
      guard case .refused(let reason) = results[0], case .saved = results[1] else {
        Issue.record("\(results)")
        return
      }
      #expect(!reason.isEmpty)
    },
    TransportContract("more than the limit is too large") { transport in
      try await opened(transport)
      let limit = try await transport.limits().batch
      let saves = (0...limit).map { CloudSave.create(name: "r\($0)", content: content) }
      await expectError(.tooLarge) { try await transport.save(saves, in: zone) }
      #expect(try await transport.changes(in: zone, after: nil, limit: 10).records.isEmpty)
    },
    TransportContract(
      "pages show every record once and in order, with a change that comes between them"
    ) {
      transport in
      try await opened(transport)
      var tags: [String: String] = [:]
      for index in 0..<7 {
        let save = CloudSave.create(name: "r\(index)", content: content)
        tags["r\(index)"] = try await saved(transport, save).tag
      }
      var names: [String] = []
      var token: CloudToken?
      var hasMore = true
      while hasMore {
        let page = try await transport.changes(in: zone, after: token, limit: 3)
        #expect(page.records.count <= 3)
        names += page.records.map(\.name)
        (token, hasMore) = (page.token, page.hasMore)
        if names.count == 3 {
          // Read already, so it comes once more, at the end.
          _ = try await saved(
            transport, .update(name: "r0", tag: tags["r0"] ?? "", content: ["f_title": "new"]))
        }
      }
      #expect(names == ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r0"])
    },
    TransportContract("a token passes over nothing that comes later") { transport in
      try await opened(transport)
      _ = try await saved(transport, .create(name: "r1", content: content))
      let first = try await transport.changes(in: zone, after: nil, limit: 10)
      let idle = try await transport.changes(in: zone, after: first.token, limit: 10)
      #expect(idle.token == first.token)
      let record = try await saved(transport, .create(name: "r2", content: content))
      let page = try await transport.changes(in: zone, after: first.token, limit: 10)
      #expect(page.records.contains(record))
    },
    TransportContract("a token knows what its holder has written, and passes over nothing else") {
      transport in
      try await opened(transport)
      let first = try await saved(transport, .create(name: "r1", content: content))
      let page = try await transport.changes(in: zone, after: nil, limit: 10)
      let mine = try await saved(transport, .create(name: "r2", content: content))
      let other = try await saved(transport, .create(name: "r3", content: content))
      let last = try await saved(
        transport, .update(name: "r1", tag: first.tag, content: ["f_title": "two"]))
      let token = transport.token(page.token, knowing: [mine, last])
      let shown = try await transport.changes(in: zone, after: token, limit: 10)
      #expect(shown.records.contains(other))
      let all = transport.token(page.token, knowing: [mine, other, last])
      #expect(try await transport.changes(in: zone, after: all, limit: 10).records.count <= 3)
    },
    TransportContract("a token that is none is refused") { transport in
      try await opened(transport)
      await expectError(.tokenRefused) {
        try await transport.changes(in: zone, after: CloudToken(rawValue: "none"), limit: 10)
      }
    },
    TransportContract("values come back as they were") { transport in
      try await opened(transport)
      let large = "é \u{1F469}\u{200D}\u{1F680} \\ \" / \n" + String(repeating: "x", count: 70_000)
      let content: JSONObject = [
        "type": "Every", "f_a": .string(large), "f_b": .integer(9_007_199_254_740_992),
        "f_c": .double(0.1), "f_d": .bool(true), "f_e": nil, "f_f": .integer(1),
        "f_deleted": true, "f_g": .double(123_456.789e-6), "f_h": ["b", ""],
      ]
      let record = try await saved(transport, .create(name: "r1", content: content))
      #expect(record.content == content)
    },
  ]
}

@Suite(.timeLimit(.minutes(5))) struct TransportContractTests {
  @Test(arguments: TransportContract.rules)
  func aServerInMemoryKeepsTheContract(_ rule: TransportContract) async throws {
    try await rule.check(MemoryTransport(limits: CloudLimits(batch: 25, page: 100)))
  }

  @Test(arguments: TransportContract.rules)
  func theExampleOfTheDocumentationKeepsTheContract(_ rule: TransportContract) async throws {
    try await rule.check(ShelfTransport())
  }

  @Test func theExampleIsTheOneOfTheDocumentation() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let example = try String(
      contentsOf: folder.appending(path: "ShelfTransport.swift"), encoding: .utf8)
    let start = try #require(example.range(of: "actor ShelfTransport")).lowerBound
    let page = try Self.page()
    let isThere = page.contains(Self.withoutSpace(example[start...]))
    #expect(isThere, "The page has another example than ShelfTransport.swift.")
  }

  /// The page breaks lines where its column ends, so spaces do not count.
  private static func page() throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = root.appending(path: "Sources/SyncStack/Documentation.docc/RemoteSync.md")
    return withoutSpace(try String(contentsOf: page, encoding: .utf8))
  }

  private static func withoutSpace(_ text: some StringProtocol) -> String {
    String(text.filter { !$0.isWhitespace })
  }

  /// The page is compiled in Swift 6 mode, comments are not.
  @Test func theExampleOfTheEngineIsTheOneOfTheDocumentation() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try Self.page()
    let engine = try String(
      contentsOf: root.appending(path: "Sources/SyncCloud/Engine/CloudEngine.swift"),
      encoding: .utf8)
    let lines = engine.split(separator: "\n").drop { $0 != "/// ```swift" }.dropFirst()
      .prefix { $0 != "/// ```" }.map { line in
        line.dropFirst(4).prefix { $0 != "/" }.trimmingCharacters(in: .whitespaces)
      }
    #expect(lines.count > 4)
    for line in lines where !line.isEmpty {
      let isThere = page.contains(Self.withoutSpace(line))
      #expect(isThere, "\(line)")
    }
  }

  @Test(.server(.memory), .serialized, arguments: TransportContract.rules)
  func kintoInMemoryKeepsTheContract(_ rule: TransportContract) async throws {
    try await rule.check(try await TestServer.transport(.memory))
  }

  /// One account for all: with one for each rule the only worker of the server did not answer in
  /// time under load. Each rule has a zone of its own, because it begins with none.
  @Test(.server(.postgres)) func kintoOnPostgreSQLKeepsTheContract() async throws {
    let transport = try await TestServer.transport(.postgres)
    for rule in TransportContract.rules {
      try await rule.check(transport)
      try await transport.remove(CloudZone("contract"))
    }
  }

  /// Foundation on Linux never calls back for such an answer unless a delegate takes the challenge.
  @Test(.server(.memory)) func aWrongPasswordIsAnErrorAtOnce() async throws {
    let url = try TestServer.address(.memory)
    let transport = try KintoTransport(url, app: "tests", signIn: .password("nobody", "wrong"))
    await expectError(.notSignedIn) {
      try await transport.open(CloudZone("any", scope: .public), create: false)
    }
  }
}
