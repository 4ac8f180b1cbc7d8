import SyncCore
import SyncEngine
import SyncStore

/// Gives new objects that travelled inside another one the keys that the server made for them: the
/// answer lists them, but says of none which of ours it is. Confined to a transaction.
///
/// An object of the list is ours when its attributes are those that were sent; where several would
/// do, they are given in their order, and where as many are left as of ours, too. Those that a sync
/// has brought meanwhile become one with ours. One that was deleted here since is deleted with its
/// key.
///
/// A conflict lists those that arrived with an answer that was lost: of ours those that say what
/// was sent are on the server, the others are new to it.
struct NestedKeys {
  private let transaction: StoreTransaction
  private let outbox: String
  private let fill: RowFill
  private let isConflict: Bool

  /// Ours that have no key yet, in the order in which they were made.
  private var keyless: [ManagedObjectID]

  /// Whether the list has objects that are none of ours.
  private(set) var hasOthers = false

  /// - Parameters:
  ///   - carried: The passengers: acknowledged, or still under way in a conflict.
  ///   - isConflict: Whether the JSON is that of a conflict.
  init(
    _ carried: [ManagedObjectID], _ fill: RowFill, outbox: String,
    _ transaction: StoreTransaction, isConflict: Bool = false
  ) throws {
    self.isConflict = isConflict
    self.transaction = transaction
    self.outbox = outbox
    self.fill = fill
    keyless = []
    for id in carried.sorted() {
      guard let key = id.entity.primaryKey else { continue }
      if try ours(id)?.values[key.name]?.isNull != false { keyless.append(id) }
    }
  }

  /// Those that the list did not have, are still there, and were not edited since: the list takes
  /// their place.
  func replaceable() throws -> [ManagedObjectID] {
    guard hasOthers else { return [] }
    return try keyless.filter { id in
      try transaction.outboxEntry(id, in: outbox) == nil
        && transaction.missing([id.row], of: id.entity).isEmpty
    }
  }

  /// Gives the keys that stand below an object.
  ///
  /// - Parameter node: The place in the mapping that reads the JSON; nil is its root.
  mutating func give(below owner: ManagedObjectID, from json: JSONValue, node: Int? = nil) throws {
    guard !keyless.isEmpty else { return }
    let lists = Dictionary(grouping: fill.nested(in: json, node: node), by: \.relationship.slot)
    for (_, items) in lists.sorted(on: \.key) {
      guard let inverse = owner.entity.inverse(of: items[0].relationship) else { continue }
      var mine: [Ours] = []
      for id in keyless {
        guard let ours = try ours(id), ours.values[inverse.name] == .int(owner.row) else {
          continue
        }
        mine.append(ours)
      }
      try give(items, to: mine, below: owner)
      for item in items {
        guard let id = try stored(item, below: owner) else { continue }
        try give(below: id, from: item.item, node: item.node)
      }
    }
  }

  // MARK: - Ours and theirs

  /// One of ours as it was sent, as far as that is known.
  private struct Ours {
    let id: ManagedObjectID
    var values: [String: Value]

    /// The slots edited since: the list cannot know them.
    var edited = SlotSet()

    func agrees(with item: RowFill.Nested) -> Bool {
      item.values.allSatisfy { slot, value in
        guard id.entity.properties.indices.contains(slot) else { return false }
        return slot == item.key.slot || edited.contains(slot)
          || values[id.entity.properties[slot].name] == value
      }
    }
  }

  private func ours(_ id: ManagedObjectID) throws -> Ours? {
    let since = try transaction.outboxEntry(id, in: outbox)?.waiting
    if since?.kind == .delete { return since.map { Ours(id: id, values: $0.base) } }
    guard var values = try transaction.values(of: [id.row], in: id.entity)[id] else { return nil }
    // Where it was when it was sent.
    for relationship in id.entity.relationships where relationship.kind == .toOne {
      if let before = since?.base[relationship.name] { values[relationship.name] = before }
    }
    return Ours(id: id, values: values, edited: since?.slots ?? SlotSet())
  }

  /// The object of that key that is here; the first of several. Where keys are unique per owner
  /// only, it is one of the owner's.
  private func stored(
    _ item: RowFill.Nested, below owner: ManagedObjectID
  ) throws -> ManagedObjectID? {
    let entity = item.entity
    var filter = Filter.compare([entity.properties[item.key.slot].name], .equal, item.key.value)
    if MappingRules.keyScopeIsOwner(item.relationship),
      let inverse = owner.entity.inverse(of: item.relationship)
    {
      filter = filter && .compare([inverse.name], .equal, object: owner)
    }
    return try transaction.fetchIdentifiers(FetchPlan(entity: entity, filter: filter)).first
  }

  private mutating func give(
    _ items: [RowFill.Nested], to mine: [Ours], below owner: ManagedObjectID
  ) throws {
    var fresh: [RowFill.Nested] = []
    var copies: [(item: RowFill.Nested, id: ManagedObjectID)] = []
    for item in items {
      if let id = try stored(item, below: owner) {
        copies.append((item, id))
      } else {
        fresh.append(item)
      }
    }
    var rest: [Ours] = []
    for ours in mine {
      if let index = fresh.firstIndex(where: ours.agrees(with:)) {
        try give(fresh.remove(at: index), to: ours, copy: nil)
      } else if let index = copies.firstIndex(where: {
        $0.id.row > ours.id.row && $0.id.entity == ours.id.entity && ours.agrees(with: $0.item)
      }) {
        let copy = copies.remove(at: index)
        try give(copy.item, to: ours, copy: copy.id)
      } else {
        rest.append(ours)
      }
    }
    if isConflict { return }
    if rest.count == fresh.count {
      for (ours, item) in zip(rest, fresh) { try give(item, to: ours, copy: nil) }
    } else if !fresh.isEmpty {
      hasOthers = true
    }
  }

  private mutating func give(_ item: RowFill.Nested, to ours: Ours, copy: ManagedObjectID?) throws {
    let id = ours.id
    let key = id.entity.properties[item.key.slot].name
    keyless.removeAll { $0 == id }
    let before = try transaction.outboxEntry(id, in: outbox)
    var entry = before ?? OutboxEntry(id)
    if isConflict { entry.acknowledge() }
    if before?.waiting?.kind == .delete {
      entry.tombstone[key] = item.key.value
      if let copy { try transaction.delete([copy.row], of: copy.entity) }
    } else {
      if let copy {
        try RowMerger(transaction: transaction, outbox: outbox).join(&entry, copy)
      }
      try transaction.write([(item.key.slot, item.key.value)], to: [id.row], of: id.entity)
    }
    if entry != before ?? OutboxEntry(id) {
      try transaction.setOutboxEntry(entry, before: before ?? OutboxEntry(id), in: outbox)
    }
  }
}
