import Foundation
import SyncCore
import SyncStore

/// Records that a server lost when it was taken back to a backup: those that are known here and
/// that it does not show. A record that it shows in an earlier version is older than the one here,
/// and waits by that alone.
struct LostRecords: Sendable {
  private var seen: Set<String> = []
  /// The record that the server wrote last, and when; see ``RemoteZone/witness``.
  private var witness: String?
  private var newest: Int64 = 0

  /// Notes the records that a page shows.
  mutating func note(_ page: CloudPage) {
    for record in page.records {
      seen.insert(record.name)
      if record.content != nil, record.time > newest {
        (newest, witness) = (record.time, record.name)
      }
    }
  }

  /// Has the lost records sent again.
  func sendAgain(in writing: CloudWriting) throws {
    let zone = writing.zone.name
    for before in try writing.transaction.allRemoteRecords(in: zone)
    where before.tag != nil && !seen.contains(before.name) && !before.isEvicted {
      var record = before
      record.tag = nil
      record.problem = nil
      let isAlive = record.row != nil || record.isJoined || record.kept != nil || record.hasLeft
      if isAlive, !record.isDeadButHere {
        record.waiting = [.whole]
      } else {
        // A deletion is told, too, though nothing is there: others may have the object still.
        record.waiting = record.deletion == nil ? [] : [.deletion]
      }
      try writing.store(record, before: before)
    }
    (writing.zone.newest, writing.zone.witness) = (newest, witness)
  }
}

/// A server that knows its own changes no more: everything is read once more, from the beginning.
extension CloudEngine {
  /// Stands for a place in the changes until everything was read. Kept, so that nothing is sent
  /// before, and a pull that is interrupted begins anew.
  static let startingOver = CloudToken(rawValue: "\u{1}starting over")

  /// The state of a zone that the store keeps; that of a new one when it keeps none.
  func kept(_ zone: CloudZone) async throws -> RemoteZone {
    let name = zone.key
    return try await read { try $0.remoteZone(name) ?? RemoteZone(name) }
  }

  /// Has the changes of a zone read from their beginning.
  func startOver(_ zone: CloudZone) async throws -> LostRecords {
    try await write(in: zone) { $0.zone.token = Self.startingOver.rawValue }
    return LostRecords()
  }

  /// Whether the server has lost the newest version that was seen of it. Asks for that version,
  /// except when the page answers; a page without records is believed.
  func isTakenBack(_ zone: CloudZone, _ known: RemoteZone, _ page: CloudPage) async throws -> Bool {
    guard let witness = known.witness else { return false }
    if let newest = page.newest, newest < known.newest { return true }
    if page.records.isEmpty { return false }
    if page.records.contains(where: { $0.name == witness && $0.time >= known.newest }) {
      return false
    }
    return try await hasLost(witness, of: known.newest, in: zone)
  }

  /// Whether the server has neither a version of a record nor a later one.
  private func hasLost(_ witness: String, of time: Int64, in zone: CloudZone) async throws -> Bool {
    let shown = try await request { try await transport.record(witness, in: zone) }
    return shown.map { $0.time < time } ?? true
  }

  /// Pulls before anything is sent to a server that was taken back, so that its losses are known
  /// before new versions hide them.
  func catchUp(_ zone: CloudZone) async throws {
    let known = try await kept(zone)
    let isStartingOver = known.token == Self.startingOver.rawValue
    if !isStartingOver {
      guard let witness = known.witness, try await hasLost(witness, of: known.newest, in: zone)
      else { return }
      _ = try await startOver(zone)
    }
    _ = try await pullPages(in: zone)
  }
}
