import SyncCore
import SyncStore

/// Records that went to another zone, or came from one; see ``ZoneMove``.
extension RecordWriter {
  /// Follows a record of the account's own zone.
  ///
  /// - Parameter before: What is known of it; another one afterwards when it came back.
  /// - Returns: Whether there is nothing of it to merge in this zone.
  mutating func goes(_ shown: CloudRecord, _ before: inout RemoteRecord?) throws -> Bool {
    guard zone == writing.homeName else { return false }
    let move = RemoteRecord.Move(shown.content?["m"])
    if case .to(let target)? = move {
      if let here = before, here.row != nil {
        try take(here, from: zone, to: target)
        try bringUnsentChildren(of: here, from: zone, to: target)
      }
      var left = before?.row == nil ? before : nil
      left =
        left ?? RemoteRecord(zone: zone, name: shown.name, entity: self.type(of: shown), stamp: "")
      left?.tag = shown.tag
      left?.moved = move
      left?.waiting = []
      if let left { try writing.store(left, before: before?.row == nil ? before : nil) }
      return true
    }
    if case .to(let target)? = before?.moved, var left = before, !left.waiting.isEmpty {
      // It was written before whoever did that knew that it goes.
      left.tag = shown.tag
      try writing.store(left, before: before)
      try merge(shown, into: target)
      return true
    }
    guard before?.row == nil, let source = (move ?? before?.moved)?.zone,
      let there = try transaction.remoteRecord(shown.name, in: source), there.row != nil
    else { return false }
    try take(there, from: source, to: zone)
    before = try transaction.remoteRecord(shown.name, in: zone)
    return false
  }

  /// Has what was put below an object here, and never sent, follow it.
  private func bringUnsentChildren(
    of record: RemoteRecord, from zone: String, to target: String
  ) throws {
    guard let row = record.row, let entity = writing.model.entity(named: record.entity) else {
      return
    }
    let stamp = writing.clock.next(at: transaction.milliseconds)
    try ZoneMove(writing).moveUnsentChildren(
      of: ManagedObjectID(entity: entity, row: row), from: zone, to: target, stamp)
  }

  /// Names of records of a shared zone whose objects went home: the zone is shared no more, and still has them.
  func namesGoneHome(_ records: [CloudRecord]) throws -> Set<String> {
    guard zone != writing.homeName else { return [] }
    let home = try transaction.remoteRecords(records.map(\.name), in: writing.homeName)
    return Set(home.values.filter { $0.row != nil && $0.moved == .from(zone) }.map(\.name))
  }

  private func take(_ record: RemoteRecord, from zone: String, to target: String) throws {
    let move = ZoneMove(writing)
    let stamp = writing.clock.next(at: transaction.milliseconds)
    let name = try move.take(record, to: target, stamp)
    try move.movePairs(of: name, from: zone, to: target, stamp, tells: false)
  }

  private mutating func merge(_ shown: CloudRecord, into target: String) throws {
    guard let there = try transaction.remoteRecord(shown.name, in: target), there.row != nil else {
      return
    }
    counts.add(
      try writing.enter(target) {
        var writer = RecordWriter(writing)
        try writer.write([shown], isFeed: false)
        guard var merged = try transaction.remoteRecord(shown.name, in: target) else {
          return writer.counts
        }
        // That was no version of this zone.
        merged.tag = there.tag
        merged.waiting.formUnion(there.waiting)
        try transaction.setRemoteRecord(merged)
        return writer.counts
      })
  }
}
