import Foundation
import Loopback
import SyncStack
import Testing

@testable import FeedReader

@Suite(.timeLimit(.minutes(30))) struct FeedTests {
  /// Three pages of ten articles each.
  @Sendable private static func threePages(_ request: LoopbackServer.Request) -> Answer {
    let first = (request.page - 1) * 10 + 1
    return .json(
      page(first...first + 9, next: request.page < 3 ? "/?page=\(request.page + 1)" : nil))
  }

  @Test func readsAllPagesAndDeletesWhatNoneMentions() async throws {
    let bench = try FeedBench(Self.threePages)
    try await bench.store(25...35)
    let report = try await bench.read()
    #expect(report.itemCount == 30)
    #expect(report["Article"].inserted == 24 && report["Article"].deleted == 5)
    #expect(try await bench.keys() == Array(1...30))
    #expect(bench.server.targets == ["/", "/?page=2", "/?page=3"])
    #expect(bench.waits.with { $0 }.isEmpty)
    #expect(try await bench.read().isUnchanged)
  }

  // MARK: - Trying again

  @Test func aBusyServerIsAskedAgain() async throws {
    let bench = try FeedBench { request in
      request.page == 2 && request.repetition < 2
        ? .status(request.repetition == 0 ? 500 : 429, headers: ["Retry-After": "7"])
        : Self.threePages(request)
    }
    #expect(try await bench.read()["Article"].inserted == 30)
    #expect(bench.waits.with { $0 } == [.seconds(7), .seconds(7)])
    #expect(bench.server.targets.count { $0 == "/?page=2" } == 3)
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
    #expect(try await bench.read()["Article"].inserted == 30)
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
    #expect(try await bench.read(timeout: 3)["Article"].inserted == 30)
    #expect(!bench.waits.with { $0 }.isEmpty)
    barrier.open()
  }

  // MARK: - Failures delete nothing

  private func failure<Failure: Error>(
    _ type: Failure.Type = FeedError.self, _ bench: FeedBench
  ) async throws -> Failure? {
    try await bench.store(1...40)
    let before = try await bench.lines()
    let error = await #expect(throws: type) { try await bench.read() }
    #expect(try await bench.lines() == before)
    return error
  }

  @Test func whatIsNotThereIsAnErrorAtOnce() async throws {
    let bench = try FeedBench { $0.page == 3 ? .status(404) : Self.threePages($0) }
    #expect(
      try await failure(FeedError.self, bench)
        == .status(404, try #require(bench.server.url("/?page=3"))))
    #expect(bench.server.targets.count == 3)
    #expect(bench.waits.with { $0 }.isEmpty)
  }

  @Test func aServerThatStaysDownIsGivenUp() async throws {
    let bench = try FeedBench { $0.page == 2 ? .status(503) : Self.threePages($0) }
    #expect(
      try await failure(FeedError.self, bench)
        == .status(503, try #require(bench.server.url("/?page=2"))))
    #expect(bench.waits.with { $0 } == [500, 1_000, 2_000, 4_000].map { .milliseconds($0) })
  }

  @Test func aServerThatHasGoneIsGivenUp() async throws {
    let bench = try FeedBench(Self.threePages)
    bench.server.stop()
    let error = try await failure(FeedError.self, bench)
    #expect(error == .connection(.cannotConnectToHost, try #require(bench.server.url("/"))))
    #expect(bench.waits.with { $0 }.count == 4)
  }

  @Test(arguments: [
    #"{"items": [{"id": 1}, {"id": 2, "next": "#, "<html><body>Sign in</body></html>", "",
    #"{"error": "none of your business"}"#, "[]", "7",
  ])
  func whatIsNoFeedIsNamed(_ text: String) async throws {
    let bench = try FeedBench { $0.page == 2 ? .json(text) : Self.threePages($0) }
    _ = try await failure(JSONError.self, bench)
    #expect(bench.waits.with { $0 }.isEmpty)
  }

  @Test func aFeedWithoutEndIsRefused() async throws {
    let bench = try FeedBench { .json(page(1...2, next: "/?page=\($0.page % 3 + 1)")) }
    #expect(
      try await failure(FeedError.self, bench)
        == .repeated(try #require(bench.server.url("/?page=2"))))
  }

  @Test func whatTheSyncRefusesIsTheError() async throws {
    let bench = try FeedBench { _ in .json(#"{"items": [1, 2, 3]}"#) }
    #expect(try await failure(SyncError.self, bench)?.code == .deletionRefused)
  }

  // MARK: - Cancellation

  @Test func cancelledInMidDownloadNothingIsDeleted() async throws {
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
    let reading = Task { try await bench.read() }
    await halfway.wait()
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    let keys = try await bench.keys()
    #expect(Set(keys).isSuperset(of: 21...40) && !keys.contains(11))
    #expect(bench.server.targets.count == 2)
    barrier.open()
  }

  @Test func cancelledWhileItWaitsToTryAgainItEnds() async throws {
    let bench = try FeedBench { _ in .status(503) }
    let waiting = Event()
    var client = bench.client()
    client.wait = { _ in
      waiting.happens()
      try await Task.sleep(for: .seconds(3_600))
    }
    let feed = Feed(stack: bench.stack, client: client)
    let url = try #require(bench.server.url("/"))
    let reading = Task { try await feed.read(from: url) }
    await waiting.wait()
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(bench.server.targets.count == 1)
  }
}
