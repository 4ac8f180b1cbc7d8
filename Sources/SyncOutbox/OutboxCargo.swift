import SyncCore
import SyncEngine
import SyncGraph
import SyncStore

/// Which objects without a handler of their own travel inside the JSON of another one: the lines of
/// an order that nests them.
///
/// The carrier of an object is the object that its to-one leads to, or led to before it was taken
/// out, when the inverse of that relationship is nested in the JSON of an object with a handler; in
/// the JSON of its carrier, when everything is nested. Confined to one use of the store.
struct OutboxCargo {
  private let outbox: String
  private let stack: DataStack
  private let destinations: [OutboxDestination]
  private var nested: [Int: SlotSet] = [:]
  private var travellers: [Int: Bool] = [:]

  init(_ outbox: String, _ stack: DataStack, _ destinations: [OutboxDestination]) {
    self.outbox = outbox
    self.stack = stack
    self.destinations = destinations
  }

  /// An object with a handler, and the relationship below which another one stands in its JSON.
  struct Carrier {
    let id: ManagedObjectID
    let slot: Int
  }

  /// An object without a handler, and the relationship of its carrier below which it stands.
  struct Passenger {
    let id: ManagedObjectID
    let slot: Int
  }

  // MARK: - Carriers

  /// Whether something carries an object, as far as that can be told without knowing the owner it
  /// belonged to before.
  mutating func isCarried(_ entry: OutboxEntry, _ reader: StoreReader) throws -> Bool {
    if try carrier(of: entry, reader) != nil { return true }
    guard let edit = entry.edit, try canTravel(entry.id.entity) else { return false }
    return edit.kind == .delete
      || entry.id.entity.relationships.contains {
        $0.kind == .toOne && $0.inverseSlot != nil && edit.slots.contains($0.slot)
      }
  }

  /// Whether objects of an entity can travel at all: something above it nests them, or nests the
  /// owners they are below. Entities that lead to each other in a circle are looked at once.
  mutating func canTravel(_ entity: EntityDescription) throws -> Bool {
    if let known = travellers[entity.index] { return known }
    var seen: Set<Int> = [entity.index]
    var open = [entity]
    while let next = open.popLast() {
      for relationship in next.relationships where relationship.kind == .toOne {
        guard let inverse = relationship.inverseSlot else { continue }
        for owner in next.destination(of: relationship).familyEntities {
          if let slots = try nestedSlots(of: owner) {
            guard slots.contains(inverse) else { continue }
            travellers[entity.index] = true
            return true
          }
          if seen.insert(owner.index).inserted { open.append(owner) }
        }
      }
    }
    travellers[entity.index] = false
    return false
  }

  /// The carrier of an object: the nearest of those that it is below. Objects that lead to each
  /// other in a circle are looked at once.
  private mutating func carrier(of entry: OutboxEntry, _ reader: StoreReader) throws -> Carrier? {
    guard try canTravel(entry.id.entity) else { return nil }
    var seen: Set<ManagedObjectID> = [entry.id]
    var wave: [(id: ManagedObjectID, entry: OutboxEntry?)] = [(entry.id, entry)]
    var isDeep = false
    while !wave.isEmpty {
      var above: [(id: ManagedObjectID, entry: OutboxEntry?)] = []
      for (id, entry) in wave {
        for (owner, inverse) in try owners(of: id, entry, reader) {
          guard let slots = try nestedSlots(of: owner.id.entity) else {
            if seen.insert(owner.id).inserted { above.append(owner) }
            continue
          }
          let nestsAll = destinations.destination(for: owner.id.entity)?.nestsAll == true
          guard slots.contains(inverse), !isDeep || nestsAll else { continue }
          return Carrier(id: owner.id, slot: inverse)
        }
      }
      wave = above
      isDeep = true
    }
    return nil
  }

  /// The owners of an object, with the slot of the list that it is in there.
  private func owners(
    of id: ManagedObjectID, _ entry: OutboxEntry?, _ reader: StoreReader
  ) throws -> [(owner: (id: ManagedObjectID, entry: OutboxEntry?), inverse: Int)] {
    let row = try reader.rows(id.entity, rows: [id.row]).first
    return try id.entity.relationships.compactMap { relationship in
      guard relationship.kind == .toOne, let inverse = relationship.inverseSlot else { return nil }
      // An object that was taken out of its owner's list goes with that list.
      var value = row?.values[relationship.slot] ?? .null
      if value.isNull { value = entry?.edit?.base[relationship.name] ?? .null }
      guard case .int(let number) = value,
        let owner = try owner(number, id.entity.destination(of: relationship), reader)
      else { return nil }
      return (owner, inverse)
    }
  }

  /// An object that is there, or whose deletion has not been sent.
  private func owner(
    _ row: Int64, _ entity: EntityDescription, _ reader: StoreReader
  ) throws -> (id: ManagedObjectID, entry: OutboxEntry?)? {
    if let stored = try reader.rows(entity.rootEntity, rows: [row]).first {
      return (stored.id, nil)
    }
    let entry = try reader.outboxEntry(ManagedObjectID(entity: entity, row: row), in: outbox)
    return entry.map { ($0.id, $0) }
  }

  /// The relationships whose objects are nested in the JSON of an entity's objects; nil when it has
  /// no handler.
  private mutating func nestedSlots(of entity: EntityDescription) throws -> SlotSet? {
    guard let destination = destinations.destination(for: entity) else { return nil }
    if let known = nested[entity.index] { return known }
    let slots = try destination.export(of: entity, stack).nestedSlots(of: entity)
    nested[entity.index] = slots
    return slots
  }

  // MARK: - Loading

  /// Has every carrier sent with its passengers: its JSON changes with them.
  ///
  /// - Parameter passengers: Objects without a handler.
  /// - Returns: The passengers of each carrier.
  mutating func load(
    _ passengers: [ManagedObjectID], in transaction: StoreTransaction
  ) throws -> [ManagedObjectID: [Passenger]] {
    var result: [ManagedObjectID: [Passenger]] = [:]
    for id in passengers {
      guard let before = try transaction.outboxEntry(id, in: outbox) else { continue }
      var entry = before
      guard let carrier = try carrier(of: entry, transaction) else {
        if try isGone(entry, transaction) {
          try transaction.change(entry, in: outbox) { $0.forget() }
        }
        continue
      }
      let carrying = try transaction.outboxEntry(carrier.id, in: outbox)
      if let sent = entry.sent, carrying?.sent?.idempotencyKey != sent.idempotencyKey,
        try OutboxCargo.carrierUnderWay(of: id, outbox, transaction) == nil
      {
        entry.takeBack()
        try transaction.setOutboxEntry(entry, before: before, in: outbox)
      }
      guard entry.waiting != nil else { continue }
      result[carrier.id, default: []].append(Passenger(id: id, slot: carrier.slot))
      // One that was refused goes along, but its carrier does not go because of it.
      if entry.refusal == nil { try load(carrier, carrying, in: transaction) }
    }
    return result
  }

  private func load(
    _ carrier: Carrier, _ before: OutboxEntry?, in transaction: StoreTransaction
  ) throws {
    var entry = before ?? OutboxEntry(carrier.id)
    entry.refusal = nil
    switch entry.waiting?.kind {
    case .update?: entry.waiting?.slots.insert(carrier.slot)
    case nil where entry.sent?.edit.kind != .delete:
      entry.waiting = OutboxEntry.Edit(.update, slots: [carrier.slot])
    case nil, .insert?, .delete?: break
    }
    if entry != before {
      try transaction.setOutboxEntry(entry, before: before ?? OutboxEntry(carrier.id), in: outbox)
    }
  }

  /// Whether nothing is left to be sent of an object that nothing carries.
  private mutating func isGone(_ entry: OutboxEntry, _ reader: StoreReader) throws -> Bool {
    // Its owner was deleted, and it with it, or after it was taken out.
    if try leftOwner(entry, reader) { return try canTravel(entry.id.entity) }
    // So was an unsent object below an owner that the server had deleted.
    return try entry.edit?.kind != .delete && entry.sent == nil
      && reader.rows(entry.id.entity, rows: [entry.id.row]).isEmpty
  }

  private func leftOwner(_ entry: OutboxEntry, _ reader: StoreReader) throws -> Bool {
    let row = try reader.rows(entry.id.entity, rows: [entry.id.row]).first
    return entry.id.entity.relationships.contains {
      guard $0.inverseSlot != nil, case .int? = entry.edit?.base[$0.name] else { return false }
      return row?.values[$0.slot].isNull != false
    }
  }

  // MARK: - Under way

  /// The carrier in which an object is under way, as far as its answer is still to come.
  static func carrierUnderWay(
    of id: ManagedObjectID, _ outbox: String, _ reader: StoreReader
  ) throws -> OutboxEntry? {
    guard let sent = try reader.outboxEntry(id, in: outbox)?.sent, sent.json.isEmpty else {
      return nil
    }
    return try reader.outboxEntries(sentAs: sent.idempotencyKey, in: outbox)
      .first { $0.sent?.json.isEmpty == false }
  }

  /// Notes that objects are under way inside another one.
  static func ship(
    _ ids: [ManagedObjectID], as idempotencyKey: String, _ outbox: String,
    in transaction: StoreTransaction
  ) throws {
    for id in ids {
      guard let before = try transaction.outboxEntry(id, in: outbox), let edit = before.edit else {
        continue
      }
      var entry = before
      entry.sent = OutboxEntry.Shipment(
        edit, json: "", changedJSON: "", idempotencyKey: idempotencyKey)
      entry.waiting = nil
      entry.refusal = nil
      try transaction.setOutboxEntry(entry, before: before, in: outbox)
    }
  }

  /// The objects under way inside another one.
  ///
  /// - Parameter idempotencyKey: That of the carrier.
  static func carried(
    by carrier: ManagedObjectID, as idempotencyKey: String, _ outbox: String,
    _ reader: StoreReader
  ) throws -> [OutboxEntry] {
    try reader.outboxEntries(sentAs: idempotencyKey, in: outbox).filter { $0.id != carrier }
  }

  /// Gives the passengers of a carrier its outcome.
  ///
  /// - Parameter idempotencyKey: That of the carrier.
  /// - Returns: The objects that it carried.
  static func arrive(
    _ step: OutboxStep, _ carrier: ManagedObjectID, as idempotencyKey: String,
    _ outbox: String, _ reach: inout OutboxReach, in transaction: StoreTransaction
  ) throws -> [ManagedObjectID] {
    let carried = try carried(by: carrier, as: idempotencyKey, outbox, transaction)
    for before in carried {
      var entry = before
      switch step.outcome {
      case .accepted:
        entry.acknowledge()
        try transaction.endLinks(
          from: before, to: entry, slots: reach.saidSlots(of: entry.id.entity), in: outbox)
      case .refused(let reason):
        if !step.isMade { entry.takeBack() }
        if !entry.isGivenUp { entry.refusal = reason }
      case .again: entry.takeBack()
      }
      try transaction.setOutboxEntry(entry, before: before, in: outbox)
    }
    return carried.map(\.id)
  }
}
