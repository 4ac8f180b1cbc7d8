import Foundation
import SyncCore
import SyncEngine
import SyncGraph
package import SyncStore

extension CloudEngine {
  /// How far the engine has come. Reads the store; where that fails, its error is a problem without
  /// a record, and the numbers are 0.
  public var status: CloudStatus { status(of: Result { try storedStatus() }) }

  /// Adds what the engine knows without the store.
  private func status(of stored: Result<CloudStatus, any Error>) -> CloudStatus {
    var status = CloudStatus()
    switch stored {
    case .success(let known): status = known
    case .failure(let error):
      status.problems = [
        CloudProblem(
          record: "", entity: "", row: nil, reason: "The store cannot be read: \(error)",
          zone: zone.key)
      ]
    }
    monitor.fill(&status)
    let driver = driver.withLock { $0 }
    status.isStarted = driver != nil
    status.nextSync = driver?.pause.map { Date(timeIntervalSinceNow: $0 / .seconds(1)) }
    return status
  }

  private func storedStatus() throws -> CloudStatus {
    try stack.store.read { [self] reader in
      var status = try Self.status(in: reader, of: zone.key)
      status.waiting += try countUnread(in: reader)
      status.problems += try tooLarge(in: reader)
      return status
    }
  }

  /// Records that the server does not take alone, and that wait because it has taken nothing else
  /// since: it may be at fault itself.
  private func tooLarge(in reader: StoreReader) throws -> [CloudProblem] {
    let suspects = suspects.withLock { $0 }
    return try suspects.flatMap { zone, errors in
      try errors.filter { $0.value.code == .tooLarge }.compactMap { name, error in
        guard let record = try reader.remoteRecord(name, in: zone.key), record.problem == nil,
          !record.waiting.isEmpty
        else { return nil }
        return CloudProblem(
          record: name, entity: record.entity, row: record.row, reason: error.message,
          zone: zone.key)
      }
    }.sorted { ($0.zone, $0.record) < ($1.zone, $1.record) }
  }

  /// How many objects were edited since the history was last read, those left out that wait
  /// already.
  private func countUnread(in reader: StoreReader) throws -> Int {
    guard let zone = try reader.remoteZone(zone.name) else { return 0 }
    var token = HistoryToken(number: zone.history)
    // By object: whether it is still there.
    var edited: [ManagedObjectID: Bool] = [:]
    while true {
      let commits = try reader.history(since: token, authors: authors, limit: 100)
      for change in commits.flatMap(\.changes) {
        guard let entity = reader.model.entity(named: change.entity), fields.travels(entity) else {
          continue
        }
        let rules = fields.rules(of: entity)
        let isSent = change.properties.contains { name in
          rules.sent.contains(name) || rules.sides.contains { $0.relationship.name == name }
        }
        guard change.kind != .update || isSent else { continue }
        edited[ManagedObjectID(entity: entity.rootEntity, row: change.row)] = change.kind != .delete
      }
      guard let last = commits.last else { break }
      token = last.token
    }
    return try edited.count { object, isThere in
      // An object that came and went since never had a record, and is never sent.
      let record = try reader.remoteRecord(of: object.row, object.entity)
      return record?.waiting.isEmpty ?? isThere
    }
  }

  /// The part of the status that the store keeps, without an engine, which would write. Needs the
  /// tables of remote sync.
  package static func status(in reader: StoreReader, of zone: String) throws -> CloudStatus {
    var status = CloudStatus()
    let zones = [zone] + (try reader.sharedZones(home: zone).map(\.key))
    for name in zones {
      status.waiting += try reader.countWaitingRemoteRecords(in: name)
      var problems = try reader.remoteProblems(in: name)
      if name != zone, try reader.remoteZone(name)?.isReadOnly == true {
        problems += try reader.waitingRemoteRecords(in: name, after: "", limit: .max)
      }
      status.problems += problems.map {
        CloudProblem(
          record: $0.name, entity: $0.entity, row: $0.row,
          reason: $0.problem ?? Self.readOnlyReason,
          zone: name)
      }
    }
    // Links of shared zones do not count: a reference out of a share leads nowhere for the others,
    // and waits for no object.
    status.waitingLinks = try reader.countRemoteLinks(in: zone, toObjectsOf: zones)
    status.conflicts = try reader.countRemoteConflicts(in: zone)
    let kept = try reader.remoteZone(zone)
    status.lastPull = kept?.lastPull.map(Self.date)
    status.lastPush = kept?.lastPush.map(Self.date)
    return status
  }

  /// Why edits in a zone that may only be read are not sent.
  static let readOnlyReason =
    "The owner has shared that to be read only meanwhile, so it is not sent. Ask for the right to "
    + "write, or take it back with revert(_:) or discard(_:)."

  private static func date(_ milliseconds: Int64) -> Date {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  /// The status now, and again whenever it may have changed. Ends when the store was closed.
  public var statusUpdates: AsyncStream<CloudStatus> {
    monitor.updates { [weak self] in
      guard let self else { return nil }
      let stored = Result { try storedStatus() }
      if case .failure(let error as StoreError) = stored, error.code == .closed { return nil }
      return status(of: stored)
    }
  }
}
