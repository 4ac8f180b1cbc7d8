import SyncCore
import SyncStore

/// The pairs of objects that go to another zone, and their places in lists.
extension ZoneMove {
  /// Says the pairs of objects that went to another zone, or got other names, where they belong
  /// now, with the stamps of joining and parting.
  ///
  /// - Parameters:
  ///   - names: Those that the objects have now, by those that they had.
  ///   - zone: Where they were.
  func carryPairs(of names: [String: String], from zone: String) throws {
    for (name, _) in names.inKeyOrder {
      for source in writing.pairZones(zone) {
        /// The account's own zone says pairs of an object of that name that it has itself, first.
        func current(_ end: String) throws -> String {
          let isOther = try source != zone && transaction.remoteRecord(end, in: source)?.row != nil
          return isOther ? end : names[end] ?? end
        }
        for pair in try transaction.remotePairs(of: name, isFirst: nil, in: source) {
          guard let kind = writing.fields.kinds[pair.relationship],
            let record = try transaction.remoteRecord(pair.name, in: source)
          else { continue }
          let now = kind.pair(try current(pair.first), try current(pair.second))
          try carry(record, to: now)
        }
      }
    }
  }

  private func carry(_ record: RemoteRecord, to pair: RemotePair) throws {
    guard let kind = writing.fields.kinds[pair.relationship],
      let first = try writing.end(pair.first, of: writing.homeName),
      let second = try writing.end(pair.second, of: writing.homeName),
      let owner = first.row, let member = second.row
    else { return }
    let zone = writing.pairZone(first.zone, second.zone)
    guard zone != record.zone || pair.name != record.name else { return }
    let before = try transaction.remoteRecord(pair.name, in: zone)
    var there =
      before ?? RemoteRecord(zone: zone, name: pair.name, entity: pair.relationship, stamp: "")
    there.stamp = max(there.stamp, record.stamp)
    there.deletion = [there.deletion, record.deletion].compactMap(\.self).max()
    // An object that was deleted in the zone it comes to is joined there as it was.
    if there.isJoined, let parting = Stamp(try writing.parting(of: there, pair)),
      there.stamp <= parting.text,
      try transaction.missingLinks(kind.relationship, of: kind.entity, among: [(owner, member)])
        .isEmpty
    {
      there.stamp = writing.clock.survivor(of: parting).text
      writing.clock.see(writing.clock.survivor(of: parting))
    }
    if there != before {
      there.waiting = [there.isJoined ? .whole : .deletion]
      there.problem = nil
      try transaction.setRemotePair(pair, in: zone)
      try transaction.setRemoteRecord(there)
    }
    if record.tag == nil { try transaction.removeRemoteRecord(record.name, in: record.zone) }
  }

  /// Gives members of lists the names that they have now: they keep their places.
  ///
  /// - Parameter names: Those that objects have in a zone now, by those that they had.
  func renameMembers(_ names: [String: String], in zone: String, _ stamp: Stamp) throws {
    guard writing.fields.hasLists, names.contains(where: { $0 != $1 }) else { return }
    let objects = try names.values.sorted().compactMap { name -> (String, ManagedObjectID)? in
      let record = try transaction.remoteRecord(name, in: zone)
      return record.flatMap(writing.object(of:)).map { (name, $0) }
    }
    // Lists that went along, as they were last said.
    for (name, object) in objects {
      for field in writing.fields.rules(of: object.entity).lists.keys.sorted() {
        guard let said = try transaction.remoteList(of: name, field, in: zone) else { continue }
        try transaction.setRemoteList(said.map { names[$0] ?? $0 }, of: name, field, in: zone)
      }
    }
    let drain = ListDrain(writing: writing)
    for (_, object) in objects {
      for list in try lists(with: object) { try drain.compare(list, stamp.text) }
    }
  }

  /// The lists in which an object is.
  private func lists(with object: ManagedObjectID) throws -> [ListKey] {
    var lists: [ListKey] = []
    for relationship in object.entity.relationships where !relationship.isTransient {
      guard let list = object.entity.inverse(of: relationship), list.isOrdered else { continue }
      let owners: [ManagedObjectID]
      if relationship.isToMany {
        owners = try transaction.members(of: relationship, in: object.entity, owners: [object.row])
          .map { ManagedObjectID(entity: $0.entity, row: $0.row) }
      } else if case .int(let row) = try transaction.value(relationship.slot, of: object) {
        owners = [ManagedObjectID(entity: object.entity.destination(of: relationship), row: row)]
      } else {
        continue
      }
      lists += owners.map {
        ListKey(root: $0.entity.rootIndex, owner: $0.row, field: list.name)
      }
    }
    return lists
  }
}
