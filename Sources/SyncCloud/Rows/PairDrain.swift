import SyncCore
import SyncStore

/// Finds pairs of many-to-many relationships that were joined or parted here. The history names the
/// objects at both ends, not the pairs: looked at are the pairs that those can make, or, where
/// these are many, the members of the objects at one end. Of a relationship without inverse it
/// names the owners alone.
struct PairDrain: WritingPart {
  /// Objects of one relationship whose members changed, with the stamps of the latest changes.
  struct Changed {
    let kind: PairKind
    var first: [ManagedObjectID: String] = [:]
    var second: [ManagedObjectID: String] = [:]
  }

  let writing: CloudWriting
  private(set) var changed: [String: Changed] = [:]

  /// Notes an object that came, or whose properties changed.
  ///
  /// - Parameter properties: nil for one that came.
  mutating func note(
    _ row: Int64, _ entity: EntityDescription, _ properties: [String]?, _ stamp: Stamp
  ) {
    let object = ManagedObjectID(entity: entity, row: row)
    for side in writing.fields.rules(of: entity).sides
    where properties?.contains(side.relationship.name) ?? true {
      let kind = side.kind
      if side.isFirst || kind.isSymmetric {
        changed[kind.name, default: Changed(kind: kind)].first[object] = stamp.text
      }
      if !side.isFirst || kind.isSymmetric {
        changed[kind.name, default: Changed(kind: kind)].second[object] = stamp.text
      }
    }
  }

  /// Compares, once all objects that came have records.
  func run() throws {
    for (_, each) in changed.inKeyOrder {
      let (first, second) = (each.first.count, each.second.count)
      if each.kind.relationship.inverseSlot == nil {
        try compare(each.first, of: each.kind)
      } else if first == 0 || second == 0 {
        // Of objects that came without members.
        continue
      } else if first * second <= 4 * (first + second) {
        try compare(each)
      } else {
        // All pairs that changed have an end on either side; where more objects are, each has fewer
        // members.
        try compare(first >= second ? each.first : each.second, of: each.kind)
      }
    }
  }

  private func compare(_ owners: [ManagedObjectID: String], of kind: PairKind) throws {
    for (owner, stamp) in owners.inKeyOrder {
      for side in writing.fields.rules(of: owner.entity).sides where side.kind.name == kind.name {
        try compare(side, owner, stamp, parts: true)
      }
    }
  }

  /// Looks at each pair that objects at both ends can make.
  private func compare(_ changed: Changed) throws {
    let kind = changed.kind
    let (first, second) = (try records(changed.first), try records(changed.second))
    var candidates: [(pair: Place, stamp: String, owner: Int64, member: Int64)] = []
    for one in first {
      for other in second where !kind.isSymmetric || one.row <= other.row {
        let pair = place(kind.pair(one.record.name, other.record.name), one.record, other.record)
        candidates.append((pair, min(one.stamp, other.stamp), one.row, other.row))
      }
    }
    let missing = Set(
      try transaction.missingLinks(
        kind.relationship, of: kind.entity,
        among: candidates.map { (owner: $0.owner, member: $0.member) }
      ).map { [$0.owner, $0.member] })
    for each in candidates {
      if missing.contains([each.owner, each.member]) {
        try part(each.pair, each.stamp)
      } else {
        try join(each.pair, each.stamp)
      }
    }
  }

  /// Objects with their records, those that have any, in order.
  private func records(
    _ objects: [ManagedObjectID: String]
  ) throws -> [(row: Int64, record: RemoteRecord, stamp: String)] {
    try objects.inKeyOrder.compactMap { object, stamp in
      try transaction.remoteRecord(of: object.row, object.entity).map { (object.row, $0, stamp) }
    }
  }

  /// A pair, and the zone where it is said.
  private struct Place: Hashable {
    let pair: RemotePair
    let zone: String
  }

  private func place(_ pair: RemotePair, _ first: RemoteRecord, _ second: RemoteRecord) -> Place {
    Place(pair: pair, zone: writing.pairZone(first.zone, second.zone))
  }

  /// Makes records for the pairs that have none, as the oldest there are.
  func enrol() throws {
    let oldest = writing.clock.oldest.text
    for entity in transaction.model.entities {
      let sides = writing.fields.rules(of: entity).sides.filter(\.isFirst)
      guard !sides.isEmpty else { continue }
      let owners = try transaction.objects(of: entity)
      for side in sides {
        var joined: Set<Int64> = []
        try transaction.scanLinks(
          of: side.relationship, in: entity, owners: owners.map(\.row).sorted()[...]
        ) { owner, _ in joined.insert(owner) }
        for owner in owners where joined.contains(owner.row) {
          try compare(side, owner, oldest, parts: false)
        }
      }
    }
  }

  private func compare(
    _ side: PairKind.Side, _ owner: ManagedObjectID, _ stamp: String, parts: Bool
  ) throws {
    guard let record = try transaction.remoteRecord(of: owner.row, owner.entity) else { return }
    var current: Set<Place> = []
    for member in try transaction.members(
      of: side.relationship, in: owner.entity, owners: [owner.row])
    {
      guard let other = try transaction.remoteRecord(of: member.row, member.entity) else {
        continue
      }
      let pair =
        side.isFirst
        ? side.kind.pair(record.name, other.name) : side.kind.pair(other.name, record.name)
      current.insert(place(pair, record, other))
    }
    for pair in current.sorted(by: { $0.pair.name < $1.pair.name }) { try join(pair, stamp) }
    guard parts else { return }
    for zone in writing.pairZones(record.zone) {
      let known = try transaction.remotePairs(
        of: record.name, isFirst: side.kind.isSymmetric ? nil : side.isFirst, in: zone)
      for pair in known where pair.relationship == side.kind.name {
        let other = pair.first == record.name ? pair.second : pair.first
        // A pair with an object that is not here was not parted here.
        guard let end = try writing.end(other, of: zone),
          writing.pairZone(record.zone, end.zone) == zone,
          case let place = Place(pair: pair, zone: zone), !current.contains(place)
        else { continue }
        try part(place, stamp)
      }
    }
  }

  private func join(_ place: Place, _ stamp: String) throws {
    let (pair, zone) = (place.pair, place.zone)
    let known = try transaction.remoteRecord(pair.name, in: zone)
    if let known, try writing.isJoined(known, pair) { return }
    var record =
      known ?? RemoteRecord(zone: zone, name: pair.name, entity: pair.relationship, stamp: "")
    let parting = try writing.parting(of: record, pair)
    if stamp <= parting, let parting = Stamp(parting) {
      record.stamp = writing.clock.survivor(of: parting).text
    } else {
      record.stamp = stamp
    }
    record.waiting = [.whole]
    record.problem = nil
    try transaction.setRemotePair(pair, in: zone)
    try transaction.setRemoteRecord(record)
  }

  private func part(_ place: Place, _ stamp: String) throws {
    guard var record = try transaction.remoteRecord(place.pair.name, in: place.zone),
      try writing.isJoined(record, place.pair)
    else { return }
    record.deletion = stamp
    record.waiting = [.deletion]
    record.problem = nil
    try writing.enter(place.zone) { try writing.removeLinks(from: record.name) }
    try transaction.setRemoteRecord(record)
  }
}
