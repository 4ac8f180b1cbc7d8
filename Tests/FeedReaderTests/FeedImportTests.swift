import Foundation
import SyncStack
import TestSupport
import Testing

@testable import FeedReader

@Suite(.timeLimit(.minutes(30))) struct FeedImportTests {
  /// Three pages of ten articles each, linked by the document.
  @Sendable private static func threePages(_ request: LoopbackServer.Request) -> Answer {
    let first = (request.page - 1) * 10 + 1
    return .json(
      page(first...first + 9, next: request.page < 3 ? "/?page=\(request.page + 1)" : nil))
  }

  // MARK: - Pages

  @Test(arguments: [FeedImport.Storing.atOnce, .pageByPage])
  func readsAllPagesAndDeletesWhatNoneMentions(_ storing: FeedImport.Storing) async throws {
    let bench = try FeedBench(Self.threePages)
    try await bench.store(25...35)
    let report = try await bench.reading(storing: storing).run()
    #expect(report.pages == 3 && report.inserted == 24 && report.deleted == 5)
    #expect(try await bench.keys() == Array(1...30))
    #expect(bench.server.targets == ["/", "/?page=2", "/?page=3"])
    #expect(bench.waits.with { $0 }.isEmpty)
    let again = try await bench.reading(storing: storing).run()
    #expect(again == FeedReport(pages: 3))
  }

  @Test func followsLinkHeadersAndWhereRedirectionsLead() async throws {
    let bench = try FeedBench { request in
      switch request.path {
      case "/old": .status(301, headers: ["Location": "/new/list"])
      case "/new/list": .json(articles(1...2), headers: ["Link": "<more>; rel=\"next\""])
      case "/new/more": .json(articles(3...4))
      default: .status(404)
      }
    }
    let report = try await bench.reading("/old", items: nil).run()
    #expect(report.pages == 2)
    #expect(try await bench.keys() == [1, 2, 3, 4])
    #expect(bench.server.targets == ["/old", "/new/list", "/new/more"])
  }

  @Test func countsPagesUntilOneIsEmpty() async throws {
    let bench = try FeedBench { request in
      let all = [1...4, 5...8, 9...9]
      return .json(request.page > all.count ? "[]" : articles(all[request.page - 1]))
    }
    let report = try await bench.reading(
      "/all?size=4", paging: .numbers(parameter: "page"), items: nil, storing: .pageByPage
    ).run()
    #expect(report.pages == 4 && report.inserted == 12 && report.deleted == 0)
    #expect(try await bench.keys() == Array(1...9))
    #expect(bench.server.targets.last == "/all?size=4&page=4")
  }

  @Test func whoDependsOnAnImportSeesAllOfIt() async throws {
    let bench = try FeedBench(Self.threePages)
    let reading = try bench.reading()
    let counted = AsynchronousOperation { try await bench.lines().count }
    counted.addDependency(reading)
    let queue = OperationQueue()
    queue.addOperation(counted)
    queue.addOperation(reading)
    let count = try await withCheckedThrowingContinuation { continuation in
      counted.whenFinished { continuation.resume(with: $0) }
    }
    #expect(count == 30)
  }

  @Test func importsOfOneStackKeepEachOtherWhole() async throws {
    let bench = try FeedBench { request in
      let first = request.path == "/a" ? 1 : 101
      return .json(page(first...first + 19))
    }
    async let one = bench.reading("/a").run()
    async let other = bench.reading("/b").run()
    _ = try await (one, other)
    let keys = try await bench.keys()
    #expect(keys == Array(1...20) || keys == Array(101...120))
  }

  // MARK: - Trying again

  @Test func aBusyServerIsAskedAgain() async throws {
    let bench = try FeedBench { request in
      request.page == 2 && request.repetition < 2
        ? .status(request.repetition == 0 ? 500 : 429, headers: ["Retry-After": "7"])
        : Self.threePages(request)
    }
    #expect(try await bench.reading().run().inserted == 33)
    #expect(bench.waits.with { $0 } == [.seconds(7), .seconds(7)])
    #expect(bench.server.targets.filter { $0 == "/?page=2" }.count == 3)
  }

  @Test func aBodyThatBreaksOffIsAskedForAgain() async throws {
    let bench = try FeedBench { request in
      var answer = Self.threePages(request)
      if request.page == 2, request.repetition == 0 {
        let whole = answer.pieces[0]
        answer.announcedLength = whole.count
        answer.pieces = [whole.prefix(200)]
      }
      return answer
    }
    #expect(try await bench.reading().run().inserted == 33)
    #expect(bench.waits.with { $0 } == [.milliseconds(500)])
  }

  @Test func aBodyThatStallsIsAskedForAgain() async throws {
    let barrier = Barrier()
    let bench = try FeedBench { request in
      let answer = Self.threePages(request)
      guard request.page == 3, request.repetition == 0 else { return answer }
      return answer.inPieces(of: 300) { if $0 == 1 { barrier.wait() } }
    }
    // On a machine with much else to do another answer may take longer than that, too.
    #expect(try await bench.reading(timeout: 3).run().inserted == 33)
    #expect(!bench.waits.with { $0 }.isEmpty)
    #expect(bench.server.targets.filter { $0 == "/?page=3" }.count > 1)
    barrier.open()
  }

  @Test func aBodyThatComesSlowlyIsWaitedFor() async throws {
    let bench = try FeedBench { Self.threePages($0).inPieces(of: 3) }
    #expect(try await bench.reading().run().pages == 3)
    #expect(bench.waits.with { $0 }.isEmpty)
  }

  // MARK: - Failures leave the store as it was

  /// Reads a feed that cannot be read.
  private func failure(
    _ bench: FeedBench, _ storing: FeedImport.Storing = .atOnce, items: String? = "items"
  ) async throws -> FeedError? {
    try await bench.store(1...40)
    let before = try await bench.lines()
    let error = await #expect(throws: FeedError.self) {
      try await bench.reading(items: items, storing: storing).run()
    }
    #expect(try await bench.lines() == before)
    return error
  }

  @Test(arguments: [FeedImport.Storing.atOnce, .pageByPage])
  func whatIsNotThereIsAnErrorAtOnce(_ storing: FeedImport.Storing) async throws {
    let bench = try FeedBench { $0.page == 3 ? .status(404) : Self.threePages($0) }
    let error = try await failure(bench, storing)
    #expect(error == .status(404, try #require(bench.server.url("/?page=3"))))
    #expect(error?.description.contains("/?page=3 was answered with status 404") == true)
    #expect(bench.server.targets.count == 3)
    #expect(bench.waits.with { $0 }.isEmpty)
  }

  @Test func aServerThatStaysDownIsGivenUp() async throws {
    let bench = try FeedBench { $0.page == 2 ? .status(503) : Self.threePages($0) }
    let error = try await failure(bench)
    #expect(error == .status(503, try #require(bench.server.url("/?page=2"))))
    #expect(bench.waits.with { $0 } == [500, 1_000, 2_000, 4_000].map { .milliseconds($0) })
  }

  @Test func aServerThatHasGoneIsGivenUp() async throws {
    let bench = try FeedBench(Self.threePages)
    bench.server.stop()
    let error = try await failure(bench)
    guard case .connection(let code, _, _) = error else {
      Issue.record("The server was found, or something else went wrong.")
      return
    }
    #expect(code == .cannotConnectToHost)
    #expect(bench.waits.with { $0 }.count == 4)
  }

  @Test func aBodyThatAlwaysBreaksOffIsGivenUp() async throws {
    let bench = try FeedBench { request in
      var answer = Self.threePages(request)
      if request.page == 2 { answer.announcedLength = 100_000 }
      return answer
    }
    #expect(try await failure(bench)?.isWorthRetrying == true)
    #expect(bench.waits.with { $0 }.count == 4)
  }

  @Test(arguments: [
    #"{"items": [{"id": 1}, {"id": 2, "next": "#, "<html><body>Sign in</body></html>", "",
  ])
  func whatIsNoJSONIsNamed(_ text: String) async throws {
    let bench = try FeedBench { $0.page == 2 ? .json(text) : Self.threePages($0) }
    guard case .unreadable(let url, _) = try await failure(bench, .pageByPage) else {
      Issue.record("It was read all the same.")
      return
    }
    #expect(url.query == "page=2")
    #expect(bench.waits.with { $0 }.isEmpty)
  }

  @Test(arguments: [#"{"error": "none of your business"}"#, #"{"items": {"id": 1}}"#, "[]", "7"])
  func aDocumentWithoutItemsIsNoFeed(_ text: String) async throws {
    let bench = try FeedBench { _ in .json(text) }
    #expect(
      try await failure(bench) == .noItems(try #require(bench.server.url("/")), path: "items"))
  }

  @Test func aFeedWithoutEndIsRefused() async throws {
    let bench = try FeedBench { .json(page(1...2, next: "/?page=\($0.page % 3 + 1)")) }
    let error = try await failure(bench)
    #expect(error == .repeatedPage(try #require(bench.server.url("/?page=2"))))
  }

  @Test func whatTheSyncRefusesIsTheError() async throws {
    let bench = try FeedBench { _ in .json(#"{"items": [1, 2, 3]}"#) }
    try await bench.store(1...40)
    let before = try await bench.lines()
    let error = await #expect(throws: SyncError.self) { try await bench.reading().run() }
    #expect(error?.code == .deletionRefused)
    #expect(try await bench.lines() == before)
  }

  // MARK: - Cancellation

  @Test(arguments: [FeedImport.Storing.atOnce, .pageByPage])
  func cancelledInMidDownloadNothingIsDeleted(_ storing: FeedImport.Storing) async throws {
    let barrier = Barrier()
    let halfway = Event()
    let bench = try FeedBench { request in
      let answer = Self.threePages(request)
      guard request.page == 2 else { return answer }
      return answer.inPieces(of: 300) { piece in
        guard piece == 1 else { return }
        halfway.happens()
        barrier.wait()
      }
    }
    try await bench.store(21...40)
    let before = try await bench.lines()
    let reading = try bench.reading(storing: storing)
    let outcome = Task { try await reading.run() }
    await halfway.wait()
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await outcome.value }
    let keys = try await bench.keys()
    #expect(Set(keys).isSuperset(of: 21...40) && !keys.contains(11))
    if storing == .atOnce { #expect(try await bench.lines() == before) }
    #expect(bench.server.targets.count == 2)
    barrier.open()
  }

  /// Cancels an import when it is about to insert an article.
  private final class Canceller: SyncDelegate {
    private let reading = Guarded<FeedImport?>(nil)
    private let id: Int64

    init(at id: Int64) { self.id = id }

    func cancels(_ reading: FeedImport) { self.reading.with { $0 = reading } }

    func sync(
      _ sync: Sync, willInsert item: JSONValue, in entityName: String, parent: ManagedObjectID?
    ) throws -> JSONValue {
      if entityName == "Article", item["id"]?.integerValue == id {
        reading.with { reading in
          defer { reading = nil }
          return reading
        }?.cancel()
      }
      return item
    }
  }

  @Test(arguments: [FeedImport.Storing.atOnce, .pageByPage])
  func cancelledInMidSyncTheSyncLeavesNoTrace(_ storing: FeedImport.Storing) async throws {
    let bench = try FeedBench(Self.threePages)
    try await bench.store(31...40)
    let before = try await bench.lines()
    let canceller = Canceller(at: 15)
    let reading = try bench.reading(storing: storing, delegate: canceller)
    canceller.cancels(reading)
    await #expect(throws: CancellationError.self) { try await reading.run() }
    #expect(
      try await bench.keys()
        == (storing == .atOnce ? Array(31...40) : Array(1...10) + Array(31...40)))
    if storing == .atOnce { #expect(try await bench.lines() == before) }
    // Nothing is in the way of the next one.
    #expect(try await bench.reading(storing: storing).run().pages == 3)
    #expect(try await bench.keys() == Array(1...30))
  }

  @Test func cancelledWhileItWaitsToTryAgainItEnds() async throws {
    let bench = try FeedBench { _ in .status(503) }
    let waiting = Event()
    var client = bench.client()
    client.wait = { _ in
      waiting.happens()
      try await Task.sleep(for: .seconds(3_600))
    }
    let reading = try FeedImport(
      try #require(bench.server.url("/")), into: bench.stack, client: client)
    let outcome = Task { try await reading.run() }
    await waiting.wait()
    outcome.cancel()
    await #expect(throws: CancellationError.self) { try await outcome.value }
    #expect(bench.server.targets.count == 1)
  }

  @Test func cancelledBeforeTheStartItAsksForNothing() async throws {
    let bench = try FeedBench(Self.threePages)
    let reading = try bench.reading()
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.run() }
    #expect(bench.server.targets.isEmpty)
  }
}
