import SyncCore

/// The edits made here and not sent yet that an undo ends, or begins again.
///
/// | the undo | the edit |
/// |---|---|
/// | makes a property what the server has | ends |
/// | brings a deleted object back | the deletion ends, what was edited before it is to be sent |
/// | takes a new object away | ends |
/// | is undone itself | begins again |
///
/// An outbox keeps the server's values, and its entries are changed. Without one the history says
/// whether an edit is older than the commits that are taken back. Records in the history tell its
/// readers what ended and what began (see ``ValueJournal``).
struct UndoneEdits {
  let transaction: StoreTransaction
  let plan: UndoPlanner

  /// The commits that are taken back, from the first to the last.
  let first: Int64
  let last: Int64

  /// The properties that are written, of objects that were there and stay; lists at the other ends
  /// of references among them.
  let written: [ManagedObjectID: SlotSet]

  /// The links of new objects that go, seen from their other ends.
  let goingLinks: [(owner: ManagedObjectID, slot: Int, member: Int64)]

  /// What undos among the commits have ended, by outbox; the first extent of each object counts.
  let endedBefore: [String: [ManagedObjectID: UndoneEdit.Extent]]

  /// The values that the objects of these have before anything is written.
  let former: [ManagedObjectID: [String: Value]]

  /// What is to be sent before anything is written, in a store without outboxes.
  private let unsent: HistoryFold?

  /// - Precondition: Nothing of the plan is written yet.
  init(
    _ transaction: StoreTransaction, _ plan: UndoPlanner, from first: Int64, through last: Int64
  ) throws {
    self.transaction = transaction
    self.plan = plan
    self.first = first
    self.last = last
    goingLinks = try plan.linksOfMade()
    var written = plan.writtenProperties
    for link in goingLinks { written[link.owner, default: SlotSet()].insert(link.slot) }
    self.written = written
    let ended = try transaction.undoneEdits(from: first, through: last).filter { !$0.isBegun }
    endedBefore = ended.reduce(into: [:]) { result, edit in
      switch (result[edit.outbox]?[edit.id], edit.extent) {
      case (nil, let extent): result[edit.outbox, default: [:]][edit.id] = extent
      case (.properties(var slots)?, .properties(let others)):
        slots.formUnion(others)
        result[edit.outbox]?[edit.id] = .properties(slots)
      case (_, _): break
      }
    }
    var former: [ManagedObjectID: [String: Value]] = [:]
    for (entity, edits) in Dictionary(grouping: ended, by: \.id.entity) {
      former.merge(try transaction.values(of: edits.map(\.id.row), in: entity)) { first, _ in first
      }
    }
    self.former = former
    unsent = try transaction.outboxes().isEmpty ? transaction.unsentHistory()?.fold : nil
  }

  /// Ends and begins edits, once everything is written.
  func settle() throws {
    if let unsent { return try settle(unsent) }
    for outbox in try transaction.outboxes() where try outbox.history >= transaction.historyFloor()
    {
      try transaction.drainOnce(outbox.name)
      try UndoneEntries(self, of: outbox.name).settle()
    }
  }

  func note(
    _ isBegun: Bool, _ extent: UndoneEdit.Extent, of id: ManagedObjectID, in outbox: String = ""
  ) {
    if case .properties(let slots) = extent, slots.isEmpty { return }
    transaction.undoneEdits.append(
      UndoneEdit(id: id, isBegun: isBegun, extent: extent, outbox: outbox))
  }

  // MARK: - Without an outbox

  private func settle(_ now: HistoryFold) throws {
    let start = try transaction.acknowledgedHistory([]) ?? transaction.historyFloor()
    var before = HistoryFold(after: HistoryToken(number: start))
    try transaction.readLocalHistory(into: &before, base: .nothing, through: first - 1)
    for id in plan.returning.keys.sorted() {
      if now[id]?.kind == .delete { note(false, .deletion, of: id) }
      if let entry = before[id] { note(true, entry.extent, of: id) }
    }
    for id in plan.made.sorted() {
      if let entry = now[id], entry.kind != .delete { note(false, entry.extent, of: id) }
      if before[id]?.kind == .delete { note(true, .deletion, of: id) }
    }
    // The server has an acknowledged value that is newer than that which is here again.
    guard start < first else { return }
    for (id, slots) in written.sorted(by: { $0.key < $1.key }) {
      let (present, earlier) = (now[id], before[id])
      guard present?.kind ?? .update == .update, earlier?.kind ?? .update == .update else {
        continue
      }
      func edited(_ entry: HistoryFold.Entry?, not other: HistoryFold.Entry?) -> SlotSet {
        var result = SlotSet()
        for slot in slots
        where entry?.slots.contains(slot) == true && other?.slots.contains(slot) != true {
          result.insert(slot)
        }
        return result
      }
      note(false, .properties(edited(present, not: earlier)), of: id)
      note(true, .properties(edited(earlier, not: present)), of: id)
    }
  }
}

extension UndoPlanner {
  /// The links of objects that go to those that stay, seen from the others.
  fileprivate func linksOfMade() throws -> [(owner: ManagedObjectID, slot: Int, member: Int64)] {
    var result: [(owner: ManagedObjectID, slot: Int, member: Int64)] = []
    for (entity, ids) in Dictionary(grouping: made, by: \.entity) {
      for list in entity.relationships where list.kind == .manyToMany {
        guard let inverse = list.inverseSlot else { continue }
        let rows = ids.map(\.row).sorted()
        for member in try transaction.members(of: list, in: entity, owners: rows) {
          let other = ManagedObjectID(entity: member.entity, row: member.row)
          if !made.contains(other) { result.append((other, inverse, member.owner)) }
        }
      }
    }
    return result
  }

  /// The properties that the plan writes of objects that were there and stay: attributes and
  /// references, and the lists at their other ends or over link tables.
  fileprivate var writtenProperties: [ManagedObjectID: SlotSet] {
    var result: [ManagedObjectID: SlotSet] = [:]
    func add(_ id: ManagedObjectID, _ slot: Int?) {
      guard let slot, returning[id] == nil, !made.contains(id) else { return }
      result[id, default: SlotSet()].insert(slot)
    }
    func addOwner(_ entity: EntityDescription, _ slot: Int, _ value: Value?) {
      guard case .int(let row)? = value, let reference = entity.properties[slot].relationship else {
        return
      }
      let owner = ManagedObjectID(entity: entity.destination(of: reference), row: row)
      add(owner, reference.inverseSlot)
    }
    for (id, values) in updates {
      for (slot, value) in values {
        add(id, slot)
        addOwner(id.entity, slot, value)
        addOwner(id.entity, slot, now[id]?[slot])
      }
    }
    for (id, values) in returning {
      for (slot, value) in values { addOwner(id.entity, slot, value) }
    }
    for id in made {
      for (slot, value) in (now[id] ?? []).enumerated() { addOwner(id.entity, slot, value) }
    }
    for pair in [lists.added.keys.map(\.self), lists.removed, lists.moved.keys.map(\.self)].joined()
    {
      let table = layout.links[pair.link]
      let ends = layout.ends(of: table)
      add(ManagedObjectID(entity: ends.source, row: pair.source), table.sourceSlot)
      add(ManagedObjectID(entity: ends.target, row: pair.target), table.targetSlot)
    }
    for place in lists.newPlaces { addOwner(place.id.entity, place.slot, .int(place.owner)) }
    return result
  }
}
