import SyncStack
import TestSupport
import Testing

/// Requests that are under way together, answered in another order than they were carried out.
@Suite(.timeLimit(.minutes(5))) struct AnswerOrderTests {
  /// The answer of an order comes after those of its lines, and lists them as they were before.
  @Test func anOlderListLeavesLinesAloneThatWereAnsweredMeanwhile() async throws {
    let shop = try DraftedShop(
      [
        "Order: id, status, lines ->> Line.order cascade", "Line: id, text, order -> Order.lines",
      ], sending: "Line")
    let (answers, answered) = AsyncStream<Void>.makeStream()
    shop.server.answer { change in
      answered.yield()
      return change.kind == .insert ? .accepted(["id": 3, "text": "new"]) : .accepted()
    }
    let lines: JSONValue = [["id": 1, "text": "a"], ["id": 2, "text": "b"]]
    shop.outbox.send(with: Conventional("Order")) { _ in
      var answers = answers.makeAsyncIterator()
      for _ in 0..<2 { await answers.next() }
      // Time to store the answers, if they were stored at once.
      for _ in 0..<2_000 { await Task.yield() }
      return .accepted(["id": 1, "status": "paid", "lines": lines])
    }
    try await shop.sync([["id": 1, "status": "new", "lines": lines]], "Order")
    try await shop.edit { context, find in
      let order = try find("Order", "id == 1")
      order["status"] = "paid"
      let line = try context.insert(entityNamed: "Line")
      line["text"] = "new"
      line["order"] = order
      context.delete(try find("Line", "id == 2"))
    }
    #expect(try await shop.outbox.sendAll().accepted == 3)
    #expect(try shop.values("Order", "status") == ["paid"])
    #expect(try shop.values("Line", "id", "text") == ["1 a", "3 new"])
  }

  /// Each of two waits for the other's answer to be stored.
  @Test func objectsThatOwnEachOtherAreStoredAllTheSame() async throws {
    let shop = try DraftedShop(
      ["Node: id, name, parent -> Node.children, children ->> Node.parent"], sending: "Node")
    try await shop.sync([["id": 1, "parent_id": 2], ["id": 2, "parent_id": 1]], "Node")
    try await shop.edit { _, find in
      for key in [1, 2] { try find("Node", "id == \(key)")["name"] = "edited" }
    }
    #expect(try await shop.outbox.sendAll().accepted == 2)
  }
}
