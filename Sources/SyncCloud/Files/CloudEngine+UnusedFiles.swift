import Foundation
import SyncCore

/// Files on the server to which no record refers.
extension CloudEngine {
  /// Removes files from the server to which no record has referred for a while, in each zone that
  /// may be written. ``sync(progress:)`` does it once a week, see ``unusedAssetGrace``.
  ///
  /// A file that no record refers to is marked with the time of the server; one whose mark is old
  /// enough goes. An engine that sends a record with such a file takes the mark off before. So a
  /// file goes at the second call at the earliest.
  ///
  /// - Parameter grace: Seconds for which no record may have referred to a file that goes.
  /// - Returns: How many files were removed.
  /// - Throws: ``CloudError``; `CancellationError`.
  /// - Complexity: Linear in the records of the server: all are read.
  @discardableResult
  public func removeUnusedAssets(after grace: Double = 30 * 86_400) async throws -> Int {
    try await turn.run {
      let limits = try await connect().limits
      var count = 0
      for zone in [zone] + (try await sharedZones()) where !readOnly.contains(zone) {
        do {
          count += try await UnusedFiles(engine: self, zone: zone, limits: limits).remove(grace)
        } catch let error as CloudError where error.code == .zoneMissing || error.isOfZone {
          // It has no files, or is shared no more.
        }
      }
      return count
    }
  }

  /// Removes unused files when a week has passed since this store last looked for some.
  func removeUnusedAssetsWhenDue() async throws {
    guard fields.hasAssets, let grace = unusedAssetGrace, try files.folder.isTimeToLook() else {
      return
    }
    try await removeUnusedAssets(after: grace)
  }
}

/// Marks and removes the files of one zone to which its records do not refer.
private struct UnusedFiles {
  let engine: CloudEngine
  let zone: CloudZone
  let limits: CloudLimits

  /// - Returns: How many files were removed.
  func remove(_ grace: Double) async throws -> Int {
    // First the files: one that comes meanwhile is looked at the next time.
    var files: [String: CloudRecord] = [:]
    try await engine.readAll(ServedFile.manifests(of: zone), limits) { records in
      for record in records {
        // A manifest without a size is that of a removed file, or the record of the server's time.
        files[record.name] = record.content?["size"] == nil ? nil : record
      }
    }
    guard !files.isEmpty, let now = try await serverTime() else { return 0 }
    var used: Set<String> = []
    try await engine.readAll(zone, limits) { records in
      for member in records.flatMap({ $0.content ?? [:] }) {
        if let asset = CloudAsset(member.value) { used.insert(asset.hash) }
      }
    }
    var count = 0
    for (name, record) in files.inKeyOrder {
      let unused = record.content?["unused"]
      if used.contains(name) {
        if unused != nil { try await mark(record, nil) }
      } else if let since = unused?.integerValue {
        guard Double(now - since) >= grace * 1000 else { continue }
        count += try await remove(record) ? 1 : 0
      } else {
        try await mark(record, now)
      }
    }
    return count
  }

  /// The time of the server, in milliseconds since 1970: that of a record which this writes. By a
  /// wrong clock of this machine files would seem to be old.
  ///
  /// - Returns: Nil when the server did not take the record.
  private func serverTime() async throws -> Int64? {
    let name = "looked"
    let manifests = ServedFile.manifests(of: zone)
    let known = try await engine.request { [engine] in
      try await engine.transport.record(name, in: manifests)
    }
    let save: CloudSave =
      known.map { .replace(name: name, tag: $0.tag, content: ["looked": true]) }
      ?? .create(name: name, content: ["looked": true])
    guard case .saved(let record)? = try await self.save(save, manifests) else { return nil }
    return record.time
  }

  /// Notes in a manifest since when no record refers to the file; nil takes the mark off.
  private func mark(_ record: CloudRecord, _ time: Int64?) async throws {
    var content = record.content ?? [:]
    content["unused"] = time.map { .integer($0) }
    let save = CloudSave.replace(name: record.name, tag: record.tag, content: content)
    _ = try await self.save(save, ServedFile.manifests(of: zone))
  }

  /// Removes a file: its manifest, then its chunks.
  ///
  /// - Returns: False when the manifest has changed: a record may need the file again.
  private func remove(_ record: CloudRecord) async throws -> Bool {
    guard let size = record.content?["size"]?.integerValue,
      let asset = CloudAsset(hash: record.name, size: size),
      let file = ServedFile(record, of: asset)
    else { return false }
    // The manifest first: an engine that needs the file again finds none, and sends it.
    let removal = CloudSave.replace(name: record.name, tag: record.tag, content: [:])
    guard case .saved? = try await save(removal, ServedFile.manifests(of: zone)) else {
      return false
    }
    let chunks = ServedFile.chunks(of: zone)
    for index in 0..<file.count {
      let name = ServedFile.name(asset, index)
      let chunk = try await engine.request { [engine] in
        try await engine.transport.record(name, in: chunks)
      }
      guard let chunk else { continue }
      _ = try await save(.replace(name: name, tag: chunk.tag, content: [:]), chunks)
    }
    return true
  }

  private func save(_ save: CloudSave, _ zone: CloudZone) async throws -> CloudSaveResult? {
    try await engine.request { [engine] in try await engine.transport.save([save], in: zone) }.first
  }
}
