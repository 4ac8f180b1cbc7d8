import SyncStack

/// A server that answers as it is told to, and keeps what was sent.
final class ToldServer: Sendable {
  typealias Answer = @Sendable (OutboxChange) throws -> OutboxAnswer
  private let changes = Locked<[OutboxChange]>([])
  private let reply = Locked<Answer>({ _ in .accepted() })

  var sent: [OutboxChange] { changes.withLock { $0 } }

  func forget() { changes.withLock { $0 = [] } }

  func answer(_ answer: OutboxAnswer) { self.answer { _ in answer } }

  func answer(_ answer: @escaping Answer) { reply.withLock { $0 = answer } }

  func answer(to change: OutboxChange) throws -> OutboxAnswer {
    changes.withLock { $0.append(change) }
    return try reply.withLock { $0 }(change)
  }
}

/// A server of objects by entity and key, which makes keys, knows idempotency keys when it is told
/// to, and misbehaves on demand.
actor FakeServer {
  private var desk: FakeDesk
  private var refusals: [String: OutboxAnswer] = [:]
  private var hook: (@Sendable (OutboxChange) async throws -> Void)?
  private(set) var log: [OutboxChange] = []

  init(knowsKeys: Bool = true) { desk = FakeDesk(knowsKeys: knowsKeys) }

  var objects: [String: [Int64: JSONObject]] { desk.objects }
  var repeats: Int { desk.repeats }
  var summary: String { desk.summary }

  /// Sets the faults of the next requests, one each.
  func fail(_ faults: [FakeDesk.Fault]) { desk.faults = faults.reversed() }

  /// Sets the answer to every change of an entity, which is not carried out then; nil is none.
  func answer(_ answer: OutboxAnswer?, to entity: String) { refusals[entity] = answer }

  /// Called while a request is under way.
  func whileUnderWay(_ hook: (@Sendable (OutboxChange) async throws -> Void)?) { self.hook = hook }

  /// A change of another client there.
  func put(_ entity: String, _ key: Int64, _ object: JSONObject?) {
    desk.objects[entity, default: [:]][key] = object
  }

  func json(_ entity: String) -> JSONValue {
    .array(objects[entity, default: [:]].sorted { $0.key < $1.key }.map { .object($0.value) })
  }

  func answer(_ change: OutboxChange) async throws -> OutboxAnswer {
    log.append(change)
    if let hook { try await hook(change) }
    if let answer = refusals[change.entity] { return answer }
    let fault = desk.nextFault()
    if fault == .slow { for _ in 0..<20 { await Task.yield() } }
    return try desk.answer(FakeDesk.Request(change), fault)
  }
}
