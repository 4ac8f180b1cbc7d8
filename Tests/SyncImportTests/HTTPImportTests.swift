import Foundation
import Loopback
import SyncStack
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Imports of the answers of a real server, with all that may go wrong on the way.
@Suite(.timeLimit(.minutes(5))) struct HTTPImportTests {
  typealias Answer = LoopbackServer.Answer
  typealias Request = LoopbackServer.Request

  /// A stack, a server, and a clock that does not wait.
  private final class Bench: Sendable {
    let stack: DataStack
    let server: LoopbackServer
    let clock = SkippingClock()

    init(_ handler: @escaping @Sendable (Request) -> Answer) throws {
      stack = try DataStack.league()
      server = try LoopbackServer(handler)
    }

    deinit { server.stop() }

    func makeImport(timeout: TimeInterval = 60) throws -> Import {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.timeoutIntervalForRequest = timeout
      let session = URLSession(configuration: configuration)
      let start = try #require(server.url("/"))
      let run = Import(into: stack) {
        Feed("Nation", at: "items") { place in
          let url = place.flatMap { URL(string: $0, relativeTo: start) } ?? start
          let (data, response) = try await session.data(from: url)
          return try FeedPage(data, response, next: "next")
        }
      }
      run.clock = clock
      return run
    }

    func read(timeout: TimeInterval = 60) async throws -> ImportReport {
      try await stack.run(makeImport(timeout: timeout))
    }

    func store(_ ids: ClosedRange<Int>) async throws {
      try await stack.sync(HTTPImportTests.items(ids), inEntityNamed: "Nation")
    }
  }

  private static func items(_ ids: ClosedRange<Int>) -> String {
    "[\(ids.map { #"{"id": \#($0), "name": "C\#($0)"}"# }.joined(separator: ", "))]"
  }

  private static func page(_ ids: ClosedRange<Int>, next: String?) -> String {
    #"{"items": \#(items(ids)), "next": \#(next.map { "\"\($0)\"" } ?? "null")}"#
  }

  private static func number(_ request: Request) -> Int { Int(request.query["page"] ?? "") ?? 1 }

  /// Three pages of ten nations each.
  @Sendable private static func threePages(_ request: Request) -> Answer {
    let number = number(request)
    let first = (number - 1) * 10 + 1
    return .json(page(first...first + 9, next: number < 3 ? "/?page=\(number + 1)" : nil))
  }

  @Test func allPagesAreReadAndTheRestIsDeleted() async throws {
    let bench = try Bench(Self.threePages)
    try await bench.store(25...35)
    let report = try await bench.read()
    #expect(report["Nation"]?.items == 30 && report["Nation"]?.pages == 3)
    #expect(report.changes.inserted == 24 && report.changes.deleted == 5)
    #expect(bench.server.targets == ["/", "/?page=2", "/?page=3"])
    #expect(bench.clock.slept.isEmpty)
    #expect(try await bench.read().changes.isUnchanged)
  }

  // MARK: - Trying again

  @Test func aBusyServerIsAskedAgain() async throws {
    let bench = try Bench { request in
      Self.number(request) == 2 && request.repetition < 2
        ? .status(request.repetition == 0 ? 500 : 429, headers: ["Retry-After": "7"])
        : Self.threePages(request)
    }
    #expect(try await bench.read().changes.inserted == 30)
    #expect(bench.clock.slept == [.seconds(7), .seconds(7)])
  }

  @Test(arguments: ["<html>Back soon</html>", nil])
  func aPageThatIsCutOrHTMLIsAskedForAgain(html: String?) async throws {
    let bench = try Bench { request in
      var answer = Self.threePages(request)
      guard Self.number(request) == 2, request.repetition == 0 else { return answer }
      if let html { return .json(html) }
      let whole = answer.pieces[0]
      answer.announcedLength = whole.count
      answer.pieces = [whole.prefix(200)]
      return answer
    }
    #expect(try await bench.read().changes.inserted == 30)
    #expect(bench.clock.slept.count == 1)
  }

  @Test func aBodyThatStallsIsAskedForAgain() async throws {
    let barrier = Barrier()
    let bench = try Bench { request in
      let answer = Self.threePages(request)
      guard Self.number(request) == 3, request.repetition == 0 else { return answer }
      return answer.inPieces(of: 100) { if $0 == 1 { barrier.wait() } }
    }
    // On a machine with much else to do another answer may take longer than that, too.
    #expect(try await bench.read(timeout: 3).changes.inserted == 30)
    #expect(!bench.clock.slept.isEmpty)
    barrier.open()
  }

  // MARK: - Failures delete nothing

  private func failure(_ bench: Bench) async throws -> FeedError? {
    try await bench.store(1...40)
    let before = try await bench.stack.lines()
    let error = await #expect(throws: FeedError.self) { try await bench.read() }
    #expect(try await bench.stack.lines() == before)
    return error
  }

  @Test(arguments: [(404, 3, FeedError.Code.refused), (503, 8, .busy)])
  func aServerThatDoesNotAnswerEndsTheImport(
    status: Int, requests: Int, code: FeedError.Code
  ) async throws {
    let bench = try Bench { Self.number($0) == 3 ? .status(status) : Self.threePages($0) }
    let error = try await failure(bench)
    #expect(error?.code == code && error?.status == status && error?.place == "/?page=3")
    #expect(bench.server.targets.count == requests)
  }

  @Test func aServerThatHasGoneIsGivenUp() async throws {
    let bench = try Bench(Self.threePages)
    bench.server.stop()
    let error = try await failure(bench)
    #expect(error?.code == .busy)
    #expect((error?.underlying as? URLError)?.code == .cannotConnectToHost)
    #expect(bench.clock.slept.count == 5)
  }

  @Test(arguments: [
    (#"{"items": [{"id": 1}, {"id": 2, "next": "#, FeedError.Code.unreadable),
    ("<html><body>Sign in</body></html>", .unreadable), ("", .unreadable),
    (#"{"error": "none of your business"}"#, .notStored), ("[]", .notStored), ("7", .notStored),
  ])
  func anAnswerThatIsNoPageIsNamed(text: String, code: FeedError.Code) async throws {
    let bench = try Bench { Self.number($0) == 2 ? .json(text) : Self.threePages($0) }
    let error = try await failure(bench)
    #expect(error?.code == code)
  }

  @Test func itemsThatAreNoneDeleteNothing() async throws {
    let bench = try Bench { _ in .json(#"{"items": [1, 2, 3]}"#) }
    let error = try await failure(bench)
    #expect((error?.underlying as? SyncError)?.code == .deletionRefused)
  }

  // MARK: - Cancellation

  @Test func cancelledInMidDownloadNothingIsStored() async throws {
    let barrier = Barrier()
    let (halfway, reaches) = AsyncStream.makeStream(of: Void.self)
    let bench = try Bench { request in
      let answer = Self.threePages(request)
      guard Self.number(request) == 2 else { return answer }
      return answer.inPieces(of: 100) { piece in
        guard piece == 1 else { return }
        reaches.finish()
        barrier.wait()
      }
    }
    try await bench.store(21...40)
    let before = try await bench.stack.lines()
    let reading = Task { try await bench.read() }
    for await _ in halfway {}
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(try await bench.stack.lines() == before)
    #expect(bench.server.targets.count == 2)
    barrier.open()
  }

  @Test func cancelledWhileItWaitsToTryAgainItEnds() async throws {
    let bench = try Bench { _ in .status(503) }
    let clock = ManualClock()
    let run = try bench.makeImport()
    run.clock = clock
    let reading = Task { try await bench.stack.run(run) }
    await clock.sleeper(until: nil)
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(bench.server.targets.count == 1)
  }
}

/// Where threads of the server wait until a test goes on, or goes away.
private final class Barrier: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func wait() {
    semaphore.wait()
    semaphore.signal()
  }

  func open() { semaphore.signal() }

  deinit { semaphore.signal() }
}
