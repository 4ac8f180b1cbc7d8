import Foundation
import SyncCore
import SyncEngine
import SyncGraph
import SyncStore

/// Makes changes of one run ready to be sent: decides whether their turn has come, and writes their
/// JSON.
struct OutboxPreparing: Sendable {
  enum Outcome: Sendable {
    case ready(OutboxShipment)
    /// There is nothing to send of it, or not any more.
    case nothing
    /// It cannot be sent in this run.
    case held
    case refused(String, OutboxChange)
    /// Another object has to be sent first.
    case after(Wait)
  }

  let name: String
  let stack: DataStack
  let destinations: [OutboxDestination]
  private let now: Int64

  /// The objects that deletions wait for.
  private(set) var references: OutboxReferences?

  /// The passengers by their carriers, and the other way round, as of the last edits. Shared by the
  /// copies.
  private let hold = Hold()
  var cargo: [ManagedObjectID: [OutboxCargo.Passenger]] { hold.content.withLock { $0.cargo } }
  var carriers: [ManagedObjectID: ManagedObjectID] { hold.content.withLock { $0.carriers } }

  private final class Hold: Sendable {
    struct Content {
      var token: HistoryToken?
      var cargo: [ManagedObjectID: [OutboxCargo.Passenger]] = [:]
      var carriers: [ManagedObjectID: ManagedObjectID] = [:]
      var givenUp: Set<ManagedObjectID> = []
    }

    let content = Locked(Content())
  }

  /// - Throws: `ModelError` when the model has no entity of a handler.
  init(_ outbox: Outbox, _ destinations: [OutboxDestination]) throws {
    for destination in destinations {
      _ = try outbox.stack.model.requireEntity(named: destination.entityName)
    }
    name = outbox.name
    stack = outbox.stack
    self.destinations = destinations
    now = Int64(Date().timeIntervalSince1970 * 1000)
  }

  /// Whether an object may have its turn in this run.
  func mayBeSent(_ entry: OutboxEntry) -> Bool {
    entry.edit != nil && entry.refusal == nil && entry.earliest ?? .min <= now
      && destinations.destination(for: entry.id.entity) != nil
  }

  /// Has passengers be found anew: some of them are to go again.
  func reloadCargo() { hold.content.withLock { $0.token = nil } }

  /// Has objects without a handler travel inside those that nest them: all that the JSON has now,
  /// since edits during a run are in the JSON that is written next.
  private func loadCargo(in transaction: StoreTransaction) throws {
    let last = hold.content.withLock { $0.token }
    var content = Hold.Content(token: try transaction.latestHistoryToken())
    if let last, try !transaction.hasLocalHistory(after: last) {
      return hold.content.withLock { $0.token = content.token }
    }
    var passengers: [ManagedObjectID] = []
    try transaction.readOutbox(name) { entry in
      if destinations.destination(for: entry.id.entity) == nil { passengers.append(entry.id) }
      if entry.isGivenUp { content.givenUp.insert(entry.id) }
    }
    if !passengers.isEmpty {
      var loading = OutboxCargo(name, stack, destinations)
      content.cargo = try loading.load(passengers, in: transaction)
      for (carrier, list) in content.cargo {
        for passenger in list { content.carriers[passenger.id] = carrier }
      }
    }
    hold.content.withLock { $0 = content }
  }

  /// Reads the entries to send, and finds the objects that deletions wait for.
  ///
  /// - Returns: The entries that may have their turn in this run.
  mutating func load(in transaction: StoreTransaction) throws -> [OutboxEntry] {
    try loadCargo(in: transaction)
    var entries: [OutboxEntry] = []
    var deletions: [OutboxEntry] = []
    try transaction.readOutbox(name) { entry in
      if mayBeSent(entry) { entries.append(entry) }
      if entry.edit?.kind == .delete, destinations.destination(for: entry.id.entity) != nil {
        deletions.append(entry)
      }
    }
    references = try OutboxReferences(to: deletions, outbox: name, transaction)
    return entries
  }

  /// Makes several ready, by the edits until now: nothing is sent of a new object that has been
  /// deleted meanwhile.
  ///
  /// - Parameter schedule: The other objects to send in this run.
  func prepare(
    _ ids: [ManagedObjectID], _ schedule: OutboxSchedule, in transaction: StoreTransaction
  ) throws -> [(ManagedObjectID, Outcome)] {
    try OutboxScopes(stack).drain(name, in: transaction)
    try loadCargo(in: transaction)
    return try ids.map { ($0, try prepare($0, schedule, in: transaction)) }
  }

  private func prepare(
    _ id: ManagedObjectID, _ schedule: OutboxSchedule, in transaction: StoreTransaction
  ) throws -> Outcome {
    guard let entry = try transaction.outboxEntry(id, in: name), let edit = entry.edit else {
      return .nothing
    }
    guard mayBeSent(entry), let destination = destinations.destination(for: id.entity) else {
      return .held
    }
    // A change without an answer goes again as it was, and the edits since after it.
    if let sent = entry.sent {
      return .ready(
        try shipment(
          entry, sent, later: entry.waiting, destination, isRepeated: true, in: transaction))
    }
    for passenger in cargo[id] ?? [] {
      // An object under way inside another one has no key yet, or is there and not here.
      guard let other = try OutboxCargo.carrierUnderWay(of: passenger.id, name, transaction),
        other.id != id
      else { continue }
      return schedule.isCut(id, from: other.id)
        ? .held : .after(Wait(other: other, tie: .key))
    }
    if edit.kind == .delete {
      if let wait = try deletionWait(entry, schedule, in: transaction) { return .after(wait) }
      return try send(
        entry, edit, json: .object(try preserved(entry, destination)), changed: nil, destination,
        in: transaction)
    }
    guard let row = try transaction.rows(id.entity, rows: [id.row]).first else {
      return try drop(entry, in: transaction)
    }
    let export = try destination.export(of: id.entity, stack)
    let exported = try export.slots(of: id.entity)
    var slots = edit.kind == .insert ? exported : edit.slots.intersection(exported)
    if slots.isEmpty { return try drop(entry, in: transaction) }
    var postponed = SlotSet()
    if let wait = try wait(row, edit.kind, slots, schedule, &postponed, in: transaction) {
      return .after(wait)
    }
    slots.subtract(postponed)
    let gap = try gap(
      row, slots, export, writesResources: destination.options.writesResources, in: transaction)
    if case .passing? = gap { return .held }
    let givenUp = hold.content.withLock { $0.givenUp }
    let json = try export.json(
      of: row, only: edit.kind == .insert ? slots : exported, without: givenUp, transaction)
    // Spelled out: a nil without a type would be the JSON value null.
    let changed: JSONValue? =
      edit.kind == .insert
      ? Optional.none
      : try export.json(of: row, only: slots, namesKind: false, without: givenUp, transaction)
    return try send(
      entry, edit, json: json, changed: changed, postponed: postponed, gap: gap, destination,
      in: transaction)
  }

  /// Keeps the shipment, so that it can be sent again as it is.
  private func send(
    _ before: OutboxEntry, _ edit: OutboxEntry.Edit, json: JSONValue, changed: JSONValue?,
    postponed: SlotSet = SlotSet(), gap: Gap? = nil, _ destination: OutboxDestination,
    in transaction: StoreTransaction
  ) throws -> Outcome {
    var entry = before
    let sent = OutboxEntry.Shipment(
      edit, json: json.description, changedJSON: changed?.description ?? "",
      idempotencyKey: UUID().uuidString)
    let later = postponed.isEmpty ? nil : postponement(of: postponed, of: before, edit)
    let shipment = try shipment(
      entry, sent, later: later, destination, isRepeated: false, in: transaction)
    if let reason = reason(against: shipment.change, gap) {
      entry.refusal = reason
      try transaction.setOutboxEntry(entry, before: before, in: name)
      return .refused(reason, shipment.change)
    }
    entry.sent = sent
    entry.waiting = later
    try transaction.setOutboxEntry(entry, before: before, in: name)
    let passengers = cargo[before.id] ?? []
    try OutboxCargo.ship(
      passengers.filter { edit.kind != .update || edit.slots.contains($0.slot) }.map(\.id),
      as: sent.idempotencyKey, name, in: transaction)
    return .ready(shipment)
  }

  /// The edit that is sent afterwards of slots that cannot be sent yet.
  private func postponement(
    of slots: SlotSet, of entry: OutboxEntry, _ edit: OutboxEntry.Edit
  ) -> OutboxEntry.Edit {
    var later = OutboxEntry.Edit(.update, slots: slots)
    for slot in slots {
      let property = entry.id.entity.properties[slot]
      let nothing =
        property.relationship?.isToMany == true
        ? EditedList(before: [], edited: nil).value : Value.null
      later.base[property.name] = edit.base[property.name] ?? (edit.kind == .insert ? nothing : nil)
    }
    return later
  }

  private func drop(_ before: OutboxEntry, in transaction: StoreTransaction) throws -> Outcome {
    try transaction.change(before, in: name) { $0.waiting = nil }
    return .nothing
  }

  private func shipment(
    _ entry: OutboxEntry, _ sent: OutboxEntry.Shipment, later: OutboxEntry.Edit?,
    _ destination: OutboxDestination, isRepeated: Bool, in transaction: StoreTransaction
  ) throws -> OutboxShipment {
    let lists = try ListChanges(entry.id, sent.edit, later: later, outbox: name, transaction)
    let json = try JSONValue(parsing: sent.json)
    let change = OutboxChange(
      kind: OutboxChange.Kind(sent.edit.kind), objectID: entry.id,
      key: try transaction.keys(of: [entry])[entry.id],
      properties: sent.edit.slots.map { entry.id.entity.properties[$0].name }, json: json,
      changedJSON: sent.changedJSON.isEmpty ? json : try JSONValue(parsing: sent.changedJSON),
      added: lists.added, removed: lists.removed, idempotencyKey: sent.idempotencyKey)
    return OutboxShipment(
      change: change, destination: destination,
      owners: try owners(of: entry.id, sent.edit, transaction), isRepeated: isRepeated)
  }

  /// The known values of a deleted object, under the keys that its JSON gives the attributes.
  private func preserved(
    _ entry: OutboxEntry, _ destination: OutboxDestination
  ) throws -> JSONObject {
    let plans = stack.mappingPlans
    let source = destination.source(for: entry.id.entity)
    let rules = try plans.plan(for: source, in: stack.model).rootNode.attributes
    let mapped = Set(rules.map(\.name))
    let others = plans.plan(for: entry.id.entity).rootNode.attributes.filter {
      !mapped.contains($0.name)
    }
    var result = JSONObject()
    for rule in rules + others {
      if let value = entry.tombstone[rule.name], !value.isNull {
        result[rule.remoteKey.steps.last ?? rule.name] = JSONValue(scalar: value)
      }
    }
    return result
  }
}
