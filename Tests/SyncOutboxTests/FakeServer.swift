import Foundation
import SyncCore
import SyncOutbox

/// A server of objects by entity and key, which makes keys, knows idempotency keys when it is told to, and misbehaves on
/// demand.
actor FakeServer {
  /// What it does instead of answering as it should.
  enum Fault: Sendable, CaseIterable {
    /// Does what it is asked, and the answer is lost.
    case lostAnswer
    /// Does what it is asked, and says that it failed.
    case failsAfterwards
    /// Does nothing, and says that it failed.
    case failsBefore
    /// Does nothing, and nobody answers.
    case unreachable
    /// Answers after other requests.
    case slow
    /// Does nothing and asks to come again.
    case busy
  }

  struct Lost: Error {}

  private(set) var objects: [String: [Int64: JSONObject]] = [:]
  private(set) var log: [OutboxChange] = []
  private var answers: [String: OutboxAnswer] = [:]
  private var next: Int64 = 100

  /// How often it was asked for what it had done already, and how often for an insertion, which a server without
  /// idempotency keys would have made twice.
  private(set) var repeats = 0
  private(set) var repeatedInsertions = 0

  private let knowsKeys: Bool
  private var faults: [Fault] = []
  private var refusals: [String: OutboxAnswer] = [:]
  private var hook: (@Sendable (OutboxChange) async throws -> Void)?

  init(knowsKeys: Bool = true) {
    self.knowsKeys = knowsKeys
  }

  /// What happens to the next requests, one each.
  func fail(_ faults: [Fault]) { self.faults = faults.reversed() }

  /// What it says to every change of an entity, instead of doing it; nil is nothing.
  func answer(_ answer: OutboxAnswer?, to entity: String) { refusals[entity] = answer }

  /// Called while a request is under way.
  func whileUnderWay(_ hook: (@Sendable (OutboxChange) async throws -> Void)?) { self.hook = hook }

  /// What somebody else does there.
  func put(_ entity: String, _ key: Int64, _ object: JSONObject?) {
    objects[entity, default: [:]][key] = object
  }

  func json(_ entity: String) -> JSONValue {
    .array(
      objects[entity, default: [:]].sorted { $0.key < $1.key }.map { .object($0.value) })
  }

  func answer(_ change: OutboxChange) async throws -> OutboxAnswer {
    log.append(change)
    if let hook { try await hook(change) }
    if let answer = refusals[change.entity] { return answer }
    switch faults.popLast() {
    case nil: return perform(change)
    case .lostAnswer?:
      _ = perform(change)
      throw Lost()
    case .failsAfterwards?:
      _ = perform(change)
      return .retry(reason: "Status 500.")
    case .failsBefore?: return .retry(reason: "Status 502.")
    case .unreachable?: throw Lost()
    case .slow?:
      for _ in 0..<20 { await Task.yield() }
      return perform(change)
    case .busy?: return .retry(after: 0)
    }
  }

  /// What happened, in one line.
  var summary: String {
    "\(log.count) requests, \(repeats) of them for what had been done already: without idempotency keys "
      + "\(repeatedInsertions) objects would have been made twice."
  }

  private func perform(_ change: OutboxChange) -> OutboxAnswer {
    if let known = answers[change.idempotencyKey] {
      repeats += 1
      if change.kind == .insert { repeatedInsertions += 1 }
      if knowsKeys { return known }
    }
    let answer = write(change)
    answers[change.idempotencyKey] = answer
    return answer
  }

  private func write(_ change: OutboxChange) -> OutboxAnswer {
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

  /// The object without references to what is not there.
  private func existing(_ object: JSONObject) -> JSONObject {
    var object = object
    for (name, entity) in FakeServer.destinations {
      if let key = object[name]?.integerValue, objects[entity]?[key] == nil { object[name] = .null }
    }
    return object
  }

  /// Deletes an object as the model does: orders go with their customer, lines with their order.
  private func delete(_ entity: String, _ key: Int64) {
    objects[entity]?[key] = nil
    for (name, destination) in FakeServer.destinations where destination == entity {
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
