import SyncStack
import Testing

/// Lines that travel inside their order, with keys of the server's or of ours, whatever happens to
/// them while their order waits or its answer is lost.
@Suite struct NestedAnswerTests {
  // MARK: - Model

  final class Order: ManagedObject {
    @PrimaryKey var id: Int64?
    @Attribute var status: String?
    @ToOne var previous: Order?
    @ToMany(inverse: "previous") var next: Set<Order>
    @ToMany(inverse: "order", deleteRule: .cascade) var lines: Set<Line>
  }

  final class Line: ManagedObject {
    @PrimaryKey var id: Int64?
    @Attribute var text: String?
    @ToOne var order: Order?
    @ToMany(inverse: "line", deleteRule: .cascade) var notes: Set<Note>
  }

  final class Note: ManagedObject {
    @PrimaryKey var id: Int64?
    @Attribute var text: String?
    @ToOne var line: Line?
  }

  private struct Lost: Error {}

  /// Orders with their lines as JSON; gives keys to lines that come without, and answers a repeated
  /// request with the same as before.
  private actor Desk {
    private(set) var orders: [Int64: JSONObject] = [:]
    private var answers: [String: JSONValue] = [:]
    private var last: Int64 = 100
    private var lost = 0
    private var hook: (@Sendable (OutboxChange) async throws -> Void)?

    /// Whether it answers a repeated request with its own version, as with versions or a unique
    /// index, instead of the same as before.
    private var isStrict = false
    private(set) var sent: [OutboxChange] = []

    /// Loses the answers to the next requests.
    func lose(_ count: Int) { lost = count }

    /// A repeated request is in conflict with the order that is there.
    func beStrict() { isStrict = true }

    func whileUnderWay(_ hook: (@Sendable (OutboxChange) async throws -> Void)?) {
      self.hook = hook
    }

    var json: JSONValue { .array(orders.sorted { $0.key < $1.key }.map { .object($0.value) }) }

    func answer(_ change: OutboxChange) async throws -> OutboxAnswer {
      sent.append(change)
      let isLost = lost > 0
      if isLost { lost -= 1 }
      if isStrict, let known = answers[change.idempotencyKey] {
        answers[change.idempotencyKey] = nil
        let key = known["id"]?.integerValue ?? 0
        return orders[key].map { .conflict(.object($0)) } ?? .gone
      }
      let answer = answers[change.idempotencyKey] ?? write(change)
      answers[change.idempotencyKey] = answer
      if let hook { try await hook(change) }
      if isLost { throw Lost() }
      return .accepted(answer)
    }

    private func write(_ change: OutboxChange) -> JSONValue {
      let key = change.json["id"]?.integerValue ?? next()
      guard change.kind != .delete else {
        orders[key] = nil
        return .null
      }
      var order = orders[key] ?? JSONObject()
      for member in change.changedJSON.objectValue ?? JSONObject() {
        order[member.key] = member.value
      }
      order["id"] = .integer(key)
      for name in ["next", "previous", "next_ids"] { order[name] = nil }
      order["lines"] = withKeys(order["lines"], "notes")
      orders[key] = order
      return .object(order)
    }

    private func withKeys(_ list: JSONValue?, _ below: String?) -> JSONValue {
      .array(
        (list?.arrayValue ?? []).map { item in
          var object = item.objectValue ?? JSONObject()
          if object["id"]?.integerValue == nil { object["id"] = .integer(next()) }
          for name in ["order_id", "line_id", "order", "line"] { object[name] = nil }
          if let below { object[below] = withKeys(object[below], nil) }
          return .object(object)
        })
    }

    private func next() -> Int64 {
      last += 1
      return last
    }
  }

  // MARK: - Workshop

  private let stack: DataStack
  private let outbox: Outbox
  private let desk = Desk()

  init() throws {
    stack = try DataStack.tracking(Order.self, Line.self, Note.self)
    outbox = try Outbox(stack, name: "api")
    outbox.retry = RetryPolicy(attempts: 0, delay: 0)
    outbox.send(
      Order.self, using: ExportOptions(relationshipType: .array)
    ) { [desk] change in try await desk.answer(change) }
  }

  @discardableResult
  private static func line(
    _ text: String, _ order: Order?, _ context: ManagedObjectContext, key: Int64?
  ) -> Line {
    let line = Line(context: context)
    (line.text, line.order, line.id) = (text, order, key)
    return line
  }

  private func makeOrder(_ ownKeys: Bool, lines: [String] = ["a", "b"]) async throws {
    try await stack.edit { context in
      let order = Order(context: context)
      order.status = "new"
      for (index, text) in lines.enumerated() {
        let line = NestedAnswerTests.line(
          text, order, context, key: ownKeys ? Int64(index + 1) : nil)
        let note = Note(context: context)
        (note.text, note.line, note.id) = (text, line, ownKeys ? Int64(index + 1) : nil)
      }
    }
  }

  private func texts() async throws -> [[String]] {
    try await stack.performBackgroundTask { context in
      try context.fetch(Fetch<Order>().sorted(by: "id")).map { order in
        order.lines.map { "\($0.text ?? "") \($0.notes.compactMap(\.text).sorted())" }.sorted()
      }
    }
  }

  private func expectEqual(_ expected: [[String]]) async throws {
    for _ in 0..<3 { _ = try await outbox.send() }
    #expect(try outbox.pending.isEmpty)
    let there = await desk.json.arrayValue ?? []
    let lists = there.map { order in
      (order["lines"]?.arrayValue ?? []).map { line in
        let notes = (line["notes"]?.arrayValue ?? []).compactMap { $0["text"]?.stringValue }
        return "\(line["text"]?.stringValue ?? "") \(notes.sorted())"
      }.sorted()
    }
    #expect(lists == expected)
    #expect(try await texts() == expected)
    let count = try await stack.performBackgroundTask { try $0.fetch(Fetch<Line>()).count }
    #expect(count == expected.joined().count)
    // Ours have the keys of theirs: a sync changes nothing.
    let report = try await stack.sync(desk.json, inEntityNamed: "Order")
    #expect(report["Line"].inserted == 0 && report["Line"].deleted == 0)
    #expect(try await texts() == expected)
    #expect(try await stack.checkConsistency().problems.isEmpty)
  }

  // MARK: - Cases

  @Test(arguments: [false, true])
  func linesKeepTheirPlacesAndTakeTheKeysOfTheList(_ ownKeys: Bool) async throws {
    try await makeOrder(ownKeys, lines: ["a", "a", "b"])
    let before = try await stack.performBackgroundTask {
      try Set($0.fetch(Fetch<Line>()).map(\.objectID))
    }
    _ = try await outbox.send()
    let after = try await stack.performBackgroundTask {
      try Set($0.fetch(Fetch<Line>()).map(\.objectID))
    }
    #expect(before == after)
    try await expectEqual([[#"a ["a"]"#, #"a ["a"]"#, #"b ["b"]"#]])
    // The next change of a line is one of the line that is there.
    try await stack.edit { try $0.fetch(Fetch<Line>("text == %@", "b")).first?.text = "c" }
    try await expectEqual([[#"a ["a"]"#, #"a ["a"]"#, #"c ["b"]"#]])
  }

  @Test(arguments: [false, true])
  func aLineThatIsPutIntoAnOrderThatWaitsInARun(_ ownKeys: Bool) async throws {
    try await stack.edit { context in
      let first = Order(context: context)
      first.status = "first"
      let second = Order(context: context)
      (second.status, second.previous) = ("second", first)
      NestedAnswerTests.line("a", second, context, key: ownKeys ? 1 : nil)
    }
    await desk.whileUnderWay { [stack] change in
      guard change.json["status"] == "first" else { return }
      try await stack.edit { context in
        let second = try context.fetch(Fetch<Order>("status == %@", "second")).first
        guard second?.lines.count == 1 else { return }
        NestedAnswerTests.line("late", second, context, key: ownKeys ? 2 : nil)
      }
    }
    try await expectEqual([[], ["a []", "late []"]])
  }

  /// The lines of a lost request are those that the conflict lists; one that was deleted since goes.
  @Test(arguments: [false, true], [false, true])
  func linesThatAConflictListsAreNotMadeTwice(_ ownKeys: Bool, _ isNew: Bool) async throws {
    await desk.beStrict()
    if !isNew {
      try await makeOrder(ownKeys, lines: [])
      _ = try await outbox.send()
    }
    await desk.lose(1)
    try await stack.edit { context in
      let order = try context.fetch(Fetch<Order>()).first ?? Order(context: context)
      for (key, text) in ["a", "b", "c"].enumerated() {
        NestedAnswerTests.line(text, order, context, key: ownKeys ? Int64(key + 1) : nil)
      }
    }
    _ = try await outbox.send()
    try await stack.edit { context in
      for line in try context.fetch(Fetch<Line>("text == %@", "a")) { context.delete(line) }
      for line in try context.fetch(Fetch<Line>("text == %@", "b")) { line.text = "edited" }
    }
    try await expectEqual([["c []", "edited []"]])
  }

  /// They were under way when the program ended, so only the conflict has them go again.
  @Test func linesOfARequestThatIsInConflictGoWithTheNext() async throws {
    try await makeOrder(false, lines: [])
    _ = try await outbox.send()
    let count = Locked(0)
    outbox.send(
      Order.self, using: ExportOptions(relationshipType: .array)
    ) { [desk] change in
      switch count.withLock({ count in
        count += 1
        return count
      }) {
      case 1: throw Lost()
      case 2: return .conflict(["id": 101, "status": "noted", "lines": []])
      default: return try await desk.answer(change)
      }
    }
    try await stack.edit {
      _ = NestedAnswerTests.line("a", try $0.fetch(Fetch<Order>()).first, $0, key: nil)
    }
    _ = try await outbox.send()
    try await expectEqual([["a []"]])
  }

  /// It was in the JSON of its order, so it has to be taken out of it again.
  @Test(arguments: [false, true])
  func oneThatWasPutInAndDeletedAgain(_ ownKeys: Bool) async throws {
    try await stack.edit { context in
      let first = Order(context: context)
      first.status = "first"
      let second = Order(context: context)
      (second.status, second.previous) = ("second", first)
      NestedAnswerTests.line("a", second, context, key: ownKeys ? 1 : nil)
    }
    await desk.whileUnderWay { [stack, desk] change in
      guard change.json["status"] == "first" else { return }
      await desk.lose(1)
      try await stack.edit { context in
        let second = try context.fetch(Fetch<Order>("status == %@", "second")).first
        NestedAnswerTests.line("late", second, context, key: ownKeys ? 2 : nil)
      }
    }
    _ = try await outbox.send()
    await desk.whileUnderWay(nil)
    try await stack.edit {
      for line in try $0.fetch(Fetch<Line>("text == %@", "late")) { $0.delete(line) }
    }
    try await expectEqual([[], ["a []"]])
  }

  enum Since: CaseIterable { case nothing, deleted, added, edited, deletedAndAdded, moved }

  @Test(arguments: [false, true], Since.allCases)
  func whatHappensAfterALostAnswerStays(_ ownKeys: Bool, _ since: Since) async throws {
    for isSynced in [false, true] {
      let test = try NestedAnswerTests()
      try await test.lose(ownKeys, since, isSynced: isSynced)
    }
  }

  private func lose(_ ownKeys: Bool, _ since: Since, isSynced: Bool) async throws {
    try await makeOrder(ownKeys)
    await desk.lose(1)
    _ = try await outbox.send()
    try await stack.edit { context in
      let lines = try context.fetch(Fetch<Line>().sorted(by: "text"))
      let order = lines[0].order
      if [.deleted, .deletedAndAdded].contains(since) { context.delete(lines[1]) }
      if [.added, .deletedAndAdded].contains(since) {
        NestedAnswerTests.line("c", order, context, key: ownKeys ? 3 : nil)
      }
      if since == .edited { lines[1].text = "edited" }
      if since == .moved {
        let other = Order(context: context)
        other.status = "other"
        lines[1].order = other
      }
    }
    if isSynced { try await stack.sync(desk.json, inEntityNamed: "Order") }
    let (a, b) = (#"a ["a"]"#, #"b ["b"]"#)
    switch since {
    case .nothing: try await expectEqual([[a, b]])
    case .deleted: try await expectEqual([[a]])
    case .added: try await expectEqual([[a, b, "c []"]])
    case .edited: try await expectEqual([[a, #"edited ["b"]"#]])
    case .deletedAndAdded: try await expectEqual([[a, "c []"]])
    case .moved: try await expectEqual([[a], [b]])
    }
  }

  /// A server that makes something else of the list is believed: its lines come in the place of
  /// ours.
  @Test func aListThatIsNotWhatWasSentTakesItsPlace() async throws {
    outbox.send(Order.self, using: ExportOptions(relationshipType: .array)) { _ in
      .accepted(["id": 1, "status": "new", "lines": [["id": 9, "text": "a and b"]]])
    }
    try await stack.edit { context in
      let order = Order(context: context)
      order.status = "new"
      for text in ["a", "b"] { NestedAnswerTests.line(text, order, context, key: nil) }
    }
    _ = try await outbox.send()
    #expect(try await texts() == [["a and b []"]])
    #expect(try outbox.pending.isEmpty)
  }

  /// The answer is about one order: it says nothing of others that are here.
  @Test func aListThatTakesThePlaceOfOursLeavesOtherOrdersAlone() async throws {
    outbox.send(Order.self, using: ExportOptions(relationshipType: .array)) { _ in
      .accepted(["id": 1, "status": "new", "lines": [["id": 9, "text": "a and b"]]])
    }
    try await stack.sync(
      [["id": 2, "lines": [["id": 5, "text": "other"]]]] as JSONValue, inEntityNamed: "Order")
    try await stack.edit { context in
      let order = Order(context: context)
      for text in ["a", "b"] { NestedAnswerTests.line(text, order, context, key: nil) }
    }
    _ = try await outbox.send()
    #expect(try await texts() == [["a and b []"], ["other []"]])
  }

  @Test func aRefusedLineGoesAlongWhenItsOrderIsTriedAgain() async throws {
    outbox.send(Order.self, using: ExportOptions(relationshipType: .array)) { _ in .refused("no") }
    try await makeOrder(true)
    _ = try await outbox.send()
    #expect(try outbox.refused.count == 5)
    outbox.send(Order.self, using: ExportOptions(relationshipType: .array)) { [desk] change in
      try await desk.answer(change)
    }
    for item in try outbox.refused where item.entity == "Order" { try outbox.retry(item) }
    try await expectEqual([[#"a ["a"]"#, #"b ["b"]"#]])
  }
}
