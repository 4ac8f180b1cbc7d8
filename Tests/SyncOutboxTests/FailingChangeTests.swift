import Foundation
import SyncStack
import Testing

/// Changes that always fail do not keep others from being sent.
@Suite struct FailingChangeTests {
  /// A shop in which labels of that name fail.
  private func shop(concurrency: Int) throws -> Shop {
    let shop = try Shop()
    shop.outbox.concurrency = concurrency
    shop.outbox.retry = RetryPolicy(attempts: 0, delay: 0)
    shop.outbox.send(Label.self) { [server = shop.server] change in
      if change.json["name"] == "thrown" { throw FakeDesk.Lost() }
      if change.json["name"] == "bad" { return .retry(reason: "Status 500.") }
      return try await server.answer(change)
    }
    return shop
  }

  @Test(arguments: [(1, 1), (4, 12), (4, 4)], ["bad", "thrown"])
  func whatFailedGoesBehindWhatWasNotTried(
    _ counts: (concurrency: Int, bad: Int), _ name: String
  ) async throws {
    let shop = try shop(concurrency: counts.concurrency)
    try await shop.edit { context in
      for _ in 0..<counts.bad { Label(context: context).name = name }
      for number in 0..<20 { Label(context: context).name = "\(number)" }
    }
    let runs = counts.bad / counts.concurrency + 1
    for _ in 0..<runs { try await shop.outbox.send() }
    #expect(await shop.server.objects["Label"]?.count == 20)
    #expect(try shop.outbox.pending.count == counts.bad)
    // A new change goes first, whatever failed before.
    try await shop.edit { Label(context: $0).name = "late" }
    #expect(try await shop.outbox.send().accepted == 1)
  }

  @Test func oneThatFailsAgainAndAgainIsLeftAloneAndNamed() async throws {
    let shop = try shop(concurrency: 2)
    try await shop.edit { Label(context: $0).name = "bad" }
    #expect(try await shop.outbox.send().postponed.isEmpty)
    try await shop.edit { Label(context: $0).name = "a" }
    let report = try await shop.outbox.send()
    let item = try #require(report.postponed.first)
    #expect(report.postponed.count == 1 && item.tries == 2)
    #expect("\(report)".contains("(no answer to 2 tries, next try "), "\(report)")
    guard case .unanswered(let date?) = item.state else {
      Issue.record("It has no date.")
      return
    }
    #expect((30...90).contains(date.timeIntervalSinceNow))
    // It is not asked again until then, and still named.
    let next = try await shop.outbox.send()
    #expect(next["Label"].sent == 0 && next["Label"].waiting.count == 1)
    #expect(next.postponed == [item])
    try shop.outbox.retry(item)
    #expect(try await shop.outbox.send()["Label"].sent == 1)
  }

  /// When nothing at all is answered, it is the server that is not there.
  @Test func anOutagePostponesNothing() async throws {
    let shop = try shop(concurrency: 2)
    try await shop.edit { for _ in 0..<3 { Label(context: $0).name = "thrown" } }
    for _ in 0..<5 { #expect(try await shop.outbox.send().postponed.isEmpty) }
    let items = try shop.outbox.pending
    #expect(items.allSatisfy { $0.tries > 0 })
  }

  @Test func whatNeedsOneThatFailsWaitsWithIt() async throws {
    let shop = try shop(concurrency: 4)
    shop.outbox.send(Customer.self) { _ in .retry(reason: "Status 500.") }
    try await shop.edit { context in
      let customer = Customer(context: context)
      for _ in 0..<100 { Order(context: context).customer = customer }
      Label(context: context).name = "a"
    }
    for _ in 0..<3 {
      let report = try await shop.outbox.send()
      // It is tried once a run, however many wait for it.
      #expect(report["Customer"].sent <= 1 && report["Order"].waiting.count == 100, "\(report)")
    }
  }

  /// Changes are made ready before they are due. Those that a run did not hand over wait as before,
  /// and are not sent when they are deleted meanwhile.
  @Test func whatWasNotHandedOverCountsAsNotSent() async throws {
    let shop = try shop(concurrency: 1)
    try await shop.edit { context in
      for number in 0..<20 { Label(context: context).name = number < 1 ? "bad" : "\(number)" }
    }
    #expect(try await shop.outbox.send().stopReason != nil)
    let unanswered = try shop.outbox.pending.filter { $0.state == .unanswered(until: nil) }
    #expect(unanswered.count == 1)
    try await shop.edit { context in
      for label in try context.fetch(Fetch<Label>("name == %@", "19")) { context.delete(label) }
    }
    try await shop.outbox.send()
    #expect(await shop.server.log.allSatisfy { $0.kind == .insert && $0.json["name"] != "19" })
  }
}
