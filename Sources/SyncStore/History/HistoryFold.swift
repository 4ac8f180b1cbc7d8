package import SyncCore

/// What happened to each object since a place in the history, several changes of one made one:
///
/// | before \ then | updated | deleted |
/// |---|---|---|
/// | inserted | inserted | nothing |
/// | updated | updated, the properties of both | deleted |
///
/// Row numbers are never used again, so nothing follows a deletion.
package struct HistoryFold: Sendable {
  /// What came of the changes of one object.
  package struct Entry: Sendable {
    package let id: ManagedObjectID
    package var kind: HistoryChange.Kind

    /// The slots that changed, of an updated object.
    package var slots: SlotSet

    /// What the history keeps of a deleted object.
    package var tombstone: [String: Value]
  }

  /// In the order in which the objects were changed first.
  private var order: [ManagedObjectID] = []
  private var entriesByID: [ManagedObjectID: Entry] = [:]

  /// The objects that were deleted, by root entity. Nothing follows a deletion, so the lists only grow.
  package private(set) var deletions: [Int: [ManagedObjectID]] = [:]

  /// The last transaction that was read, whoever made it.
  package internal(set) var token: HistoryToken

  /// Begins after a place in the history.
  package init(after token: HistoryToken) {
    self.token = token
  }

  /// Whether nothing is left to tell.
  package var isEmpty: Bool { entriesByID.isEmpty }

  /// What is left, in the order in which the objects were changed first.
  package var entries: some Sequence<Entry> { order.lazy.compactMap { entriesByID[$0] } }

  /// What is left to tell of an object; nil when it is nothing.
  package subscript(id: ManagedObjectID) -> Entry? { entriesByID[id] }

  mutating func add(
    _ id: ManagedObjectID, _ kind: HistoryChange.Kind, slots: SlotSet, tombstone: [String: Value]
  ) {
    if kind == .delete, entriesByID[id]?.kind != .insert {
      deletions[id.entity.rootIndex, default: []].append(id)
    }
    guard var entry = entriesByID[id] else {
      order.append(id)
      entriesByID[id] = Entry(id: id, kind: kind, slots: slots, tombstone: tombstone)
      return
    }
    switch (entry.kind, kind) {
    case (.insert, .delete):
      entriesByID[id] = nil
      return
    case (_, .delete):
      entry.kind = .delete
      entry.slots = SlotSet()
      entry.tombstone = tombstone
    case (.update, _):
      entry.slots.formUnion(slots)
    case (.insert, _), (.delete, _):
      return
    }
    entriesByID[id] = entry
  }
}
