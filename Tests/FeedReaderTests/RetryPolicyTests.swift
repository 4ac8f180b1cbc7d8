import Foundation
import Testing

@testable import FeedReader

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct RetryPolicyTests {
  private let url = URL(filePath: "/")

  private func busy(_ seconds: Int? = nil) -> FeedError {
    .status(503, url, retryAfter: seconds.map { .seconds($0) })
  }

  @Test func theTimeDoublesUpToALimit() {
    let policy = RetryPolicy(
      attempts: 9, firstDelay: .seconds(1), longestDelay: .seconds(10), random: { 0 })
    let delays = (1...9).map { policy.delay(afterAttempt: $0, busy()) }
    #expect(delays == [1, 2, 4, 8, 10, 10, 10, 10].map { .seconds($0) } + [nil])
  }

  @Test func upToHalfOfItIsLeftOutAtRandom() {
    let policy = RetryPolicy(firstDelay: .seconds(8))
    let delays = (0..<1_000).compactMap { _ in policy.delay(afterAttempt: 1, busy()) }
    #expect(delays.count == 1_000)
    #expect(delays.allSatisfy { $0 > .seconds(4) && $0 <= .seconds(8) })
    #expect(Set(delays).count > 900)
  }

  @Test func theServerIsNotAskedBeforeItWantsToBe() {
    let policy = RetryPolicy(
      firstDelay: .seconds(2), longestDelay: .seconds(60), random: { 0 })
    #expect(policy.delay(afterAttempt: 1, busy(30)) == .seconds(30))
    #expect(policy.delay(afterAttempt: 1, busy(1)) == .seconds(2))
    #expect(policy.delay(afterAttempt: 1, busy(61)) == nil)
  }

  @Test(arguments: [
    (408, true), (425, true), (429, true), (500, true), (502, true), (503, true), (504, true),
    (400, false), (401, false), (403, false), (404, false), (410, false), (501, false),
    (304, false),
  ])
  func onlySomeAnswersAreWorthAnotherTry(_ status: Int, _ isWorthIt: Bool) {
    #expect(FeedError.status(status, url).isWorthRetrying == isWorthIt)
  }

  @Test(arguments: [
    (URLError.Code.timedOut, true), (.networkConnectionLost, true), (.cannotConnectToHost, true),
    (.unsupportedURL, false), (.httpTooManyRedirects, false), (.serverCertificateUntrusted, false),
    (.cancelled, false),
  ])
  func onlySomeFaultsAreWorthAnotherTry(_ code: URLError.Code, _ isWorthIt: Bool) {
    #expect(FeedError.connection(code, url, reason: "").isWorthRetrying == isWorthIt)
  }

  @Test(
    arguments: [
      ("0", 0), ("120", 120), ("Sun, 06 Nov 1994 08:49:37 GMT", 37),
      ("Sun, 06 Nov 1994 08:48:00 GMT", 0), ("-1", nil), ("soon", nil), ("", nil),
    ] as [(String, Int?)])
  func retryAfterIsSecondsOrADate(_ text: String, _ seconds: Int?) {
    // 1994-11-06T08:49:00Z
    let now = Date(timeIntervalSince1970: 784_111_740)
    #expect(Duration(retryAfter: text, now: now) == seconds.map { .seconds($0) })
  }
}
