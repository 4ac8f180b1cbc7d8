import Foundation
import Loopback
import SyncStack
import Synchronization

/// The server, and the network before it. It makes the keys, does nothing twice for one
/// `Idempotency-Key`, and takes no edits of shipped orders.
final class Shop: Sendable {
  typealias Request = LoopbackServer.Request
  typealias Answer = LoopbackServer.Answer

  enum Network {
    case there
    case gone
    case losesAnswer
  }

  fileprivate struct State {
    var network = Network.there
    var answers: [String: Answer] = [:]
    var tables: [String: [Int64: JSONObject]] = [
      "orders": [
        1: ["id": 1, "customer": "Ann", "status": "open"],
        2: ["id": 2, "customer": "Bob", "status": "shipped"],
        3: ["id": 3, "customer": "Cleo", "status": "open"],
      ],
      "lines": [
        1: ["id": 1, "order_id": 1, "item": "coffee", "quantity": 1],
        2: ["id": 2, "order_id": 2, "item": "cups", "quantity": 6],
        3: ["id": 3, "order_id": 3, "item": "milk", "quantity": 2],
      ],
    ]
  }

  private let state = Mutex(State())

  func setNetwork(_ network: Network) { state.withLock { $0.network = network } }

  /// Nil is no answer: the connection breaks off.
  func answer(_ request: Request) -> Answer? {
    state.withLock { state in
      if state.network == .gone { return nil }
      let key = request.headers["idempotency-key"] ?? ""
      let known = state.answers[key]
      let answer = known ?? state.perform(request)
      if !key.isEmpty { state.answers[key] = answer }
      print("    \(request.method) \(request.path): \(answer.status)", terminator: "")
      print(known == nil ? "" : " again, nothing was done twice", terminator: "")
      guard state.network == .losesAnswer, request.method == "POST" else {
        print()
        return answer
      }
      print(", and the answer is lost")
      state.network = .there
      return nil
    }
  }
}

extension Shop.State {
  fileprivate mutating func perform(_ request: Shop.Request) -> Shop.Answer {
    let path = request.path.split(separator: "/").map(String.init)
    guard let name = path.first, let table = tables[name] else { return .status(404) }
    guard path.count > 1 else {
      return request.method == "GET" ? .json(list(name)) : insert(request, into: name)
    }
    guard let key = Int64(path[1]), var object = table[key] else { return .status(404) }
    if object["status"] == "shipped" {
      return .json(#"{"message": "it has been shipped"}"#, status: 422)
    }
    guard request.method == "PATCH" else {
      tables[name]?[key] = nil
      return .status(204)
    }
    for member in members(of: request) { object[member.key] = member.value }
    tables[name]?[key] = object
    return .json(JSONValue.object(object).description)
  }

  private mutating func insert(_ request: Shop.Request, into name: String) -> Shop.Answer {
    var object = members(of: request)
    let key = (tables[name]?.keys.max() ?? 0) + 1
    object["id"] = .integer(key)
    tables[name]?[key] = object
    return .json(JSONValue.object(object).description, status: 201)
  }

  private func members(of request: Shop.Request) -> JSONObject {
    (try? JSONValue(parsing: request.body))?.objectValue ?? JSONObject()
  }

  /// Everything in a table; orders with their lines.
  private func list(_ name: String) -> String {
    let objects = tables[name, default: [:]].sorted { $0.key < $1.key }.map { key, object in
      var object = object
      let lines = tables["lines", default: [:]].filter { $0.value["order_id"] == .integer(key) }
      if name == "orders" { object["lines"] = .array(lines.values.map(JSONValue.object)) }
      return JSONValue.object(object)
    }
    return JSONValue.array(objects).description
  }
}
