import SyncCore
import SyncStore

/// Finds pairs of many-to-many relationships that were joined or parted here: the history names the objects whose
/// members changed, not the members, so members are compared with the pairs that are known.
struct PairDrain {
  private let writing: CloudWriting

  /// The stamp of the latest change of members, by object.
  private var owners: [ManagedObjectID: String] = [:]

  init(_ writing: CloudWriting) {
    self.writing = writing
  }

  private var transaction: StoreTransaction { writing.transaction }
  private var zone: String { writing.zone.name }

  /// Notes an object that came, or whose properties changed.
  ///
  /// - Parameter properties: nil for one that came.
  mutating func note(
    _ row: Int64, _ entity: EntityDescription, _ properties: [String]?, _ stamp: Stamp
  ) {
    let sides = writing.fields.rules(of: entity).sides
    let isTouched = sides.contains { properties?.contains($0.relationship.name) ?? true }
    if isTouched { owners[ManagedObjectID(entity: entity, row: row)] = stamp.text }
  }

  /// Compares, once all objects that came have records.
  func run() throws {
    for (owner, stamp) in owners.sorted(by: { $0.key < $1.key }) {
      for side in writing.fields.rules(of: owner.entity).sides {
        try compare(side, owner, stamp, parts: true)
      }
    }
  }

  /// Makes records for the pairs that have none, as the oldest there are.
  func enrol() throws {
    let oldest = writing.clock.oldest.text
    for entity in transaction.model.entities {
      let sides = writing.fields.rules(of: entity).sides.filter(\.isFirst)
      guard !sides.isEmpty else { continue }
      var owners: [ManagedObjectID] = []
      try transaction.scan(entity, .all, slots: []) { cursor in
        if cursor.entity == entity {
          owners.append(ManagedObjectID(entity: entity, row: cursor.row))
        }
      }
      for owner in owners {
        for side in sides { try compare(side, owner, oldest, parts: false) }
      }
    }
  }

  private func compare(
    _ side: PairKind.Side, _ owner: ManagedObjectID, _ stamp: String, parts: Bool
  ) throws {
    guard let record = try transaction.remoteRecord(of: owner.row, owner.entity),
      record.zone == zone
    else { return }
    var current: Set<RemotePair> = []
    for member in try transaction.members(
      of: side.relationship, in: owner.entity, owners: [owner.row])
    {
      guard let other = try transaction.remoteRecord(of: member.row, member.entity),
        other.zone == zone
      else { continue }
      current.insert(
        side.isFirst
          ? side.kind.pair(record.name, other.name) : side.kind.pair(other.name, record.name))
    }
    for pair in current.sorted(by: { $0.name < $1.name }) { try join(pair, stamp) }
    guard parts else { return }
    let known = try transaction.remotePairs(
      of: record.name, isFirst: side.kind.isSymmetric ? nil : side.isFirst, in: zone)
    for pair in known where pair.relationship == side.kind.name && !current.contains(pair) {
      let other = pair.first == record.name ? pair.second : pair.first
      // Of what is not here nobody has parted it.
      guard try transaction.remoteRecord(other, in: zone)?.row != nil else { continue }
      try part(pair, stamp)
    }
  }

  private func join(_ pair: RemotePair, _ stamp: String) throws {
    let known = try transaction.remoteRecord(pair.name, in: zone)
    if let known, known.isJoined { return }
    var record =
      known ?? RemoteRecord(zone: zone, name: pair.name, entity: pair.relationship, stamp: "")
    record.stamp = stamp
    record.waiting = [RemoteRecord.whole]
    record.problem = nil
    try transaction.setRemotePair(pair, in: zone)
    try transaction.setRemoteRecord(record)
  }

  private func part(_ pair: RemotePair, _ stamp: String) throws {
    guard var record = try transaction.remoteRecord(pair.name, in: zone), record.isJoined else {
      return
    }
    record.deletion = stamp
    record.waiting = [RemoteRecord.deletionMark]
    record.problem = nil
    try writing.removeLinks(from: record.name)
    try transaction.setRemoteRecord(record)
  }
}
