import SyncCore
import SyncEngine
import SyncGraph
import SyncStore

/// Which edits an outbox sends, as its handlers are now. An edit that nothing would send is no
/// change: it neither waits nor is pending.
///
/// - With a handler: an update of properties that its JSON does not have.
/// - Without one: an update of the other ends of relationships, which the objects there send, and
///   of properties that the model does not export; a deletion that came with the deletion of an
///   owner, once that was accepted.
///
/// Confined to one use of the store.
struct OutboxReach {
  enum Answer {
    case sent

    /// It waits until its entity has a handler.
    case needsHandler
    case nothing
  }

  private let outbox: String
  private let stack: DataStack
  private let destinations: [OutboxDestination]
  private var cargo: OutboxCargo

  /// Entries as they are now, those among them that were not kept yet.
  private let entries: [ManagedObjectID: OutboxEntry]
  private var exported: [Int: SlotSet] = [:]
  private var sendable: [Int: SlotSet] = [:]

  init(
    _ outbox: String, _ stack: DataStack, _ destinations: [OutboxDestination],
    entries: [OutboxEntry] = []
  ) {
    self.entries = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
    self.outbox = outbox
    self.stack = stack
    self.destinations = destinations
    cargo = OutboxCargo(outbox, stack, destinations)
  }

  /// The fate of an entry. An outbox without handlers only looks: it shows everything.
  mutating func answer(
    for entry: OutboxEntry, _ edit: OutboxEntry.Edit, _ reader: StoreReader
  ) throws -> Answer {
    guard !destinations.isEmpty, entry.sent == nil else { return .sent }
    let entity = entry.id.entity
    if let slots = try exportedSlots(of: entity) {
      return edit.kind != .update || !edit.slots.isDisjoint(with: slots) ? .sent : .nothing
    }
    if try cargo.isCarried(entry, reader) { return .sent }
    switch edit.kind {
    case .insert: return .needsHandler
    case .update:
      return try edit.slots.isDisjoint(with: sendableSlots(of: entity)) ? .nothing : .needsHandler
    case .delete: return try answer(forDeletion: entry, edit, reader)
    }
  }

  // MARK: - Updates

  /// The properties that a sent object says: a link is acknowledged by the answer to an end that
  /// says it.
  mutating func saidSlots(of entity: EntityDescription) throws -> SlotSet {
    try exportedSlots(of: entity) ?? sendableSlots(of: entity)
  }

  /// The properties in the JSON of a handler; nil without a handler.
  private mutating func exportedSlots(of entity: EntityDescription) throws -> SlotSet? {
    if let known = exported[entity.index] { return known }
    guard let destination = destinations.destination(for: entity) else { return nil }
    let slots = try destination.export(of: entity, stack).slots(of: entity)
    exported[entity.index] = slots
    return slots
  }

  /// The properties that a handler would send of an entity without one, and no other end sends.
  private mutating func sendableSlots(of entity: EntityDescription) throws -> SlotSet {
    if let known = sendable[entity.index] { return known }
    var slots = try RowExport(
      Conventional(entity.name), in: stack.model, options: ExportOptions(relationshipType: .keys),
      plans: stack.mappingPlans
    ).slots(of: entity)
    for relationship in entity.relationships where slots.contains(relationship.slot) {
      guard let inverse = relationship.inverseSlot else { continue }
      for other in entity.destination(of: relationship).familyEntities
      where try exportedSlots(of: other)?.contains(inverse) == true {
        slots.subtract([relationship.slot])
      }
    }
    sendable[entity.index] = slots
    return slots
  }

  // MARK: - Deletions

  /// A deletion that took place with that of an owner goes with it.
  private mutating func answer(
    forDeletion entry: OutboxEntry, _ edit: OutboxEntry.Edit, _ reader: StoreReader
  ) throws -> Answer {
    var seen: Set<ManagedObjectID> = [entry.id]
    var wave = [(id: entry.id, edit: edit)]
    var isOwned = false
    while let (id, edit) = wave.popLast() {
      // An entry that was read with many others comes without its base.
      let known = edit.base.isEmpty ? try reader.outboxEntry(id, in: outbox)?.edit : nil
      for owner in owners(of: id, known ?? edit) where seen.insert(owner).inserted {
        isOwned = true
        if let above = try entries[owner] ?? reader.outboxEntry(owner, in: outbox),
          let edit = above.edit
        {
          guard edit.kind == .delete else { return .needsHandler }
          if try exportedSlots(of: above.id.entity) != nil { return .sent }
          wave.append((above.id, edit))
        } else if try reader.missing([owner.row], of: owner.entity).isEmpty {
          return .needsHandler
        }
      }
    }
    return isOwned ? .nothing : .needsHandler
  }

  /// The objects whose deletion takes an object along, as it was before its own.
  private func owners(of id: ManagedObjectID, _ edit: OutboxEntry.Edit) -> [ManagedObjectID] {
    id.entity.relationships.compactMap { relationship in
      guard id.entity.inverse(of: relationship)?.deleteRule == .cascade,
        case .int(let row)? = edit.base[relationship.name]
      else { return nil }
      return ManagedObjectID(entity: id.entity.destination(of: relationship), row: row)
    }
  }
}

extension Outbox {
  /// The pending changes as items; edits that nothing would send are left out.
  func items(_ entries: [OutboxEntry], _ reader: StoreReader) throws -> [OutboxItem] {
    let keys = try reader.keys(of: entries)
    let destinations = settings.withLock { $0.destinations }
    var reach = OutboxReach(name, stack, destinations, entries: entries)
    let scopes = try OutboxScopes(stack)
    return try entries.compactMap { entry in
      guard let edit = entry.edit, try !scopes.isElsewhere(entry, than: name, reader) else {
        return nil
      }
      let answer = try reach.answer(for: entry, edit, reader)
      guard answer != .nothing else { return nil }
      return OutboxItem(
        entry, edit, key: keys[entry.id],
        obstacle: answer == .sent ? nil : OutboxReport.obstacle(entry.id.entity.name))
    }
  }

  /// Forgets edits that nothing would send, so that syncs have them again, and new objects that
  /// were given up and are not there any more.
  ///
  /// - Complexity: linear in the waiting entries.
  func forgetUnsendable(in transaction: StoreTransaction) throws {
    var reach = OutboxReach(name, stack, settings.withLock { $0.destinations })
    var entries: [OutboxEntry] = []
    try transaction.readOutbox(name) { entry in
      if let edit = entry.edit {
        if try reach.answer(for: entry, edit, transaction) == .nothing { entries.append(entry) }
      } else if try !transaction.missing([entry.id.row], of: entry.id.entity).isEmpty {
        entries.append(entry)
      }
    }
    for id in entries.map(\.id) {
      guard let before = try transaction.outboxEntry(id, in: name) else { continue }
      try transaction.change(before, in: name) { $0.forget() }
    }
  }
}
