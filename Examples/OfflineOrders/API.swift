import Foundation
import SyncStack

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The server's API, as the app calls it.
struct API: Sendable {
  let url: URL

  /// `POST /orders`, `PATCH /lines/17`, `DELETE /orders/4`.
  func send(_ change: OutboxChange) async throws -> OutboxAnswer {
    var address = url.appending(path: change.entity == "Order" ? "orders" : "lines")
    if change.kind != .insert { address.append(path: change.id) }
    var request = URLRequest(url: address)
    switch change.kind {
    case .insert:
      request.httpMethod = "POST"
      request.httpBody = change.json.data
    case .update:
      request.httpMethod = "PATCH"
      request.httpBody = change.changedJSON.data
    case .delete:
      request.httpMethod = "DELETE"
    }
    request.setValue(change.idempotencyKey, forHTTPHeaderField: "Idempotency-Key")
    let (data, response) = try await URLSession.shared.data(for: request)
    return OutboxAnswer(data, response)
  }

  /// All orders with their lines.
  func orders() async throws -> Data {
    try await URLSession.shared.data(from: url.appending(path: "orders")).0
  }
}
