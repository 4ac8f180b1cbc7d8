package import SyncCore

/// The changes of each object since a place in the history, several of them made one:
///
/// | before \ then | updated | deleted |
/// |---|---|---|
/// | inserted | inserted | nothing; deleted, when it was sent |
/// | updated | updated, the properties of both | deleted |
///
/// Row numbers are never used again, so nothing follows a deletion, unless it is taken back.
package struct HistoryFold: Sendable {
  /// The result of the changes of one object.
  package struct Entry: Sendable {
    package let id: ManagedObjectID
    package var kind: HistoryChange.Kind

    /// The slots that changed, of an updated object.
    package var slots: SlotSet

    /// The values that the history keeps of a deleted object.
    package var tombstone: [String: Value]

    /// The former values of the object, as far as the history has them and was asked for them; see
    /// ``OutboxEntry/Edit``.
    package var base: [String: Value]

    /// Whether it was sent, so that a server may have an object made here.
    var isSent = false
  }

  /// In the order in which the objects were changed first.
  private var order: [ManagedObjectID] = []
  /// Nil for objects of which nothing is left: they keep their place in the order.
  private var entriesByID: [ManagedObjectID: Entry?] = [:]

  /// How many objects have something to tell.
  private var count = 0

  /// The objects that were deleted, by root entity, those among them of which nothing is left to
  /// tell. Nothing follows a deletion, so the lists only grow.
  package private(set) var deletions: [Int: [ManagedObjectID]] = [:]

  /// The last transaction that was read, by any author.
  package internal(set) var token: HistoryToken

  /// Begins after a place in the history.
  package init(after token: HistoryToken) {
    self.token = token
  }

  /// Whether nothing is left to tell.
  package var isEmpty: Bool { count == 0 }

  /// The remaining entries, in the order in which the objects were changed first.
  package var entries: some Sequence<Entry> { order.lazy.compactMap { self[$0] } }

  /// The remaining entry of an object; nil when there is none.
  package subscript(id: ManagedObjectID) -> Entry? { entriesByID[id] ?? nil }

  /// Adds the entry of an outbox. One that was sent as new, and deleted since, is a deletion: the
  /// server may have it.
  mutating func add(_ entry: OutboxEntry) {
    guard let edit = entry.edit else { return }
    add(entry.id, edit.kind, slots: edit.slots, tombstone: entry.tombstone, base: edit.base)
    if entry.sent != nil { entriesByID[entry.id]??.isSent = true }
  }

  /// Forgets the entry of an object.
  mutating func remove(_ id: ManagedObjectID) {
    guard self[id] != nil else { return }
    entriesByID[id] = .some(nil)
    count -= 1
  }

  /// Forgets that properties of an updated object were edited.
  mutating func end(_ slots: SlotSet, of id: ManagedObjectID) {
    guard var entry = self[id] else { return }
    for slot in slots {
      entry.slots.remove(slot)
      entry.base[id.entity.properties[slot].name] = nil
    }
    if entry.slots.isEmpty { remove(id) } else { entriesByID[id] = entry }
  }

  /// Forgets the edits of an object that an undo has taken away.
  mutating func goAway(_ id: ManagedObjectID) {
    if let entry = self[id], entry.kind != .delete, !entry.isSent { remove(id) }
  }

  /// Forgets the deletion of an object that is there again.
  mutating func comeBack(_ id: ManagedObjectID) {
    if self[id]?.kind == .delete { remove(id) }
  }

  mutating func add(
    _ id: ManagedObjectID, _ kind: HistoryChange.Kind, slots: SlotSet, tombstone: [String: Value],
    base: [String: Value] = [:]
  ) {
    if kind == .delete, self[id].map({ $0.kind != .insert || $0.isSent }) ?? true {
      deletions[id.entity.rootIndex, default: []].append(id)
    }
    guard var entry = self[id] else {
      if entriesByID[id] == nil { order.append(id) }
      entriesByID[id] = Entry(id: id, kind: kind, slots: slots, tombstone: tombstone, base: base)
      count += 1
      return
    }
    switch (entry.kind, kind) {
    case (.insert, .delete) where !entry.isSent:
      entriesByID[id] = .some(nil)
      count -= 1
      return
    case (_, .delete):
      entry.kind = .delete
      entry.slots = SlotSet()
      entry.tombstone = tombstone
      entry.base.join(base, of: id.entity)
      entry.tombstone.takeKey(in: entry.base, of: id.entity)
    case (.update, _):
      entry.slots.formUnion(slots)
      entry.base.join(base, of: id.entity)
    case (.insert, _), (.delete, _):
      return
    }
    entriesByID[id] = entry
  }
}
