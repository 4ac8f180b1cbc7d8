import SyncCore
import SyncStore

/// Puts objects into the zones where they belong: each into that of the nearest shared root at or
/// above it, else into the account's own. Confined to the body of a write.
///
/// ```
/// own zone ─▶ shared zone   the record in the own zone says `"m":["to",zone]` and else stays as it is; every machine of
///                           the account that reads this gives its own record, with its waiting fields, the other zone
/// shared zone ─▶ own zone   the record that is made there says `"m":["from",zone]`, with the same meaning
/// out of a shared zone      the record there says `"m":["to","",account]` and nothing else: to others the object is gone,
///                           whatever they have edited meanwhile
/// ```
///
/// The place of an object that the own zone names counts for all machines of the account; its
/// parent decides where it belongs. Machines that have moved and edited at once may find that the
/// two differ: then the reference is kept as a link, too, and the next push moves the object: see
/// ``settle()``.
struct ZoneMove: WritingPart {
  let writing: CloudWriting

  // MARK: - Where objects belong

  /// The zone in which an object belongs by its parents now.
  func zone(of object: ManagedObjectID) throws -> String {
    guard writing.fields.hasParents, try !writing.sharedZones.get().isEmpty else {
      return writing.homeName
    }
    return try writing.fields.sharedZone(of: object, transaction) ?? writing.homeName
  }

  /// Moves an object, and all below it, to where it belongs.
  ///
  /// - Parameter fresh: Records that no other machine can know.
  func place(_ object: ManagedObjectID, _ stamp: Stamp, fresh: Set<String> = []) throws {
    let target = try zone(of: object)
    guard let record = try transaction.remoteRecord(of: object.row, object.entity),
      record.zone != target
    else { return }
    try move(object, from: record.zone, to: target, stamp, fresh: fresh)
  }

  /// Moves an object, and all below it that is in the same zone.
  func move(
    _ object: ManagedObjectID, from zone: String, to target: String, _ stamp: Stamp,
    fresh: Set<String> = []
  ) throws {
    var level = [object]
    var names: [String: String] = [:]
    var orphans: [ManagedObjectID] = []
    while !level.isEmpty {
      var next: [ManagedObjectID] = []
      for each in level {
        guard let record = try transaction.remoteRecord(of: each.row, each.entity),
          record.zone == zone, each == object || !record.isSharedRoot
        else { continue }
        let name = try move(record, to: target, stamp, isKnown: !fresh.contains(record.name))
        names[record.name] = name
        let children = try children(of: each)
        if name != record.name { orphans += children }
        next += children
      }
      level = next
    }
    try rename(orphans, except: Set(names.filter { $0 != $1 }.values))
    try renameMembers(names, in: target, stamp)
    try carryPairs(of: names, from: zone)
  }

  /// Has objects say anew the parent that they are below, which has another name now. Those that
  /// have another name, too, were never said to be below anything else.
  private func rename(_ children: [ManagedObjectID], except names: Set<String>) throws {
    for child in children {
      guard var record = try transaction.remoteRecord(of: child.row, child.entity),
        !names.contains(record.name),
        let parent = writing.fields.rules(of: child.entity).parent
      else { continue }
      record.edit(parent.name, writing.clock.next(at: transaction.milliseconds).text)
      try transaction.setRemoteRecord(record)
    }
  }

  /// Moves all that is in a zone of the account's own to where the account's own zone says that it
  /// is, which is there when that says nothing. Records that cannot be used here go along as they
  /// came.
  ///
  /// - Parameter buries: Whether deletions go along.
  func moveAll(from zone: String, _ stamp: Stamp, buries: Bool) throws {
    var names: [String: String] = [:]
    var moved: [(name: String, target: String, object: ManagedObjectID?)] = []
    var met: [(name: String, target: String, object: ManagedObjectID)] = []
    for record in try transaction.allRemoteRecords(in: zone) {
      let known = try transaction.remoteRecord(record.name, in: writing.homeName)
      guard record.row != nil else {
        if record.isKeptAlive, known == nil || known?.moved == .to(zone) {
          try take(record, to: writing.homeName, follows: false)
        } else if buries {
          try bury(record, known, stamp)
        }
        continue
      }
      var target = writing.homeName
      if case .to(let other)? = known?.moved, other != zone { target = other }
      let there =
        target == writing.homeName
        ? known.flatMap { if case .from? = $0.moved { $0 } else { nil } }
        : try transaction.remoteRecord(record.name, in: target)
      if let other = there.flatMap(writing.object(of:)) {
        try drop(record)
        met.append((record.name, target, other))
        names[record.name] = record.name
        continue
      }
      let name = try take(record, to: target, follows: target != writing.homeName)
      moved.append((name, target, writing.object(of: record)))
      names[record.name] = name
    }
    // References to one of two lead to the other, from wherever they are now.
    for (name, target, object) in met {
      try writing.enter(target) { try writing.follow(name, object.row, object.entity) }
    }
    for (name, target, object) in moved {
      if let object { try connect(object, as: name, in: target) }
    }
    for target in Set(moved.map(\.target)).sorted() {
      try renameMembers(names, in: target, stamp)
    }
    try carryPairs(of: names, from: zone)
  }

  /// Says in the account's own zone that an object is gone that was in another one, so that no
  /// machine brings it home.
  private func bury(_ record: RemoteRecord, _ known: RemoteRecord?, _ stamp: Stamp) throws {
    guard !record.isPair, record.tag != nil, known?.row == nil,
      let deletion = record.deletion ?? (record.hasLeft ? stamp.text : nil)
    else { return }
    if let move = known?.moved, move != .to(record.zone) { return }
    var dead =
      known
      ?? RemoteRecord(
        zone: writing.homeName, name: record.name, entity: record.entity, stamp: deletion)
    (dead.deletion, dead.waiting, dead.moved) = (deletion, [.deletion], .from(record.zone))
    try transaction.setRemoteRecord(dead)
  }

  func children(of object: ManagedObjectID) throws -> [ManagedObjectID] {
    var result: [ManagedObjectID] = []
    for entity in writing.model.entities {
      guard let parent = writing.fields.rules(of: entity).parent,
        entity.destination(of: parent).rootIndex == object.entity.rootIndex
      else { continue }
      result += try transaction.objects(of: entity, .references(slot: parent.slot, [object.row]))
    }
    return result
  }
}

extension TravellingFields {
  /// The zone of the nearest shared root at or above an object; nil when there is none. An object
  /// that waits for a parent stays in its zone.
  func sharedZone(of object: ManagedObjectID, _ reader: StoreReader) throws -> String? {
    var current = object
    var seen: Set<ManagedObjectID> = []
    while seen.insert(current).inserted {
      let record = try reader.remoteRecord(of: current.row, current.entity)
      if let record, record.isSharedRoot { return record.zone }
      guard let parent = rules(of: current.entity).parent,
        let stored = try reader.rows(current.entity, rows: [current.row]).first
      else { return nil }
      guard case .int(let row) = stored.values[parent.slot],
        let above = try reader.rows(current.entity.destination(of: parent), rows: [row]).first
      else {
        guard let record, CloudZone(key: record.zone).root != nil else { return nil }
        let waits = try reader.remoteLinks(from: record.name, in: record.zone).contains {
          $0.field == parent.name
        }
        return current != object || waits ? record.zone : nil
      }
      current = above.id
    }
    return nil
  }
}

@available(*, unavailable, message: "Confined to the body of a write.")
extension ZoneMove: Sendable {}
