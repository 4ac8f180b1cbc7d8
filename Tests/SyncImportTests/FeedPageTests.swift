import Foundation
import SyncStack
import Testing

@testable import SyncImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct FeedPageTests {
  private func page(
    _ body: String, _ status: Int = 200, _ headers: [String: String] = [:],
    next: JSONPath? = nil, resume: JSONPath? = nil, total: JSONPath? = nil
  ) throws -> FeedPage {
    let url = try #require(URL(string: "https://example.org/crews"))
    let response = try #require(
      HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: headers))
    return try FeedPage(Data(body.utf8), response, next: next, resume: resume, total: total)
  }

  @Test(
    arguments: [
      (#"{"meta": {"next": "abc"}}"#, "abc"), (#"{"meta": {"next": 17}}"#, "17"),
      (#"{"meta": {"next": null}}"#, nil), (#"{"meta": {"next": ""}}"#, nil),
      (#"{"meta": {"next": false}}"#, nil), (#"{"meta": {}}"#, nil),
    ] as [(String, String?)])
  func thePlaceOfTheNextPageStandsInTheBody(body: String, next: String?) throws {
    #expect(try page(body, next: "meta.next").next == next)
  }

  @Test(
    arguments: [
      (
        #"<https://a.org/?page=2>; rel="next", <https://a.org/?page=9>; rel="last""#,
        "https://a.org/?page=2"
      ),
      (
        #"<https://a.org/?a=1,2>; rel="prev", <https://a.org/?b=3>; rel="last next""#,
        "https://a.org/?b=3"
      ),
      (#"<https://a.org/?page=3>; REL=next"#, "https://a.org/?page=3"),
      (#"<https://a.org/?page=1>; rel="prev""#, nil), ("", nil), ("<", nil),
    ] as [(String, String?)])
  func withoutAPathItIsTheLinkOfTheHeader(header: String, next: String?) throws {
    #expect(try page("[]", 200, ["Link": header]).next == next)
  }

  @Test(
    arguments: [
      (#"{"data": [], "links": {"next": "/crews?page=2"}}"#, "/crews?page=2"),
      (#"{"data": [], "links": {"next": {"href": "/crews?page=2"}}}"#, "/crews?page=2"),
      (#"{"data": [], "links": {"next": null}}"#, nil), (#"{"data": []}"#, nil),
    ] as [(String, String?)])
  func aJSONAPIDocumentLeadsOnByItsLinks(body: String, next: String?) throws {
    #expect(try page(body, 200, ["Content-Type": "application/vnd.api+json"]).next == next)
  }

  /// Its pages are pages of a list like any other: what none of them has goes, with the end.
  @Test func aListOfJSONAPIDocumentsIsAFeed() async throws {
    let stack = try DataStack.league()
    try await stack.sync(
      [["id": 1, "name": "old"], ["id": 3]] as JSONValue, inEntityNamed: "Nation")
    let pages = [
      #"{"data": [{"type": "crews", "id": "1", "attributes": {"name": "A"}, "relationships": {"nation": {"data": {"type": "nations", "id": "1"}}}}], "included": [{"type": "nations", "id": "1", "attributes": {"name": "N"}}], "links": {"next": "2"}}"#,
      #"{"data": [{"type": "crews", "id": "2", "relationships": {"nation": {"data": {"type": "nations", "id": "1"}}, "captain": {"data": {"type": "athletes", "id": "7"}}}}], "links": {"next": null}}"#,
    ]
    let run = Import(into: stack) {
      Feed("Nation") { _ in FeedPage([["id": 1], ["id": 2]] as JSONValue) }
      Feed("Crew") { place in
        try self.page(
          pages[place == nil ? 0 : 1], 200, ["Content-Type": "application/vnd.api+json"])
      }
      Feed("Athlete") { _ in FeedPage([["id": 7, "name": "P"]] as JSONValue) }
    }
    run.settings.deletionGuard = .off
    try await stack.run(run)
    #expect(
      try await stack.lines() == [
        "Athlete 7 P crew 0", "Crew 1 A nation 1 captain 0", "Crew 2 - nation 1 captain 7",
        "Nation 1 N", "Nation 2 -",
      ])
  }

  @Test func deltaLinkAndTotalStandInTheBody() throws {
    let body = #"{"value": [], "@odata.deltaLink": "https://a.org/delta?x", "@odata.count": 12}"#
    let page = try page(
      body, next: ["@odata.nextLink"], resume: ["@odata.deltaLink"], total: ["@odata.count"])
    #expect(page.next == nil && page.resume == "https://a.org/delta?x" && page.total == 12)
  }

  @Test(
    arguments: [
      (429, ["Retry-After": "30"], FeedError.Code.busy, 30), (503, [:], .busy, nil),
      (500, ["Backoff": "2"], .busy, 2), (401, [:], .signedOut, nil), (404, [:], .refused, nil),
      (403, ["Retry-After": "60"], .busy, 60), (501, [:], .refused, nil),
      (200, ["Content-Type": "text/html; charset=utf-8"], .unreadable, nil),
      (200, ["Content-Length": "100"], .unreadable, nil),
    ] as [(Int, [String: String], FeedError.Code, Double?)])
  func anAnswerThatIsNoPageSaysWhy(
    status: Int, headers: [String: String], code: FeedError.Code, pause: Double?
  ) throws {
    let error = #expect(throws: FeedError.self) { try page("<html>", status, headers) }
    #expect(error?.code == code && error?.retryAfter == pause && error?.status == status)
  }

  @Test(arguments: [204, 304]) func anAnswerWithoutContentIsAPageWithoutItems(status: Int) throws {
    #expect(try page("", status, next: "next").next == nil)
  }

  @Test func jsonThatIsCutIsUnreadable() throws {
    let error = #expect(throws: FeedError.self) { try page(#"{"items": [{"id""#, next: "next") }
    #expect(error?.code == .unreadable)
  }

  // MARK: - Requests that are made again

  private func fetcher(
    _ clock: SkippingClock, renew: (@Sendable () async throws -> Void)? = nil
  ) -> FeedFetcher {
    FeedFetcher(RetryPolicy(longestDelay: 120), FeedAccess(renew), clock)
  }

  @Test func aBusyServerIsAskedAgainAfterItsPause() async throws {
    let clock = SkippingClock()
    let attempts = Locked(0)
    let feed = Feed("Crew") { _ in
      let attempt = attempts.withLock { count in
        count += 1
        return count
      }
      if attempt == 1 { throw FeedError(.busy, retryAfter: 30, message: "Quota.") }
      if attempt == 2 { throw CocoaError(.fileReadUnknown) }
      return FeedPage("[]", next: "n")
    }
    #expect(try await fetcher(clock).page(of: feed, at: nil).next == "n")
    #expect(clock.slept.first == .seconds(30) && clock.slept.count == 2)
  }

  @Test(arguments: [(FeedError.Code.busy, 6), (.unreadable, 6), (.refused, 1), (.signedOut, 1)])
  func onlyAFailureThatMayPassIsTriedAgain(code: FeedError.Code, attempts: Int) async throws {
    let count = Locked(0)
    let feed = Feed("Crew") { _ in
      count.withLock { $0 += 1 }
      throw FeedError(code, message: "No.")
    }
    let error = await #expect(throws: FeedError.self) {
      try await fetcher(SkippingClock()).page(of: feed, at: "7")
    }
    #expect(error?.code == code && error?.feed == "Crew" && error?.place == "7")
    #expect(count.withLock { $0 } == attempts)
  }

  @Test func aPauseThatIsTooLongIsNotWaited() async throws {
    let clock = SkippingClock()
    let feed = Feed("Crew") { _ in throw FeedError(.busy, retryAfter: 3600, message: "Later.") }
    await #expect {
      try await fetcher(clock).page(of: feed, at: nil)
    } throws: { ($0 as? FeedError)?.retryAfter == 3600 && clock.slept.isEmpty }
  }

  @Test func anExpiredAccessIsRenewedOnceForAllRequests() async throws {
    let token = Locked((value: 0, renewals: 0))
    let feed = Feed("Crew") { _ in
      let value = token.withLock { $0.value }
      await Task.yield()
      if value == 0 { throw FeedError(.signedOut, message: "Expired.") }
      return FeedPage("[]")
    }
    let fetcher = fetcher(SkippingClock()) {
      await Task.yield()
      token.withLock { $0 = (1, $0.renewals + 1) }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { _ = try await fetcher.page(of: feed, at: nil) } }
      try await group.waitForAll()
    }
    #expect(token.withLock { $0.renewals } == 1)
  }

  @Test func anAccessThatStaysExpiredEndsTheRequest() async throws {
    let renewals = Locked(0)
    let feed = Feed("Crew") { _ in throw FeedError(.signedOut, message: "Expired.") }
    await #expect {
      try await fetcher(SkippingClock()) { renewals.withLock { $0 += 1 } }.page(of: feed, at: nil)
    } throws: { ($0 as? FeedError)?.code == .signedOut && renewals.withLock { $0 } == 1 }
  }

  @Test func anAccessThatCannotBeRenewedSaysWhy() async throws {
    let feed = Feed("Crew") { _ in throw FeedError(.signedOut, message: "Expired.") }
    let error = await #expect(throws: FeedError.self) {
      try await fetcher(SkippingClock()) { throw CocoaError(.userCancelled) }
        .page(of: feed, at: nil)
    }
    #expect(error?.code == .signedOut && error?.underlying is CocoaError)
  }
}

/// A clock whose sleepers wake at once, and that says how long they would have slept.
final class SkippingClock: Clock {
  private let state = Locked((now: ContinuousClock.now, slept: [Duration]()))

  var now: ContinuousClock.Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }
  var slept: [Duration] { state.withLock { $0.slept } }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    state.withLock { state in
      state.slept.append(state.now.duration(to: deadline))
      state.now = max(state.now, deadline)
    }
  }
}
