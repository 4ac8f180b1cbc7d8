import Foundation
import SyncCore
import SyncStore

/// Reads records once more that an earlier model could not use, or only in part.
struct KeptRecords: WritingPart {
  let writing: CloudWriting

  func read() throws {
    let records = try transaction.keptRemoteRecords(in: zone)
    let shown = try records.compactMap { record -> CloudRecord? in
      try giveNames(to: record)
      return record.keptVersion(at: writing.zone.newest)
    }
    var writer = RecordWriter(writing)
    try writer.write(shown, isFeed: false)
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
