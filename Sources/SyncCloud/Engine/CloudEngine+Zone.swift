import Foundation
import SyncCore
import SyncEngine
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
        writing.zone.deleted = 0
        for var record in try writing.transaction.allRemoteRecords(in: name) {
          if record.isEvicted { continue }
          // Deletions that were sent are of no use to a server that has none of the records.
          guard
            record.row != nil || record.isJoined
              || record.waiting.contains(RemoteRecord.deletionMark)
          else {
            try writing.transaction.removeRemoteRecord(record.name, in: name)
            continue
          }
          record.tag = nil
          record.problem = nil
          if record.row != nil || record.isJoined { record.waiting = [RemoteRecord.whole] }
          try writing.transaction.setRemoteRecord(record)
        }
      }
      monitor.tell()
    }
  }

  /// Takes what the server has in the place of what is here, after ``CloudError/Code/zoneReplaced`` or
  /// ``CloudError/Code/accountChanged``, or at any time: fields get the server's values, those that it does not have the
  /// model's defaults, and objects that it does not have go, however many they are. What was not sent is in
  /// ``conflicts``, as far as its object stays.
  ///
  /// Nothing is deleted before everything has arrived. Until then the engine does nothing else; after an error call
  /// it once more.
  ///
  /// - Throws: ``CloudError``, with the code `zoneMissing` when there is nothing to take; `StoreError`.
  /// - Complexity: Linear in what the server has and in what is here.
  @discardableResult
  public func replaceLocal() async throws -> PullReport {
    try await turn.run {
      try await running(.pull) {
        let report = try await takeServersContent()
        return (report, .pull(report))
      }
    }
  }

  private func takeServersContent() async throws -> PullReport {
    disconnect()
    let account = try await request { try await transport.account() }
    let limits = try await request { try await transport.limits() }
    let state = try await request { try await transport.open(zone, create: false) }
    let name = zone.name
    try await write { writing in
      writing.zone.account = account
      // Another one than any zone has, so that nothing is sent should this not come to its end.
      writing.zone.generation = Self.unfinished
      writing.zone.token = nil
      writing.zone.deleted = 0
      for record in try writing.transaction.allRemoteRecords(in: name) {
        try Self.yield(record, in: writing)
      }
    }
    var report = try await pullPages(
      limits, isChecked: true, .off, Progress(totalUnitCount: 0))
    report.deleted += try await write { writing in
      writing.zone.generation = state.generation
      return try Self.deleteUnknown(in: writing)
    }
    return report
  }

  /// Stands for the generation of the zone while its content takes the place of what is here.
  static let unfinished = "unfinished"

  /// Whatever the server has of a record is newer than what is here.
  static func yield(_ record: RemoteRecord, in writing: CloudWriting) throws {
    guard record.row != nil || record.isPair else {
      return try writing.transaction.removeRemoteRecord(record.name, in: record.zone)
    }
    var record = record
    record.tag = nil
    record.stamp = ""
    record.stamps = [:]
    record.deletion = nil
    record.problem = nil
    // Stays for the conflicts: what the server has shows which values lose.
    if record.waiting.contains(RemoteRecord.whole),
      let entity = writing.model.entity(named: record.entity)
    {
      record.waiting.formUnion(writing.fields.rules(of: entity).sent)
    }
    record.waiting.remove(RemoteRecord.whole)
    record.waiting.remove(RemoteRecord.deletionMark)
    try writing.transaction.setRemoteRecord(record)
  }

  /// Deletes the objects of records that the server has not shown.
  private static func deleteUnknown(in writing: CloudWriting) throws -> Int {
    let deleter = ObjectDeleter(writing)
    var count = 0
    for record in try writing.transaction.allRemoteRecords(in: writing.zone.name)
    where record.tag == nil {
      if let row = record.row, let entity = writing.model.entity(named: record.entity) {
        try deleter.delete(row, entity, name: record.name)
        count += 1
      } else if var parted = record.isPair ? record : nil,
        let kind = writing.fields.kinds[record.entity]
      {
        parted.stamp = ""
        try PairWriter(writing).apply(parted, kind)
      }
      try writing.transaction.removeRemoteRecord(record.name, in: record.zone)
    }
    return count
  }
}
