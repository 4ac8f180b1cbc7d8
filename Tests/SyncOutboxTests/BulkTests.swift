import SyncStack
import Testing

/// Several changes in one request, each answered for by itself.
@Suite struct BulkTests {
  /// Answers lists of changes, and remembers them.
  private final class Desk: Sendable {
    let requests = Locked<[[OutboxChange]]>([])
    let next = Locked<Int64>(100)

    func note(_ changes: [OutboxChange]) -> Int {
      requests.withLock { requests in
        requests.append(changes)
        return requests.count
      }
    }

    func accept() -> OutboxAnswer {
      .accepted([
        "id": .integer(
          next.withLock { next in
            next += 1
            return next
          })
      ])
    }

    var statuses: [[String]] {
      requests.withLock { $0.map { $0.compactMap { $0.json["status"]?.stringValue } } }
    }
  }

  private let desk = Desk()

  /// A shop with so many new orders.
  private func shop(_ count: Int) async throws -> Shop {
    let shop = try Shop()
    shop.outbox.concurrency = 1
    try await shop.edit { context in
      for number in 0..<count {
        Order(context: context).status = "\(number)"
        try context.save()
      }
    }
    return shop
  }

  @Test func eachHasAnAnswerAndThoseThatComeAgainGoWithoutTheOthers() async throws {
    let shop = try await shop(5)
    shop.outbox.send(Order.self, upTo: 3) { [desk] changes in
      let isFirst = desk.note(changes) == 1
      return changes.map { change in
        switch change.json["status"] {
        case "1": .refused("too late")
        case "2" where isFirst: .retry(after: 0)
        default: desk.accept()
        }
      }
    }
    let report = try await shop.outbox.send()
    #expect(desk.statuses == [["0", "1", "2"], ["2"], ["3", "4"]])
    #expect(report["Order"].accepted.count == 4 && report["Order"].refused.count == 1)
    #expect(report["Order"].sent == 6)
    #expect(try shop.outbox.refused.map(\.state) == [.refused("too late")])
  }

  @Test(arguments: [true, false])
  func whenNothingIsKnownAllAreSentAgainTheSame(throwing: Bool) async throws {
    let shop = try await shop(3)
    shop.outbox.send(Order.self, upTo: 10) { [desk] changes in
      if desk.note(changes) > 1 { return changes.map { _ in desk.accept() } }
      if throwing { throw FakeDesk.Lost() }
      return [desk.accept()]
    }
    #expect(try await shop.outbox.send().accepted == 3)
    let keys = desk.requests.withLock { $0.map { $0.map(\.idempotencyKey) } }
    #expect(keys.count == 2 && keys[0] == keys[1] && Set(keys[0]).count == 3)
    #expect(try shop.stored("Order").count == 3)
  }

  @Test func oneRequestHasChangesOfOneKindAndEntity() async throws {
    let shop = try await shop(2)
    for name in ["Order", "Customer"] {
      shop.outbox.send(with: Conventional(name), upTo: 10) { [desk] changes in
        _ = desk.note(changes)
        return changes.map { $0.kind == .insert ? desk.accept() : .accepted() }
      }
    }
    try await shop.outbox.send()
    try await shop.edit { context in
      let orders = try context.fetch(Fetch<Order>())
      orders[0].status = "edited"
      context.delete(orders[1])
      for _ in 0..<2 {
        Order(context: context).status = "new"
        Customer(context: context).name = "Ann"
      }
    }
    try await shop.outbox.send()
    let requests = desk.requests.withLock { $0.dropFirst().map { ($0[0].kind, $0.count, $0) } }
    #expect(requests.count == 4)
    for (kind, count, changes) in requests {
      #expect(changes.allSatisfy { $0.kind == kind && $0.entity == changes[0].entity })
      #expect(count == (kind == .insert ? 2 : 1))
    }
  }

  // MARK: - Reading answers

  private static let answers: [(Int64?, String?, OutboxAnswer)] = [
    (201, #"{"id": 17}"#, OutboxAnswer.accepted(["id": 17])), (204, nil, .accepted()),
    (404, nil, .gone), (409, #"{"id": 17}"#, .conflict(["id": 17])),
    (422, #"{"message": "too late"}"#, .refused("Status 422: too late")),
    (503, nil, .retry(reason: "Status 503.")),
    (nil, nil, .retry(reason: "The server has not said what became of it.")),
  ]

  @Test(arguments: answers)
  func oneOfSeveralAnswersIsReadAsOneAlone(
    status: Int64?, body: String?, answer: OutboxAnswer
  ) throws {
    #expect(try OutboxAnswer(status: status, body.map { try JSONValue(parsing: $0) }) == answer)
  }

  @Test func anAnswerHasHeadersAndAPlaceOfItsOwn() {
    #expect(OutboxAnswer(status: 201, headers: ["location": "/orders/17"]) == .accepted("17"))
    #expect(
      OutboxAnswer(status: 429, headers: ["Retry-After": "7"])
        == .retry(after: 7, reason: "Status 429."))
    #expect(OutboxAnswer(status: 200, ["order": ["id": 17]], at: "order") == .accepted(["id": 17]))
  }
}
