import Foundation
import SyncCore
import SyncStore

/// Reads records once more that an earlier model could not use, or only in part.
struct KeptRecords {
  private let writing: CloudWriting

  init(_ writing: CloudWriting) {
    self.writing = writing
  }

  func read() throws {
    let records = try writing.transaction.keptRemoteRecords(in: writing.zone.name)
    let shown = records.compactMap { record -> CloudRecord? in
      guard let kept = record.kept, let tag = record.tag,
        let content = try? JSONValue(parsing: kept).objectValue
      else { return nil }
      return CloudRecord(name: record.name, tag: tag, content: content, time: 0)
    }
    var writer = RecordWriter(writing)
    try writer.write(shown, isFeed: false)
  }
}
