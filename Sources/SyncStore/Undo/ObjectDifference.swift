public import SyncCore

/// What commits changed of an object: its values before, and now.
public struct ObjectDifference: Sendable, Hashable {
  /// The object.
  public let objectID: ManagedObjectID
  /// The kind of the change, of all the commits together.
  public let kind: HistoryChange.Kind
  /// The primary key that it has, or had; nil when the entity has none.
  public let key: Value?

  /// Names of the properties that are different, lists among them.
  public let properties: [String]

  /// The values of attributes and to-one relationships before; all of a deleted object, none of an
  /// inserted one. A relationship holds the primary key of the object that it led to, or its row
  /// where that has none.
  public let old: [String: Value]

  /// The same now; empty where only the former values were asked for.
  public let new: [String: Value]

  /// Name of the object's own entity.
  public var entity: String { objectID.entity.name }
}

extension StoreReader {
  /// How objects differ from what they were after a commit, or before the first one.
  package func differences(since token: HistoryToken) throws -> [ObjectDifference] {
    let latest = try token == .start ? requireHistoryToken() : requireCommit(token)
    return token == latest ? [] : try differences(from: HistoryToken(number: token.number + 1))
  }

  /// The objects that some commits changed, with their former values, in model order.
  ///
  /// - Parameters:
  ///   - first: The first commit.
  ///   - last: The last one; nil is the latest, and then the values now are read too, and objects
  ///     that are as before are left out.
  package func differences(
    from first: HistoryToken, through last: HistoryToken? = nil
  ) throws -> [ObjectDifference] {
    let latest = try requireHistoryToken()
    try requireFormerValues(from: first)
    let state = try formerState(from: first.number, through: (last ?? latest).number)
    var found: [Difference] = []
    let now = last == nil ? try values(of: state) : nil
    for object in state.objects.values.sorted(by: { $0.id < $1.id }) {
      if let difference = Difference(object, now, in: layout) { found.append(difference) }
    }
    try addLists(of: state, to: &found, comparing: last == nil)
    found.sort { $0.id < $1.id }
    let names = try keys(of: found, state)
    return found.map { $0.named(by: names) }
  }

  private func values(of state: FormerState) throws -> [ManagedObjectID: [Value]] {
    var result: [ManagedObjectID: [Value]] = [:]
    for (root, ids) in Dictionary(grouping: state.objects.keys, by: \.entity.rootIndex) {
      try scan(layout.entities[root].entity, .rows(ids.map(\.row).sorted())) { cursor in
        result[ManagedObjectID(entity: cursor.entity, row: cursor.row)] =
          try cursor.storedRow().values.array
      }
    }
    return result
  }

  /// Adds the lists over link tables whose members came or went.
  private func addLists(
    of state: FormerState, to found: inout [Difference], comparing: Bool
  ) throws {
    var places: [ManagedObjectID: Int] = [:]
    for (index, difference) in found.enumerated() { places[difference.id] = index }
    func add(_ entity: EntityDescription, _ row: Int64, _ slot: Int?) {
      let id = ManagedObjectID(entity: entity, row: row)
      guard let slot else { return }
      if let place = places[id] {
        if found[place].kind == .update { found[place].slots.insert(slot) }
      } else if state.objects[id]?.isThere != false {
        places[id] = found.count
        found.append(Difference(id: id, slots: [slot]))
      }
    }
    for (link, pairs) in Dictionary(grouping: state.links.keys, by: \.link).inKeyOrder {
      let table = layout.links[link]
      let (source, target) = layout.ends(of: table)
      var rows: Set<[Int64]> = []
      if comparing, let list = source.properties[table.sourceSlot].relationship {
        for member in try members(of: list, in: source, owners: pairs.map(\.source)) {
          rows.insert([member.owner, member.row])
        }
      }
      for pair in pairs {
        let isThere = rows.contains([pair.source, pair.target])
        if comparing, let former = state.links[pair], former.isThere == isThere,
          !table.isSourceOrdered, !table.isTargetOrdered
        {
          continue
        }
        add(source, pair.source, table.sourceSlot)
        add(target, pair.target, table.targetSlot)
      }
    }
  }

  /// The primary keys of the objects, and of those that they refer to: as they are, or were.
  private func keys(
    of found: [Difference], _ state: FormerState
  ) throws -> [ManagedObjectID: Value] {
    var rows: [Int: Set<Int64>] = [:]
    for difference in found {
      rows[difference.id.entity.rootIndex, default: []].insert(difference.id.row)
      for (slot, value) in [difference.old, difference.new].joined() {
        guard case .int(let row) = value,
          let list = difference.id.entity.properties[slot].relationship
        else { continue }
        rows[layout.entities[list.destinationIndex].entity.rootIndex, default: []].insert(row)
      }
    }
    var result: [ManagedObjectID: Value] = [:]
    for object in state.objects.values {
      if let key = object.id.entity.primaryKey { result[object.id] = object.values[key.slot] }
    }
    for (root, rows) in rows {
      try scan(layout.entities[root].entity, .rows(rows.sorted())) { cursor in
        guard let slot = cursor.layout.keySlot else { return }
        result[ManagedObjectID(entity: cursor.entity, row: cursor.row)] = cursor.value(slot)
      }
    }
    return result
  }
}

/// A difference by slot.
private struct Difference {
  let id: ManagedObjectID
  var kind = HistoryChange.Kind.update
  var slots = SlotSet()
  var old: [Int: Value] = [:]
  var new: [Int: Value] = [:]

  init(id: ManagedObjectID, slots: SlotSet) {
    self.id = id
    self.slots = slots
  }

  /// - Parameter now: The values now, of objects that are there; nil when they do not matter.
  /// - Returns: Nil when the object is as it was.
  init?(_ object: FormerState.Object, _ now: [ManagedObjectID: [Value]]?, in layout: TableLayout) {
    id = object.id
    let values = now?[object.id]
    let columns = layout[object.id.entity].columnSlots
    guard object.isThere else {
      if now != nil, values == nil { return nil }
      kind = .insert
      for slot in columns { new[slot] = values?[slot] }
      return
    }
    if now != nil ? values == nil : object.values.count == columns.count {
      kind = .delete
      old = object.values
      return
    }
    for (slot, value) in object.values where values?[slot] != value {
      slots.insert(slot)
      old[slot] = value
      new[slot] = values?[slot]
    }
    if slots.isEmpty { return nil }
  }

  func named(by keys: [ManagedObjectID: Value]) -> ObjectDifference {
    let properties = id.entity.properties
    func named(_ values: [Int: Value]) -> [String: Value] {
      var result: [String: Value] = [:]
      for (slot, value) in values {
        var value = value
        if case .int(let row) = value, let relationship = properties[slot].relationship {
          let target = ManagedObjectID(entity: id.entity.destination(of: relationship), row: row)
          value = keys[target] ?? value
        }
        result[properties[slot].name] = value
      }
      return result
    }
    return ObjectDifference(
      objectID: id, kind: kind, key: keys[id], properties: slots.map { properties[$0].name },
      old: named(old), new: named(new))
  }
}
