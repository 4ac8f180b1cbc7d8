import SyncStack

/// How an API wants to be asked.
struct Dialect: Sendable, CustomStringConvertible {
  enum Keys: String, CaseIterable {
    case server, client
  }

  enum Links: String, CaseIterable {
    /// Everything by itself, references by key.
    case byKey
    /// Items inside their deal, the rest by key.
    case nested
    /// The marks of a deal by requests of their own.
    case apart
    /// Documents of JSON:API.
    case resources
  }

  let keys: Keys
  let links: Links

  /// Whether it does everything with one idempotency key once.
  let knowsKeys: Bool

  var description: String {
    "\(links), keys of the \(keys), \(knowsKeys ? "with" : "without") idempotency keys"
  }

  static let all = Keys.allCases.flatMap { keys in
    Links.allCases.flatMap { links in
      [true, false].map { Dialect(keys: keys, links: links, knowsKeys: $0) }
    }
  }

  /// Entities whose objects are sent by themselves.
  var entities: [String] {
    links == .nested ? ["Buyer", "Mark", "Deal"] : ["Buyer", "Mark", "Deal", "Item"]
  }

  var options: ExportOptions {
    switch links {
    case .byKey, .apart: ExportOptions(relationshipType: .keys)
    case .nested: ExportOptions(relationshipType: .keys, nesting: ["items"])
    case .resources: .jsonAPI
    }
  }

  /// Sends a change, as a program for an API like this does.
  func send(_ change: OutboxChange, to server: DialectLine) async throws -> OutboxAnswer {
    if links == .apart, change.entity == "Deal", change.kind != .delete {
      return try await sendApart(change, to: server)
    }
    let (json, changed) =
      links == .resources
      ? (DialectServer.object(change.json), DialectServer.object(change.changedJSON))
      : (change.json, change.changedJSON)
    return try await server.request { desk in
      switch change.kind {
      case .insert: desk.post(change.entity, json, key: change.idempotencyKey)
      case .update:
        desk.patch(
          change.entity, change.id, changed, version: json["version"], key: change.idempotencyKey)
      case .delete: desk.delete(change.entity, change.id)
      }
    }
  }

  private func sendApart(
    _ change: OutboxChange, to server: DialectLine
  ) async throws -> OutboxAnswer {
    var answer = OutboxAnswer.accepted()
    if change.kind == .insert {
      answer = try await server.request {
        $0.post("Deal", change.json, key: change.idempotencyKey)
      }
    } else if change.properties != ["marks"] {
      answer = try await server.request {
        $0.patch(
          "Deal", change.id, change.changedJSON, version: change.json["version"],
          key: change.idempotencyKey)
      }
    }
    guard case .accepted(let json) = answer else { return answer }
    let deal = json?["id"]?.stringValue ?? change.id
    for (marks, isThere) in [(change.added, true), (change.removed, false)] {
      for mark in marks["marks"] ?? [] {
        let link = try await server.request { $0.link(deal, "\(mark)", isThere: isThere) }
        guard case .accepted = link else { return link }
      }
    }
    // Its marks came after it.
    guard var object = json?.objectValue else { return answer }
    object["mark_ids"] = nil
    return .accepted(.object(object))
  }
}
