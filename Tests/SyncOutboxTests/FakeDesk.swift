import SyncStack

/// A server of the tests, one request after the other.
struct FakeDesk: Sendable {
  /// A fault in the place of an answer.
  enum Fault: Sendable, CaseIterable {
    /// Carries the request out, and the answer is lost.
    case lostAnswer
    /// Carries the request out, and says that it failed.
    case failsAfterwards
    /// Does nothing, and says that it failed.
    case failsBefore
    /// Does nothing, and does not answer.
    case unreachable
    /// Answers after other requests.
    case slow
    /// Does nothing and asks to come again.
    case busy
  }

  struct Lost: Error {}

  /// A request to it.
  struct Request: Sendable {
    let kind: OutboxChange.Kind
    let entity: String
    let json: JSONValue
    let changedJSON: JSONValue
    let idempotencyKey: String
  }

  var objects: [String: [Int64: JSONObject]] = [:]
  private var answers: [String: OutboxAnswer] = [:]
  private var next: Int64 = 100

  /// How many requests it had.
  private(set) var requests = 0

  /// How often a request came that it had carried out already, and how often for an insertion,
  /// which a server without idempotency keys would have made twice.
  private(set) var repeats = 0
  private(set) var repeatedInsertions = 0

  /// The faults of the next requests, the last one first; nil is none.
  var faults: [Fault?] = []
  private let knowsKeys: Bool

  init(knowsKeys: Bool = true) { self.knowsKeys = knowsKeys }

  /// The counts, in one line.
  var summary: String {
    "\(requests) requests, \(repeats) of them repetitions: without idempotency keys "
      + "\(repeatedInsertions) objects would have been made twice."
  }

  /// The fault of the next request.
  mutating func nextFault() -> Fault? { faults.popLast() ?? nil }

  mutating func answer(_ change: Request, _ fault: Fault?) throws -> OutboxAnswer {
    requests += 1
    switch fault {
    case nil, .slow?: return perform(change)
    case .lostAnswer?:
      _ = perform(change)
      throw Lost()
    case .failsAfterwards?:
      _ = perform(change)
      return .retry(reason: "Status 500.")
    case .failsBefore?: return .retry(reason: "Status 502.")
    case .unreachable?: throw Lost()
    case .busy?: return .retry(after: 0)
    }
  }

  private mutating func perform(_ change: Request) -> OutboxAnswer {
    if let known = answers[change.idempotencyKey] {
      repeats += 1
      if change.kind == .insert { repeatedInsertions += 1 }
      if knowsKeys { return known }
    }
    let answer = write(change)
    answers[change.idempotencyKey] = answer
    return answer
  }

  private mutating func write(_ change: Request) -> OutboxAnswer {
    switch change.kind {
    case .insert:
      var object = existing(change.json.objectValue ?? JSONObject())
      let key = object["id"]?.integerValue ?? next
      next += 1
      object["id"] = .integer(key)
      objects[change.entity, default: [:]][key] = object
      return .accepted(.object(object))
    case .update:
      guard let key = change.json.objectValue?["id"]?.integerValue,
        var object = objects[change.entity]?[key]
      else { return .gone }
      for member in change.changedJSON.objectValue ?? JSONObject() {
        object[member.key] = member.value
      }
      object = existing(object)
      objects[change.entity]?[key] = object
      return .accepted(.object(object))
    case .delete:
      guard let key = change.json.objectValue?["id"]?.integerValue,
        objects[change.entity]?[key] != nil
      else { return .gone }
      delete(change.entity, key)
      return .accepted()
    }
  }

  /// Where references of that name lead to.
  private static let destinations = [
    "customer_id": "Customer", "order_id": "Order", "favourite_id": "Order",
  ]

  /// The object without references to objects that are not there.
  private func existing(_ object: JSONObject) -> JSONObject {
    var object = object
    for (name, entity) in FakeDesk.destinations {
      if let key = object[name]?.integerValue, objects[entity]?[key] == nil { object[name] = .null }
    }
    return object
  }

  /// Deletes an object as the model does: orders go with their customer, lines with their order.
  private mutating func delete(_ entity: String, _ key: Int64) {
    objects[entity]?[key] = nil
    for (name, destination) in FakeDesk.destinations where destination == entity {
      for (other, members) in objects {
        for (member, object) in members where object[name]?.integerValue == key {
          if name == "favourite_id" {
            objects[other]?[member]?[name] = .null
          } else {
            delete(other, member)
          }
        }
      }
    }
  }
}

extension FakeDesk.Request {
  init(_ change: OutboxChange) {
    self.init(
      kind: change.kind, entity: change.entity, json: change.json, changedJSON: change.changedJSON,
      idempotencyKey: change.idempotencyKey)
  }
}
