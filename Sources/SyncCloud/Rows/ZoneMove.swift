import SyncCore
import SyncStore

/// Puts objects into the zones where they belong: each into that of the nearest shared root at or above it, else into the
/// account's own. Confined to the body of a write.
///
/// ```
/// own zone ─▶ shared zone   the record in the own zone says `"m":["to",zone]` and else stays as it is; every machine of
///                           the account that reads this gives its own record, with what waits of it, the other zone
/// shared zone ─▶ own zone   the record that is made there says `"m":["from",zone]`, with the same meaning
/// out of a shared zone      a deletion there: others cannot follow
/// ```
struct ZoneMove {
  private let writing: CloudWriting

  init(_ writing: CloudWriting) {
    self.writing = writing
  }

  private var transaction: StoreTransaction { writing.transaction }

  // MARK: - Where objects belong

  /// The zone in which an object belongs by what it leads to now.
  func zone(of object: ManagedObjectID) throws -> String {
    guard writing.fields.hasParents, try !writing.sharedZones.get().isEmpty else {
      return writing.homeName
    }
    return try writing.fields.sharedZone(of: object, transaction) ?? writing.homeName
  }

  /// Moves an object, and all below it, to where it belongs.
  ///
  /// - Parameter fresh: Records that nobody else can know.
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
    var names: [String] = []
    while !level.isEmpty {
      var next: [ManagedObjectID] = []
      for each in level {
        guard let record = try transaction.remoteRecord(of: each.row, each.entity),
          record.zone == zone, each == object || !record.isSharedRoot
        else { continue }
        names.append(try move(record, to: target, stamp, isKnown: !fresh.contains(record.name)))
        next += try children(of: each)
      }
      level = next
    }
    for name in names { try movePairs(of: name, from: zone, to: target, stamp, tells: true) }
  }

  /// Moves what is below an object, which has moved itself, and was never sent: whoever moved that did not know of it.
  func moveUnsentChildren(
    of object: ManagedObjectID, from zone: String, to target: String, _ stamp: Stamp
  ) throws {
    for child in try children(of: object) {
      guard let record = try transaction.remoteRecord(of: child.row, child.entity),
        record.zone == zone, record.tag == nil
      else { continue }
      try move(child, from: zone, to: target, stamp)
    }
  }

  /// Moves all that is in a zone.
  func moveAll(from zone: String, to target: String, _ stamp: Stamp) throws {
    var names: [String] = []
    for record in try transaction.allRemoteRecords(in: zone) where record.row != nil {
      names.append(try take(record, to: target, stamp))
    }
    for name in names { try movePairs(of: name, from: zone, to: target, stamp, tells: false) }
  }

  private func children(of object: ManagedObjectID) throws -> [ManagedObjectID] {
    var result: [ManagedObjectID] = []
    for entity in writing.model.entities {
      guard let parent = writing.fields.rules(of: entity).parent,
        entity.destination(of: parent).rootIndex == object.entity.rootIndex
      else { continue }
      try transaction.scan(
        entity, .references(slot: parent.slot, [object.row]), slots: [], isOrdered: false
      ) { cursor in
        if cursor.entity == entity {
          result.append(ManagedObjectID(entity: entity, row: cursor.row))
        }
      }
    }
    return result
  }

  // MARK: - Records

  /// Gives a record, with its object, another zone, and has both zones told.
  ///
  /// - Returns: Its name there.
  private func move(
    _ record: RemoteRecord, to target: String, _ stamp: Stamp, isKnown: Bool
  ) throws -> String {
    let name = try take(record, to: target, stamp)
    guard isKnown else { return name }
    var left = RemoteRecord(
      zone: record.zone, name: record.name, entity: record.entity, stamp: stamp.text)
    left.tag = record.tag
    if record.zone == writing.homeName {
      (left.moved, left.waiting) = (.to(target), [.whole])
    } else {
      (left.deletion, left.waiting) = (stamp.text, [.deletion])
    }
    try transaction.setRemoteRecord(left)
    return name
  }

  /// Gives a record another zone, as one that was moved elsewhere.
  ///
  /// - Returns: Its name there.
  @discardableResult
  func take(_ record: RemoteRecord, to target: String, _ stamp: Stamp) throws -> String {
    let holder = try transaction.remoteRecord(record.name, in: target)
    var name = record.name
    if holder?.row != nil {
      // Somebody else's object has the name there.
      var names = RecordName.Source(milliseconds: transaction.milliseconds)
      name = names.next()
    }
    var taken = RemoteRecord(zone: target, name: name, entity: record.entity, stamp: record.stamp)
    taken.row = record.row
    taken.stamps = record.stamps
    taken.deletion = record.deletion
    taken.kept = record.kept
    taken.waiting = [.whole]
    if target == writing.homeName { taken.moved = .from(record.zone) }
    if let holder, name == record.name {
      taken.tag = holder.tag
      if let deletion = holder.deletion {
        // It was there before, and left: all of it is said anew.
        taken.deletion = max(deletion, record.deletion ?? "")
        (taken.stamp, taken.stamps) = (stamp.text, RemoteStamps())
      }
    }
    try transaction.removeRemoteRecord(record.name, from: record.zone, to: target)
    try transaction.setRemoteRecord(taken)
    try writing.keep(target)
    return name
  }

  /// Moves the pairs of a record both of whose ends are there now.
  ///
  /// - Parameter tells: Whether the zone that they leave is told.
  func movePairs(
    of name: String, from zone: String, to target: String, _ stamp: Stamp, tells: Bool
  ) throws {
    for pair in try transaction.remotePairs(of: name, isFirst: nil, in: zone) {
      let other = pair.first == name ? pair.second : pair.first
      guard let record = try transaction.remoteRecord(pair.name, in: zone),
        try transaction.remoteRecord(other, in: target)?.row != nil
      else { continue }
      guard try transaction.isJoined(record, pair) else { continue }
      try take(record, to: target, stamp)
      guard tells else { continue }
      var left = RemoteRecord(
        zone: zone, name: record.name, entity: record.entity, stamp: record.stamp)
      left.tag = record.tag
      (left.deletion, left.waiting) = (stamp.text, [.deletion])
      try transaction.setRemoteRecord(left)
    }
  }
}

extension TravellingFields {
  /// The zone of the nearest shared root at or above an object; nil when there is none.
  func sharedZone(of object: ManagedObjectID, _ reader: StoreReader) throws -> String? {
    var current = object
    var seen: Set<ManagedObjectID> = []
    while seen.insert(current).inserted {
      let record = try reader.remoteRecord(of: current.row, current.entity)
      if let record, record.isSharedRoot { return record.zone }
      guard let parent = rules(of: current.entity).parent,
        let stored = try reader.rows(current.entity, rows: [current.row]).first,
        case .int(let row) = stored.values[parent.slot],
        let above = try reader.rows(current.entity.destination(of: parent), rows: [row]).first
      else { break }
      current = above.id
    }
    return nil
  }
}

extension RemoteRecord.Move {
  /// As records carry it.
  var json: JSONValue {
    switch self {
    case .to(let zone): ["to", .string(zone)]
    case .from(let zone): ["from", .string(zone)]
    }
  }

  init?(_ json: JSONValue?) {
    guard let parts = json?.arrayValue, parts.count == 2, let zone = parts[1].stringValue else {
      return nil
    }
    switch parts[0].stringValue {
    case "to": self = .to(zone)
    case "from": self = .from(zone)
    default: return nil
    }
  }
}

@available(*, unavailable, message: "Confined to the body of a write.")
extension ZoneMove: Sendable {}
