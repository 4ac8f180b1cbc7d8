import SyncCore
import SyncGraph
import SyncStore

/// Which entities the outboxes of a program send: each takes in the edits that its handlers send,
/// and those that no outbox sends. An edit of another one's alone neither waits in it nor is left
/// alone by syncs because of it.
struct OutboxScopes: Sendable {
  private let entities: [String: Set<Int>]

  init(_ stack: DataStack) throws {
    entities = try stack.store.outboxEntities.withLock { $0 }
  }

  /// The outboxes that send an entity, when this one does not; none when it has no handlers yet.
  func senders(of entity: EntityDescription, for outbox: String) -> [String] {
    guard entities.count > 1, entities[outbox]?.contains(entity.index) == false else { return [] }
    return entities.keys.filter { entities[$0]?.contains(entity.index) == true }.sorted()
  }

  /// Takes the edits since into the entries of an outbox, and of the others of the program, so that
  /// a change that one of them sends is not unsent for another one that has not read so far.
  func drain(_ outbox: String, in transaction: StoreTransaction) throws {
    for name in Set(entities.keys).union([outbox]).sorted() {
      try transaction.drainHistory(intoOutbox: name) {
        senders(of: $0.entity, for: name).isEmpty
      }
    }
  }

  /// Forgets entries of an outbox that another one, which got its handler later, has too.
  ///
  /// - Complexity: linear in the waiting entries, with several outboxes.
  func forgetOthers(in transaction: StoreTransaction) throws {
    guard entities.count > 1 else { return }
    for name in entities.keys.sorted() {
      var entries: [OutboxEntry] = []
      try transaction.readOutbox(name) { entry in
        if !senders(of: entry.id.entity, for: name).isEmpty { entries.append(entry) }
      }
      for before in entries where try isKept(before, beside: name, transaction) {
        try transaction.change(before, in: name) { $0.forget() }
      }
    }
  }

  /// Whether an edit is another outbox's alone, that has it or reads it in the history.
  func isElsewhere(_ entry: OutboxEntry, than outbox: String, _ reader: StoreReader) throws -> Bool
  {
    if entry.number > 0 { return try isKept(entry, beside: outbox, reader) }
    return !senders(of: entry.id.entity, for: outbox).isEmpty
  }

  /// Whether another outbox sends an object, and has it.
  func isKept(_ entry: OutboxEntry, beside outbox: String, _ reader: StoreReader) throws -> Bool {
    try senders(of: entry.id.entity, for: outbox).contains {
      try reader.outboxEntry(entry.id, in: $0) != nil
    }
  }
}

extension Outbox {
  /// Tells the others of the program which entities this one sends, those among them that travel
  /// inside others.
  func noteEntities(_ destinations: [OutboxDestination]) {
    guard let store = try? stack.store else { return }
    var cargo = OutboxCargo(name, stack, destinations)
    // A serializer that does not fit the model ends the next run with its error.
    let sent = stack.model.entities.filter {
      destinations.destination(for: $0) != nil || (try? cargo.canTravel($0)) == true
    }
    store.outboxEntities.withLock { $0[name] = Set(sent.map(\.index)) }
  }
}
