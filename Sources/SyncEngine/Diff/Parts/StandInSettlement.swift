import SyncCore
import SyncStore

/// Decides, when everything has been seen, which stand-ins are stored objects after all: those of whose key there is
/// one that nobody listed. What was said of the stand-in is said of the stored object then, and the stand-in goes.
///
/// Relationships follow from what was said (``LinkSettlement``), which speaks of the stored object from here on.
struct StandInSettlement {
  typealias Place = StandIns.Place

  let claims: Claims
  let model: ManagedObjectModel
  /// The table of the items at the top.
  let root: Int
  let transaction: StoreTransaction
  let control: SyncControl
  /// What the sync has to leave alone; nil when that is nothing.
  let edits: UnsentEdits?
  let report: ReportBuilder

  /// Stand-ins by table, and the stored objects that they are.
  typealias Objects = [Int: [Int64: Int64]]

  /// Gives what was said of stand-ins to the stored objects that they are.
  ///
  /// - Returns: The stand-ins that have to go when links are settled.
  /// - Complexity: O(*n*) in the stand-ins, the stored objects of their keys, and what was said.
  func settle() throws -> Objects {
    var matcher = StandInMatcher(
      claims: claims, model: model, transaction: transaction, control: control, edits: edits)
    let objects = try matcher.match()
    guard !objects.isEmpty else { return [:] }
    for (root, rows) in objects.sorted(by: { $0.key < $1.key }) {
      try write(try words(of: rows, root), root)
    }
    for place in claims.standIns.places { try noteMoved(objects, place) }
    let keys = StandInKeys(
      objects: objects, model: model, transaction: transaction, control: control)
    try StandInRenaming(
      objects: objects, meant: try claims.parts.map(keys.meant) ?? [:], model: model, root: root,
      control: control
    ).rename(in: claims)
    return objects
  }

  /// Takes stand-ins out of the lists of their owners, so that it can be told whose lists changed in the end.
  func release(_ objects: Objects) throws {
    try StandInHandover(
      claims: claims, model: model, transaction: transaction, control: control, edits: edits,
      objects: objects
    ).handOver()
    for (root, rows) in objects.sorted(by: { $0.key < $1.key }) {
      var links: [(row: Int64, entity: EntityDescription, slot: Int, owner: Int64)] = []
      try transaction.scan(model.entities[root], .rows(rows.keys.sorted())) { cursor in
        for relationship in cursor.entity.relationships where !relationship.isToMany {
          guard let owner = cursor.integer(relationship.slot), owner > 0 else { continue }
          links.append((cursor.row, cursor.entity, relationship.slot, owner))
        }
      }
      for (row, entity, slot, owner) in links {
        guard let relationship = entity.properties[slot].relationship else { continue }
        claims.noteColumn(relationship, of: row, entity, from: owner)
        let block = RowBlock(width: entity.properties.count, capacity: 1)
        block[block.append()][slot] = .null
        try transaction.update(block, index: 0, row: row, of: entity, slots: [slot])
      }
      for entity in model.entities where entity.rootIndex == root {
        for relationship in entity.relationships
        where relationship.kind == .manyToMany && relationship.declaringIndex == entity.index {
          try unlink(rows.keys.sorted(), relationship, of: entity)
        }
      }
    }
  }

  private func unlink(
    _ rows: [Int64], _ relationship: RelationshipDescription, of entity: EntityDescription
  ) throws {
    let pairs = try transaction.members(of: relationship, in: entity, owners: rows)
      .map { (owner: $0.owner, member: $0.row) }
    guard !pairs.isEmpty else { return }
    try OrderNotes(claims: claims, transaction: transaction).note(pairs, relationship, of: entity)
    try transaction.removeLinks(relationship, of: entity, pairs: pairs)
    claims.parts?.notePairs(pairs, areAdded: false, relationship, of: entity)
  }

  /// Removes stand-ins to which nothing leads any more.
  func remove(_ objects: Objects) throws {
    for (root, rows) in objects.sorted(by: { $0.key < $1.key }) {
      try transaction.delete(rows.keys.sorted(), of: model.entities[root]) { _, _ in true }
      for row in rows.keys { claims.mentioned[root]?.remove(row) }
    }
  }

  // MARK: - Values

  /// What was said of an attribute, and when.
  private struct Word {
    let time: Int64
    let value: Value
  }

  /// What was said of the attributes of stand-ins, by the stored objects that they are. Later words win.
  private func words(of objects: [Int64: Int64], _ root: Int) throws -> [Int64: [Int: Word]] {
    var result: [Int64: [Int: Word]] = [:]
    try transaction.scan(model.entities[root], .rows(objects.keys.sorted())) { cursor in
      guard let stored = objects[cursor.row] else { return }
      var times = times(of: cursor.row, root)
      // What differs from a new object and was not said is somebody else's, who saw the stand-in.
      for attribute in cursor.entity.attributes
      where !attribute.isTransient && times[attribute.slot] == nil
        && cursor.value(attribute.slot) != attribute.defaultValue
      {
        times[attribute.slot] = .max
      }
      for (slot, time) in times {
        guard time > result[stored]?[slot]?.time ?? -1 else { continue }
        result[stored, default: [:]][slot] = Word(time: time, value: cursor.value(slot))
      }
    }
    return result
  }

  /// When each attribute of an object was given last.
  private func times(of row: Int64, _ root: Int) -> [Int: Int64] {
    var result: [Int: Int64] = [:]
    for words in claims.standIns.words[.init(root: root, row: row)] ?? [] {
      for slot in words.slots { result[slot] = max(result[slot] ?? 0, words.time) }
    }
    return result
  }

  /// Writes to stored objects what was said of their stand-ins, as far as nothing was said of them since.
  private func write(_ words: [Int64: [Int: Word]], _ root: Int) throws {
    var updates: [(row: Int64, entity: EntityDescription, values: [Int: Value])] = []
    try transaction.scan(model.entities[root], .rows(words.keys.sorted())) { cursor in
      let own = times(of: cursor.row, root)
      var values: [Int: Value] = [:]
      for (slot, word) in words[cursor.row] ?? [:]
      where word.time >= own[slot] ?? 0 && word.value != cursor.value(slot) {
        values[slot] = word.value
        claims.parts?.noteValue(
          slot, of: cursor.row, root, hash: ChangeNetting.hash(cursor, slot))
      }
      guard !values.isEmpty else { return }
      claims.parts?.noteWritten(cursor.row, root)
      updates.append((cursor.row, cursor.entity, values))
    }
    for (step, update) in updates.enumerated() {
      if step % SyncControl.stride == 0 { try control.checkpoint() }
      try write(update.values, to: update.row, update.entity)
    }
  }

  private func write(
    _ values: [Int: Value], to row: Int64, _ entity: EntityDescription
  ) throws {
    var slots = SlotSet()
    for slot in values.keys { slots.insert(slot) }
    if let edits { slots = edits.writable(slots, of: row, entity) }
    guard !slots.isEmpty else { return }
    let arena = CellArena()
    let block = RowBlock(width: entity.properties.count, capacity: 1)
    let index = block.append()
    for slot in slots {
      let type = entity.properties[slot].attribute?.type
      block[index][slot] = arena.cell(values[slot] ?? .null, as: type)
    }
    try transaction.update(block, index: index, row: row, of: entity, slots: slots)
    withExtendedLifetime(arena) {}
  }

  /// Notes which objects moved from the owners that they have.
  private func noteMoved(_ objects: Objects, _ place: Place) throws {
    let key = place.relationship
    guard let list = model.entities[key.entity].properties[key.slot].relationship,
      list.kind == .oneToMany, let inverse = list.inverseSlot
    else { return }
    let owners = try owners(place, objects)
    guard !owners.isEmpty else { return }
    let name = model.entities[place.entity].name
    let ownerRoot = model.entities[key.entity].rootIndex
    try transaction.scan(model.entities[place.entity], .rows(owners.keys.sorted())) { cursor in
      guard let owner = owners[cursor.row], let former = cursor.integer(inverse), former > 0,
        objects[ownerRoot]?[former] ?? former != owner.row,
        edits?.protects(inverse, of: cursor.row, cursor.entity) != true
      else { return }
      let value = place.identity.first.map { cursor.value($0).description } ?? ""
      report.note(
        .movedObject, model.entities[place.entity], property: list.name, key: value,
        message: "\(name) \(value) moved to \(model.entities[key.entity].name) \(owner.key).")
    }
  }

  /// The owners that stored objects get, with their keys.
  private func owners(
    _ place: Place, _ objects: Objects
  ) throws -> [Int64: (row: Int64, key: String)] {
    let entity = model.entities[place.relationship.entity]
    let members = claims.standIns.members(of: place)
      .filter { objects[place.root]?[$0.row] != nil }
    guard let slot = entity.primaryKey?.slot, !members.isEmpty else { return [:] }
    var keys: [Int64: String] = [:]
    try transaction.scan(
      entity, .rows(Set(members.map(\.owner)).sorted()), slots: [slot]
    ) { cursor in
      keys[cursor.row] = cursor.value(slot).description
    }
    var result: [Int64: (row: Int64, key: String)] = [:]
    for member in members {
      guard let object = objects[place.root]?[member.row], let key = keys[member.owner] else {
        continue
      }
      result[object] = (objects[entity.rootIndex]?[member.owner] ?? member.owner, key)
    }
    return result
  }
}
