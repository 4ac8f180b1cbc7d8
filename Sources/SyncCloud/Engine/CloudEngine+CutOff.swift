import SyncCore
import SyncStore

/// What another machine of the account has begun, which may never come back: it has said in the
/// account's own zone that objects went to a shared one, or that something is shared no more, and
/// was cut off before the objects were there.
extension CloudEngine {
  /// Has records come into a zone that was pulled to its end and has none of their names, although
  /// the account's own zone says that they went there. The next push sends them.
  func bringAlong(to zone: CloudZone) async throws -> RecordWriter.Counts {
    let name = zone.key
    let announced = try await read { reader in
      let others = try reader.remoteZoneNames().filter { $0 != name }
      return try reader.keptRemoteRecords(in: name).filter { record in
        // What is in another one has not left it yet.
        try record.isAnnounced
          && !others.contains { try reader.remoteRecord(record.name, in: $0)?.row != nil }
      }
    }
    guard !announced.isEmpty, !readOnly.contains(zone) else { return RecordWriter.Counts() }
    let records = announced.map { record in
      CloudRecord(name: record.name, tag: Self.unsent, content: record.keptContent, time: 0)
    }
    return try await store(records, in: zone, isFeed: false, deletionGuard) { writing in
      var came: [RemoteRecord] = []
      for each in announced {
        guard var record = try writing.transaction.remoteRecord(each.name, in: name),
          record.tag == Self.unsent
        else { continue }
        record.tag = nil
        if record.row != nil || record.isJoined { record.waiting = [.whole] }
        try writing.transaction.setRemoteRecord(record)
        came.append(record)
      }
      let stamp = writing.clock.next(at: writing.transaction.milliseconds)
      for record in came { try ZoneMove(writing).settlePairs(of: record, stamp) }
    }
  }

  /// Stands for the version of a record that the server has not got.
  private static let unsent = ""

  /// Brings home what is in a zone that another machine has ended, while the server has it.
  ///
  /// - Returns: What came; nil when the server has not got it any more.
  func takeOver(_ zone: CloudZone) async throws -> PullReport? {
    do {
      var report = try await pullPages(in: zone)
      report.add(try await bringAlong(to: zone))
      try await bringHome(zone)
      return report
    } catch let error as CloudError where error.code == .zoneMissing {
      return nil
    }
  }

  /// Moves all that is here of a zone of the account's own to where it is without that. The next
  /// push takes the zone from the server.
  func bringHome(_ shared: CloudZone) async throws {
    try await write { writing in
      try writing.enter(shared.key) { writing.zone.generation = Self.stopping }
      let stamp = writing.clock.next(at: writing.transaction.milliseconds)
      try ZoneMove(writing).moveAll(from: shared.key, stamp, buries: true)
    }
  }
}
