import SyncCore
import SyncStore

/// Takes back an object or pair that was made here and that the server has never had. Confined to
/// the body of a write.
struct UnsentRecord: WritingPart {
  let writing: CloudWriting

  func remove(_ record: RemoteRecord) throws {
    if let kind = writing.fields.kinds[record.entity] {
      var parted = record
      parted.stamp = ""
      try PairWriter(writing: writing).apply(parted, kind)
    } else if let object = writing.object(of: record) {
      if case .from? = record.moved { return try bringHome(object, record) }
      try remove(object, record)
    }
    try transaction.removeRemoteRecord(record.name, in: record.zone)
  }

  /// Removes an object that is nowhere else, with all below it that is not, and their pairs.
  private func remove(_ object: ManagedObjectID, _ record: RemoteRecord) throws {
    for child in try unsentChildren(of: object, in: record.zone) { try remove(child) }
    try writing.enter(record.zone) {
      try ObjectDeleter(writing: writing).delete(object, name: record.name)
      try writing.forgetReferences(of: record.name)
    }
    for zone in writing.pairZones(record.zone) {
      for pair in try transaction.remotePairs(of: record.name, isFirst: nil, in: zone)
      where try transaction.remoteRecord(pair.name, in: zone)?.tag == nil {
        try transaction.removeRemoteRecord(pair.name, in: zone)
      }
    }
  }

  /// Brings an object back from a zone into which it was moved, with all below it.
  private func bringHome(_ object: ManagedObjectID, _ record: RemoteRecord) throws {
    let stamp = writing.clock.next(at: transaction.milliseconds)
    var names: Set<String> = []
    var next = [(object, record)]
    while let (each, record) = next.popLast() {
      names.insert(record.name)
      for child in try unsentChildren(of: each, in: record.zone) {
        if let object = writing.object(of: child) { next.append((object, child)) }
      }
    }
    if let parent = writing.fields.rules(of: object.entity).parent {
      var edited = record
      edited.edit(parent.name, stamp.text)
      try transaction.setRemoteRecord(edited)
      try RowValueWriter(writing, object.entity).update(object.row, [(parent.slot, .null)])
    }
    try ZoneMove(writing: writing).move(
      object, from: record.zone, to: writing.homeName, stamp, fresh: names)
  }

  private func unsentChildren(
    of object: ManagedObjectID, in zone: String
  ) throws -> [RemoteRecord] {
    try ZoneMove(writing: writing).children(of: object).compactMap {
      try transaction.remoteRecord(of: $0.row, $0.entity)
    }.filter { $0.zone == zone && $0.tag == nil }
  }
}

@available(*, unavailable, message: "Confined to the body of a write.")
extension UnsentRecord: Sendable {}
