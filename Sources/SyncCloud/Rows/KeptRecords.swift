import Foundation
import SyncCore
import SyncStore

/// The records that an earlier model has left: those that it could not use, or only in part, and
/// those of entities that it alone knew.
struct KeptRecords: WritingPart {
  let writing: CloudWriting

  /// The records to read once more, as the server has them.
  func take() throws -> [CloudRecord] {
    try removeLostObjects()
    return try transaction.keptRemoteRecords(in: zone).compactMap { record in
      try giveNames(to: record)
      return record.keptVersion(at: writing.zone.newest)
    }
  }

  /// Objects of an entity that the model has no more went with its table, and nothing of them can
  /// be sent: they are removed here only.
  private func removeLostObjects() throws {
    for var record in try transaction.allRemoteRecords(in: zone)
    where record.row != nil && writing.model.entity(named: record.entity) == nil {
      guard record.tag != nil else {
        try transaction.removeRemoteRecord(record.name, in: zone)
        continue
      }
      record.evict()
      try transaction.setRemoteRecord(record)
    }
  }

  /// Stamps of fields that the model did not know are under the names by which those travel.
  private func giveNames(to record: RemoteRecord) throws {
    guard let entity = writing.model.entity(named: record.entity) else { return }
    var named = record
    for (wire, name) in writing.fields.wire.fields(of: entity.name)
    where entity.property(named: wire) == nil && named.stamps[name] == nil {
      named.stamps.rename([wire: name])
    }
    try writing.store(named, before: record)
  }
}
