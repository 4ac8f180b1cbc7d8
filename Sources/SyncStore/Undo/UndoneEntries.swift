import SyncCore

/// Changes the entries of an outbox as an undo demands. A shipment under way is left alone: its
/// answer says what the server has.
struct UndoneEntries {
  private let edits: UndoneEdits
  private let outbox: String
  private let endedBefore: [ManagedObjectID: UndoneEdit.Extent]

  init(_ edits: UndoneEdits, of outbox: String) {
    self.edits = edits
    self.outbox = outbox
    endedBefore = edits.endedBefore[outbox] ?? [:]
  }

  private var transaction: StoreTransaction { edits.transaction }
  private var plan: UndoPlanner { edits.plan }

  func settle() throws {
    var known: Set<ManagedObjectID> = []
    try transaction.readOutbox(outbox) { known.insert($0.id) }
    let absent = plan.returning.keys.filter { !known.contains($0) }
    let passing =
      try absent.isEmpty
      ? []
      : transaction.objectsMadeAndDeletedHere(deletedFrom: edits.first, through: edits.last)
    for id in plan.returning.keys.sorted()
    where known.contains(id) || passing.contains(id) || endedBefore[id] == .insertion {
      try change(id) { try comeBack(&$0, isNew: passing.contains(id)) }
    }
    let ended = Set(endedBefore.keys)
    for id in plan.made.sorted() where known.contains(id) || ended.contains(id) {
      try change(id) { try goAway(&$0) }
    }
    let written = edits.written.filter { known.contains($0.key) || ended.contains($0.key) }
      .sorted { $0.key < $1.key }
    guard !written.isEmpty else { return }
    for (id, slots) in written { try change(id) { try write(slots, &$0) } }
    let edited = try editedLists()
    for (id, slots) in written { try change(id) { endLists(slots, edited, &$0) } }
  }

  private func change(_ id: ManagedObjectID, _ body: (inout OutboxEntry) throws -> Void) throws {
    let before = try transaction.outboxEntry(id, in: outbox) ?? OutboxEntry(id)
    var entry = before
    guard entry.sent == nil, !entry.isGivenUp else { return }
    try body(&entry)
    if entry != before { try transaction.setOutboxEntry(entry, before: before, in: outbox) }
  }

  private func note(_ isBegun: Bool, _ extent: UndoneEdit.Extent, _ entry: OutboxEntry) {
    edits.note(isBegun, extent, of: entry.id, in: outbox)
  }

  // MARK: - Objects

  /// - Parameter isNew: Whether it was made here and has gone before, so that the server does not
  ///   have it.
  private func comeBack(_ entry: inout OutboxEntry, isNew: Bool) throws {
    if let deletion = entry.waiting, deletion.kind == .delete {
      note(false, .deletion, entry)
      entry.waiting = try editsBefore(deletion, of: entry.id)
      if let edit = entry.waiting { note(true, .properties(edit.slots), entry) }
    } else if entry.waiting == nil, isNew || endedBefore[entry.id] == .insertion {
      entry.waiting = OutboxEntry.Edit(.insert)
      note(true, .insertion, entry)
    }
  }

  /// What was edited before an object was deleted: what is not as the server has it.
  private func editsBefore(
    _ deletion: OutboxEntry.Edit, of id: ManagedObjectID
  ) throws -> OutboxEntry.Edit? {
    var edit = OutboxEntry.Edit(.update)
    let values = plan.returning[id] ?? [:]
    for property in id.entity.properties {
      guard let server = deletion.base[property.name] else { continue }
      if let list = property.relationship, list.isToMany {
        guard list.kind == .manyToMany, let before = EditedList(server).before else { continue }
        let members = try transaction.members(of: list, in: id.entity, owners: [id.row])
        let edited = Set(members.map(\.row)).symmetricDifference(before)
        guard !edited.isEmpty else { continue }
        edit.base[list: list] = EditedList(before: before, edited: edited)
      } else {
        // A reference to an object that is gone was not edited here.
        guard let value = values[property.slot], value != server,
          value == plan.before.objects[id]?.values[property.slot] ?? value
        else { continue }
        edit.base[property.name] = server
      }
      edit.slots.insert(property.slot)
    }
    return edit.slots.isEmpty ? nil : edit
  }

  private func goAway(_ entry: inout OutboxEntry) throws {
    let id = entry.id
    let later = entry.waiting
    guard later?.kind != .delete else { return }
    if let later {
      note(false, later.kind == .insert ? .insertion : .properties(later.slots), entry)
      entry.waiting = nil
    }
    guard endedBefore[id] == .deletion, var base = edits.former[id] else { return }
    base.merge(later?.base ?? [:]) { _, server in server }
    entry.waiting = OutboxEntry.Edit(.delete, base: base)
    entry.tombstone = transaction.tombstones[id] ?? [:]
    if let key = id.entity.primaryKey { entry.tombstone[key.name] = base[key.name] }
    note(true, .deletion, entry)
  }

  // MARK: - Properties

  private func write(_ slots: SlotSet, _ entry: inout OutboxEntry) throws {
    guard entry.waiting?.kind ?? .update == .update else { return }
    let id = entry.id
    var edit = entry.waiting ?? OutboxEntry.Edit(.update)
    var (ended, begun) = (SlotSet(), SlotSet())
    let again: SlotSet
    if case .properties(let slots)? = endedBefore[id] { again = slots } else { again = SlotSet() }
    for slot in slots {
      let property = id.entity.properties[slot]
      if !edit.slots.contains(slot) {
        guard again.contains(slot) else { continue }
        begun.insert(slot)
        edit.slots.insert(slot)
        if let list = property.relationship, list.kind == .manyToMany {
          let before = EditedList(edits.former[id]?[list.name]).before
          edit.base[list: list] = EditedList(before: before, edited: members(list, of: id))
        } else {
          edit.base[property.name] = edits.former[id]?[property.name]
        }
      } else if let list = property.relationship, list.isToMany {
        guard list.kind == .manyToMany else { continue }
        var known = edit.base[list: list]
        guard let before = known.before, let edited = known.edited else { continue }
        let now = Set(try transaction.members(of: list, in: id.entity, owners: [id.row]).map(\.row))
        known.edited = edited.filter { now.contains($0) != before.contains($0) }
        edit.base[list: list] = known
        if known.edited == [] { ended.insert(slot) }
      } else if let value = plan.updates[id]?[slot], value == edit.base[property.name] {
        ended.insert(slot)
      }
    }
    for slot in ended {
      edit.slots.remove(slot)
      edit.base[id.entity.properties[slot].name] = nil
    }
    entry.waiting = edit.slots.isEmpty ? nil : edit
    note(false, .properties(ended), entry)
    note(true, .properties(begun), entry)
  }

  /// The members that the plan adds to a list, or takes out of it.
  private func members(_ list: RelationshipDescription, of id: ManagedObjectID) -> Set<Int64> {
    var result = Set(
      edits.goingLinks.filter { $0.owner == id && $0.slot == list.slot }.map(\.member))
    for pair in [plan.lists.added.keys.map(\.self), plan.lists.removed].joined() {
      let table = plan.layout.links[pair.link]
      let ends = plan.layout.ends(of: table)
      if ManagedObjectID(entity: ends.source, row: pair.source) == id, list.slot == table.sourceSlot
      {
        result.insert(pair.target)
      }
      if ManagedObjectID(entity: ends.target, row: pair.target) == id, list.slot == table.targetSlot
      {
        result.insert(pair.source)
      }
    }
    return result
  }

  // MARK: - Lists at the other ends of references

  /// The lists at the other ends of references that are still edited.
  private func editedLists() throws -> [ManagedObjectID: SlotSet] {
    var result: [ManagedObjectID: SlotSet] = [:]
    try transaction.readOutbox(outbox, base: .everything) { entry in
      guard let edit = entry.edit else { return }
      for reference in entry.id.entity.relationships where !reference.isToMany {
        guard let inverse = reference.inverseSlot,
          edit.kind != .update || edit.slots.contains(reference.slot)
        else { continue }
        let now = edit.kind == .delete ? .null : try transaction.value(reference.slot, of: entry.id)
        for case .int(let row)? in [edit.base[reference.name], now] {
          let owner = ManagedObjectID(entity: entry.id.entity.destination(of: reference), row: row)
          result[owner, default: SlotSet()].insert(inverse)
        }
      }
    }
    return result
  }

  private func endLists(
    _ slots: SlotSet, _ edited: [ManagedObjectID: SlotSet], _ entry: inout OutboxEntry
  ) {
    guard var edit = entry.waiting, edit.kind == .update else { return }
    var ended = SlotSet()
    for slot in slots
    where edit.slots.contains(slot)
      && entry.id.entity.properties[slot].relationship?.kind == .oneToMany
      && edited[entry.id]?.contains(slot) != true
    {
      ended.insert(slot)
      edit.slots.remove(slot)
    }
    entry.waiting = edit.slots.isEmpty ? nil : edit
    note(false, .properties(ended), entry)
  }
}
