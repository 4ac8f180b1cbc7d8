import SyncStack
import TestSupport

/// A stack of a model in a few lines, with an outbox that sends some of its entities to a server
/// that answers as it is told to.
struct DraftedShop {
  let stack: DataStack
  let outbox: Outbox
  let server = ToldServer()

  init(_ model: [EntityDraft], sending entities: String..., nesting: Set<String> = []) throws {
    stack = try DataStack(
      model: ManagedObjectModel(model), store: .inMemory, tracksChanges: true)
    outbox = try Outbox(stack, name: "api")
    outbox.retry = RetryPolicy(attempts: 0, delay: 0)
    let options = ExportOptions(relationshipType: .keys, nesting: nesting)
    for entity in entities {
      outbox.send(with: Conventional(entity), using: options) { [server] in
        try server.answer(to: $0)
      }
    }
  }

  func sync(_ json: JSONValue, _ entity: String) async throws {
    try await stack.sync(json, inEntityNamed: entity)
  }

  /// Edits, and saves; the closure finds objects by entity and filter.
  func edit(
    _ body:
      @Sendable (ManagedObjectContext, (String, String) throws -> ManagedObject) throws
      -> Void
  ) async throws {
    try await stack.edit { context in
      try body(context) { entity, filter in
        let found = try context.fetch(Fetch<ManagedObject>(entityNamed: entity, filter))
        guard let object = found.first else { throw Missing(entity: entity, filter: filter) }
        return object
      }
    }
  }

  struct Missing: Error {
    let entity: String
    let filter: String
  }

  /// Some values of all objects of an entity, one text each, sorted: `1 one`.
  func values(_ entity: String, _ names: String...) throws -> [String] {
    let list = try stack.export(entity, using: ExportOptions(relationshipType: .keys))
    return (list.arrayValue ?? []).map { object in
      names.map { name in
        let value = object[name] ?? .null
        return value.stringValue ?? "\(value)"
      }.joined(separator: " ")
    }.sorted()
  }
}
