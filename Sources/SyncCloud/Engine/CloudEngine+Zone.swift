import SyncCore
import SyncStore

extension CloudEngine {
  /// Sends all objects of this store to whoever is signed in now, after ``CloudError/Code/zoneReplaced`` or
  /// ``CloudError/Code/accountChanged``: makes the zone if need be, forgets what was known of the server, and
  /// leaves it to the next sync. What the server has already is merged with it, field by field.
  ///
  /// - Throws: ``CloudError``; `StoreError`.
  public func uploadEverything() async throws {
    try await turn.run {
      disconnect()
      let account = try await request { try await transport.account() }
      let state = try await request { try await transport.open(zone, create: true) }
      let name = zone.name
      try await write { writing in
        writing.zone.account = account
        writing.zone.generation = state.generation
        writing.zone.token = nil
        for var record in try writing.transaction.allRemoteRecords(in: name) {
          // Deletions that were sent are of no use to a server that has none of the records.
          guard record.row != nil || record.waiting.contains(RemoteRecord.deletionMark) else {
            try writing.transaction.removeRemoteRecord(record.name, in: name)
            continue
          }
          record.tag = nil
          record.problem = nil
          if record.row != nil { record.waiting = [RemoteRecord.whole] }
          try writing.transaction.setRemoteRecord(record)
        }
      }
      monitor.tell()
    }
  }
}
