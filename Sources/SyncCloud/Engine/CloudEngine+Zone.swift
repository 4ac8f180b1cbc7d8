import Foundation
import SyncCore
import SyncEngine
import SyncStore

extension CloudEngine {
  /// Says that this store is right, after ``CloudError/Code/deletionRefused``,
  /// ``CloudError/Code/zoneReplaced`` or ``CloudError/Code/accountChanged``: all its objects, their
  /// values and pairs count as set now, later than all values of the server. Makes the zone if need
  /// be, and leaves it to the next sync to send them to the account that is signed in. Objects that
  /// others have deleted come back there; objects that only the server has come here.
  ///
  /// The account's shares are sent anew, too; where the server has lost one, it has no participants
  /// until it is shared again. Shares of others stay as they are.
  ///
  /// - Throws: ``CloudError``; `StoreError`.
  /// - Complexity: Linear in the records of the server and in the objects here.
  public func uploadEverything() async throws {
    try await turn.run {
      let limits = try await beginAnew()
      for zone in [zone] + (try await sharedZones()) where zone.owner == nil {
        try await uploadEverything(in: zone, limits)
      }
      monitor.tell()
    }
    wake()
  }

  /// Takes the account that is signed in for that of the store.
  private func beginAnew() async throws -> CloudLimits {
    disconnect()
    let account = try await request { try await transport.account() }
    try await write { $0.zone.account = account }
    return try await request { try await transport.limits() }
  }

  private func uploadEverything(in zone: CloudZone, _ limits: CloudLimits) async throws {
    let state = try await request { try await transport.open(zone, create: true) }
    if zone != self.zone, try await kept(zone).generation != state.generation {
      try await request { try await transport.setParticipants([], of: zone) }
    }
    let latest = try await latestStamp(in: zone, limits)
    let name = zone.key
    try await write(in: zone) { writing in
      writing.zone.beginAnew(state.generation)
      if let latest { writing.clock.see(latest) }
      let stamp = writing.clock.next(at: writing.transaction.milliseconds).text
      for record in try writing.transaction.allRemoteRecords(in: name) where !record.isEvicted {
        guard let said = try Self.said(record, stamp, in: writing) else {
          try writing.transaction.removeRemoteRecord(record.name, in: name)
          continue
        }
        try writing.transaction.setRemoteRecord(said, before: record)
      }
    }
  }

  /// The latest stamp in the zone, whatever clock has made it.
  private func latestStamp(in zone: CloudZone, _ limits: CloudLimits) async throws -> Stamp? {
    var latest: Int64 = 0
    try await readAll(zone, limits) { records in
      for record in records {
        latest = max(latest, (try? RecordContent(record, fields.wire))?.latest ?? 0)
      }
    }
    return latest > 0 ? Stamp(milliseconds: latest, writer: writer) : nil
  }

  /// A record as said anew; nil for a deletion that was sent, which is of no use to a server that
  /// has not got the record.
  private static func said(
    _ record: RemoteRecord, _ stamp: String, in writing: CloudWriting
  ) throws -> RemoteRecord? {
    var said = record
    said.tag = nil
    said.problem = nil
    said.waiting = [.whole]
    if let pair = try writing.transaction.remotePair(record.name, in: record.zone) {
      for end in [pair.first, pair.second] {
        guard try writing.end(end, of: record.zone) != nil else { return nil }
      }
      if try writing.isJoined(record, pair) {
        said.stamp = stamp
      } else {
        said.deletion = stamp
        said.waiting = [.deletion]
      }
      return said
    }
    if record.row != nil {
      said.stamp = stamp
      // Fields without a stamp were never set: they stay so.
      said.stamps = record.stamps.open
      said.forgetBases()
      return said
    }
    if record.waiting.contains(.deletion) {
      said.deletion = stamp
      said.stamp = stamp
      said.waiting = [.deletion]
      return said
    }
    return record.kept == nil ? nil : said
  }

  /// Takes the server's records in the place of the objects here, after
  /// ``CloudError/Code/zoneReplaced`` or ``CloudError/Code/accountChanged``, or at any time: fields
  /// get the server's values, those that it does not have the model's defaults, and objects that it
  /// does not have go, however many they are. Unsent edits are in ``conflicts``, as far as their
  /// objects stay.
  ///
  /// Nothing is deleted before everything has arrived. Until then the engine does nothing else;
  /// after an error call it once more.
  ///
  /// - Throws: ``CloudError``, with the code `zoneMissing` when there is nothing to take;
  ///   `StoreError`.
  /// - Complexity: Linear in the records of the server and in the objects here.
  @discardableResult
  public func replaceLocal() async throws -> PullReport {
    let report = try await turn.run {
      try await running(.pull) {
        let report = try await takeServersContent()
        return (report, .pull(report))
      }
    }
    wake()
    return report
  }

  private func takeServersContent() async throws -> PullReport {
    let limits = try await beginAnew()
    let before = Set(try await sharedZones())
    var report = try await takeServersContent(of: zone, limits)
    let now = try await sharedZones()
    report.deleted += try await forget(before.subtracting(now))
    for zone in now {
      do {
        report.add(try await takeServersContent(of: zone, limits))
      } catch let error as CloudError where error.code == .zoneMissing {
        report.add(try await end(zone))
      }
    }
    return report
  }

  private func takeServersContent(
    of zone: CloudZone, _ limits: CloudLimits
  ) async throws -> PullReport {
    let state = try await request { try await transport.open(zone, create: false) }
    let name = zone.key
    try await write(in: zone) { writing in
      // Another one than any zone has, so that nothing is sent should this not come to its end.
      writing.zone.beginAnew(Self.unfinished)
      for record in try writing.transaction.allRemoteRecords(in: name) {
        try Self.yield(record, in: writing)
      }
    }
    var report = try await pullPages(zone, limits, isChecked: true, .off)
    report.deleted += try await write(in: zone) { writing in
      writing.zone.generation = state.generation
      return try Self.deleteUnknown(in: writing)
    }
    return report
  }

  /// Stands for the generation of the zone while its records take the place of the objects here.
  static let unfinished = "unfinished"

  /// Lets any version of the server win over a record here.
  static func yield(_ record: RemoteRecord, in writing: CloudWriting) throws {
    guard record.row != nil || record.isPair || record.hasLeft else {
      return try writing.transaction.removeRemoteRecord(record.name, in: record.zone)
    }
    var record = record
    record.tag = nil
    record.stamp = ""
    record.stamps = RemoteStamps()
    record.deletion = nil
    record.problem = nil
    // The waiting fields stay for the conflicts: the server's records show which of them lose.
    if record.waiting.contains(.whole),
      let entity = writing.model.entity(named: record.entity)
    {
      record.waiting.formUnion(writing.fields.rules(of: entity).sent.map { .field($0) })
    }
    record.waiting.remove(.whole)
    record.waiting.remove(.deletion)
    try writing.transaction.setRemoteRecord(record)
  }

  /// Deletes the objects of records that the server has not shown.
  private static func deleteUnknown(in writing: CloudWriting) throws -> Int {
    let deleter = ObjectDeleter(writing: writing)
    var count = 0
    for record in try writing.transaction.allRemoteRecords(in: writing.zone.name)
    where record.tag == nil && !record.hasLeft {
      if let object = writing.object(of: record) {
        try deleter.delete(object, name: record.name)
        count += 1
      } else if var parted = record.isPair ? record : nil,
        let kind = writing.fields.kinds[record.entity]
      {
        parted.stamp = ""
        try PairWriter(writing: writing).apply(parted, kind)
      }
      try writing.transaction.removeRemoteRecord(record.name, in: record.zone)
    }
    return count
  }
}

extension RemoteZone {
  /// Forgets how far the zone was pulled.
  fileprivate mutating func beginAnew(_ generation: String) {
    (self.generation, token, deleted) = (generation, nil, 0)
    (newest, witness) = (0, nil)
  }
}
