import SyncCore

/// Decides, property by property, what is written to take commits back.
///
/// Three states are compared: *before* the commits, *after* them, and *now*. What later commits
/// changed, and not back again, is different now from what the commits left, and stays:
///
/// | before | after | now | |
/// |---|---|---|---|
/// | a | b | b | becomes a |
/// | a | b | c | stays, and is named |
/// | there | gone | gone | comes back under its number |
/// | not there | there | there | goes, when nothing of it has changed and nothing that stays refers to it |
///
/// Then everything is taken out that cannot be as it was, until nothing changes any more: an object
/// that stays keeps those alive that it refers to.
struct UndoPlanner {
  let transaction: StoreTransaction
  let before: FormerState
  let after: FormerState

  /// The values of the objects in both, as far as they are there.
  private(set) var now: [ManagedObjectID: [Value]] = [:]

  /// Objects that go.
  var made: Set<ManagedObjectID> = []

  /// Objects that come back, with all their values.
  var returning: [ManagedObjectID: [Int: Value]] = [:]

  /// Values that become what they were.
  var updates: [ManagedObjectID: [Int: Value]] = [:]
  var lists = UndoneLists()

  /// What is left alone.
  private(set) var left: Set<LeftAlone> = []

  /// Something that is left alone.
  struct LeftAlone: Hashable {
    let id: ManagedObjectID
    let slot: Int?
    let reason: UndoReport.Reason
  }

  /// Whether other objects are there that are referred to.
  var presence: [ManagedObjectID: Bool] = [:]

  var layout: TableLayout { transaction.layout }

  /// The objects that the commits changed, in model order.
  var objects: [FormerState.Object] { before.objects.values.sorted { $0.id < $1.id } }

  mutating func plan() throws {
    try readNow()
    for (index, object) in objects.enumerated() {
      if index % TransactionToken.stride == 0 { try transaction.token.checkpoint() }
      compare(object)
    }
    try lists.read(before, after, transaction)
    try keepLinkedObjects()
    try check()
    planLinks()
    try planPlaces()
  }

  mutating func leave(_ id: ManagedObjectID, _ slot: Int? = nil, _ reason: UndoReport.Reason) {
    left.insert(LeftAlone(id: id, slot: slot, reason: reason))
  }

  // MARK: - Comparing

  private mutating func readNow() throws {
    var rows: [Int: Set<Int64>] = [:]
    for id in [before.objects.keys, after.objects.keys].joined() {
      rows[id.entity.rootIndex, default: []].insert(id.row)
    }
    for (root, rows) in rows.inKeyOrder {
      try transaction.scan(layout.entities[root].entity, .rows(rows.sorted())) { cursor in
        now[ManagedObjectID(entity: cursor.entity, row: cursor.row)] =
          try cursor.storedRow().values.array
      }
    }
  }

  /// Whether an object was there after the commits.
  private func wasThere(_ id: ManagedObjectID) -> Bool {
    after.objects[id]?.isThere ?? (now[id] != nil)
  }

  private mutating func compare(_ object: FormerState.Object) {
    let id = object.id
    switch (object.isThere, now[id], wasThere(id)) {
    case (true, let values?, let wasThere):
      for (slot, value) in object.values.inKeyOrder where value != values[slot] {
        if wasThere, isUnchanged(id, slot, values) {
          updates[id, default: [:]][slot] = value
        } else {
          leave(id, slot, .changedSince)
        }
      }
    case (true, nil, false): returning[id] = completed(object)
    case (true, nil, true): leave(id, nil, .deletedSince)
    case (false, let values?, true):
      let isChanged = after.objects[id]?.values.keys.contains { !isUnchanged(id, $0, values) }
      if isChanged == true { leave(id, nil, .changedSince) } else { made.insert(id) }
    case (false, _, _): break
    }
  }

  private func isUnchanged(_ id: ManagedObjectID, _ slot: Int, _ values: [Value]) -> Bool {
    after.objects[id]?.values[slot].map { $0 == values[slot] } ?? true
  }

  /// All values of an object that comes back; attributes that are new in the model have their
  /// defaults.
  private func completed(_ object: FormerState.Object) -> [Int: Value] {
    var values = object.values
    for slot in layout[object.id.entity].columnSlots where values[slot] == nil {
      values[slot] = object.id.entity.properties[slot].attribute?.defaultValue ?? .null
    }
    return values
  }

  /// A new object whose links have changed since stays.
  private mutating func keepLinkedObjects() throws {
    for pair in after.links.keys.sorted() where lists.hasChanged(pair, since: after) {
      let link = layout.links[pair.link]
      let (source, target) = layout.ends(of: link)
      for id in [
        ManagedObjectID(entity: source, row: pair.source),
        ManagedObjectID(entity: target, row: pair.target),
      ] where made.remove(id) != nil { leave(id, nil, .changedSince) }
    }
    // Links of objects that came later are not among those that have changed: they came with these.
    for (entity, ids) in Dictionary(grouping: made, by: \.entity) {
      for list in entity.relationships where list.kind == .manyToMany {
        for member in try transaction.members(of: list, in: entity, owners: ids.map(\.row).sorted())
        where after.objects[ManagedObjectID(entity: member.entity, row: member.row)]?.isThere
          == false
        {
          let id = ManagedObjectID(entity: entity, row: member.owner)
          if made.remove(id) != nil { leave(id, nil, .changedSince) }
        }
      }
    }
  }

  // MARK: - The state that comes

  /// The value that an object will have in a slot; nil when it is not among those that were read.
  func coming(_ id: ManagedObjectID, _ slot: Int) -> Value? {
    returning[id]?[slot] ?? updates[id]?[slot] ?? now[id]?[slot]
  }

  /// Whether an object will be there.
  func willBeThere(_ id: ManagedObjectID) -> Bool {
    if returning[id] != nil { return true }
    if made.contains(id) { return false }
    if now[id] != nil { return true }
    if before.objects[id] != nil || after.objects[id] != nil { return false }
    return presence[id] ?? false
  }
}
