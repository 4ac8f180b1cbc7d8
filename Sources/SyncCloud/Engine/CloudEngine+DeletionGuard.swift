import SyncCore
import SyncEngine
import SyncStore

/// How many objects a pull may delete.
extension CloudEngine {
  /// Refuses deletions beyond the limit. Earlier ones count, too, those of a pull included that was
  /// refused or ended early.
  static func count(_ deleted: Int, _ limits: DeletionGuard, in writing: CloudWriting) throws {
    guard deleted > 0 else { return }
    writing.zone.deleted += Int64(deleted)
    let deleted = Int(writing.zone.deleted)
    guard limits.isOn, deleted > limits.count else { return }
    let left = try writing.transaction.countRemoteObjects(in: writing.zone.name)
    try refuse(deleted, of: left + deleted, limits)
  }

  private static func refuse(_ deleted: Int, of all: Int, _ limits: DeletionGuard) throws {
    guard limits.isOn, deleted > limits.count, Double(deleted) > limits.share * Double(all) else {
      return
    }
    throw CloudError(
      .deletionRefused,
      message:
        "The changes on the server would delete \(deleted) objects of \(all). They were not stored, and "
        + "neither are later ones. If the deletions are meant, set deletionGuard of the engine "
        + "to off and pull again; if they are not, uploadEverything() says that this store is right, "
        + "so that the next sync brings its objects back everywhere.")
  }

  /// Reads the changes to their end, and refuses them before the first deletion is stored when they
  /// are too many: objects that were deleted before the guard refuses could not come back from
  /// here.
  func lookAhead(
    _ first: CloudPage, _ zone: CloudZone, _ limits: CloudLimits, _ deletionGuard: DeletionGuard
  ) async throws {
    let name = zone.key
    let (all, before) = try await read { reader in
      (try reader.countRemoteObjects(in: name), Int(try reader.remoteZone(name)?.deleted ?? 0))
    }
    guard deletionGuard.isOn, all + before > deletionGuard.count else { return }
    var page = first
    var deletions: [String: String] = [:]
    while true {
      for record in page.records {
        let content = record.isDeletion ? try? RecordContent(record, fields.wire) : nil
        deletions[record.name] = content?.deletion?.text
      }
      guard page.hasMore else { break }
      let place = page.token
      page = try await request {
        try await transport.changes(in: zone, after: place, limit: limits.page)
      }
    }
    let gone = deletions
    let deleted = try await read { reader in
      try reader.remoteRecords(Array(gone.keys), in: name).values.count { record in
        record.row != nil && !record.isDeadButHere
          && record.latestStamp < gone[record.name] ?? ""
      }
    }
    try Self.refuse(before + deleted, of: all + before, deletionGuard)
  }
}

extension CloudRecord {
  /// Whether it says nothing but that its object was deleted.
  var isDeletion: Bool {
    content.map { $0["d"] != nil && !$0.contains { $0.key.hasPrefix("f_") } } ?? true
  }
}
