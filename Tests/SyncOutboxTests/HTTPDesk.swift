import Foundation
import Loopback
import SyncStack

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A ``FakeDesk`` for other processes: `POST /Order`, `PATCH /Order/17`, `DELETE /Order/17`. An
/// answer that is lost is a connection that breaks off. It works on threads of its own.
final class HTTPDesk: Sendable {
  let desk = Locked(FakeDesk())

  /// Serves until the listener is stopped.
  func listening() throws -> LoopbackServer {
    try LoopbackServer { [self] request in
      guard let change = FakeDesk.Request(request) else {
        let text = "\(request.method) \(request.path) \(request.headers) is no change."
        return .json(JSONValue.string(text).description, status: 400)
      }
      let fault = desk.withLock { $0.nextFault() }
      if fault == .slow { Thread.sleep(forTimeInterval: 0.01) }
      switch desk.withLock({ try? $0.answer(change, fault) }) {
      case nil: return nil
      case .accepted(let json?)?: return .json(json.description)
      case .accepted(nil)?: return .status(204)
      case .gone?: return .status(404)
      case .retry(_?, _)?: return .status(429, headers: ["Retry-After": "0"])
      case .retry(nil, _)?: return .status(500)
      case .conflict?, .refused?: return .status(422)
      }
    }
  }

  /// How a program sends a change there.
  static func send(_ change: OutboxChange, to server: URL) async throws -> OutboxAnswer {
    var request = URLRequest(url: server.appending(path: change.entity))
    switch change.kind {
    case .insert:
      request.httpMethod = "POST"
      request.httpBody = change.json.data
    case .update:
      request.url?.append(path: change.id)
      request.httpMethod = "PATCH"
      request.httpBody = change.changedJSON.data
    case .delete:
      request.url?.append(path: change.id)
      request.httpMethod = "DELETE"
    }
    request.setValue(change.idempotencyKey, forHTTPHeaderField: "Idempotency-Key")
    let (data, response) = try await URLSession.shared.data(for: request)
    return OutboxAnswer(data, response)
  }
}

extension FakeDesk.Request {
  /// Nil for a request that is no change.
  fileprivate init?(_ request: LoopbackServer.Request) {
    let path = request.path.split(separator: "/").map(String.init)
    guard let entity = path.first, let name = request.headers["idempotency-key"] else { return nil }
    let body = (try? JSONValue(parsing: request.body)) ?? .null
    if request.method == "POST", path.count == 1 {
      self.init(kind: .insert, entity: entity, json: body, changedJSON: body, idempotencyKey: name)
    } else if path.count == 2, let key = Int64(path[1]) {
      self.init(
        kind: request.method == "PATCH" ? .update : .delete, entity: entity,
        json: ["id": .integer(key)], changedJSON: body, idempotencyKey: name)
    } else {
      return nil
    }
  }
}
