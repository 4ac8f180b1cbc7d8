import Foundation
import SyncCore
import SyncGraph
import SyncStore

/// Files are sent before the records that refer to them.
extension CloudEngine {
  /// Records that are looked at together: their files, then they are sent.
  private static let portion = 25

  /// Sends the files of records of a zone that wait, and then those records.
  func pushFiles(in zone: CloudZone, _ progress: Progress) async throws -> PushReport {
    var report = PushReport()
    var cursor = ""
    let (name, fields) = (zone.key, fields)
    while true {
      let place = cursor
      let waiting = try await write(in: zone) { writing in
        try writing.transaction.waitingRemoteRecords(in: name, after: place, limit: Self.portion)
      }
      guard let last = waiting.last else { return report }
      cursor = last.name
      var portion = AssetPortion(after: place, through: last.name)
      var bodies: [RemoteBody] = []
      for record in waiting {
        guard let entity = stack.model.entity(named: record.entity), let row = record.row,
          fields.rules(of: entity).assets.keys.contains(where: {
            record.sends($0, fields.rules(of: entity))
          })
        else { continue }
        let object = ManagedObjectID(entity: entity, row: row)
        let reason = try await sendFiles(of: record, object, &portion.ready, &bodies)
        guard let reason else { continue }
        report.refused += 1
        try await refuse(record, reason)
      }
      guard !portion.ready.isEmpty else { continue }
      let kept = bodies
      if !kept.isEmpty {
        try await write { for body in kept { try $0.transaction.setRemoteBody(body) } }
      }
      report.add(try await pushBatches(zone, progress, portion))
    }
  }

  /// Sends the files of a record.
  ///
  /// - Returns: Why one of them cannot be sent; nil when all are there.
  private func sendFiles(
    of record: RemoteRecord, _ object: ManagedObjectID, _ ready: inout ReadyAssets,
    _ bodies: inout [RemoteBody]
  ) async throws -> String? {
    let rules = fields.rules(of: object.entity)
    for field in rules.assets.keys.sorted() where record.sends(field, rules) {
      guard let slot = object.entity.property(named: field)?.slot,
        let value = try await value(at: AssetPlace(object: object, slot: slot))
      else { return nil }
      let place = AssetPlace(object: object, slot: slot)
      var asset: CloudAsset?
      var source: AssetSource?
      switch value {
      case .data(let data):
        asset = CloudAsset(placeholder: data)
        if asset == nil {
          asset = await Self.asset(of: data)
          source = .data(data)
        }
      case .string(let text):
        guard let named = CloudAsset(fileName: text) else {
          return
            "\(field) is “\(text)”, which is no name that addAsset has given to a file. Set one of those."
        }
        asset = named
        if files.folder.has(text) { source = .file(files.folder.location(text)) }
      default: break
      }
      if let asset {
        let zone = CloudZone(stored: record.zone, zone)
        let reason =
          if let source {
            try await send(asset, source, place, to: zone)
          } else {
            try await bring(asset, place, to: zone)
          }
        files.setTransfer(place.key, reason.map { .failed($0) })
        monitor.tell()
        if let reason { return "\(field): \(reason)" }
        if case .data? = source {
          bodies.append(
            RemoteBody(
              zone: record.zone, record: record.name, field: field,
              stamp: record.stamp(of: field), hash: asset.hash, size: asset.size, used: Self.now))
        }
      }
      ready.note(asset, of: record, field)
    }
    return nil
  }

  @concurrent private static func asset(of data: Data) async -> CloudAsset { CloudAsset(of: data) }

  static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

  /// The value of an attribute; nil when there is no such object any more.
  func value(at place: AssetPlace) async throws -> Value? {
    try await read { reader in
      try reader.rows(place.object.entity, rows: [place.object.row]).first?.values[place.slot]
    }
  }

  /// Makes a file the problem of its object.
  private func refuse(_ record: RemoteRecord, _ reason: String) async throws {
    try await write { writing in
      guard
        var known = try writing.transaction.remoteRecord(record.name, in: record.zone),
        known == record
      else { return }
      known.problem = reason
      try writing.transaction.setRemoteRecord(known)
    }
    monitor.tell()
  }

  // MARK: - One file

  /// Sends a file that is not here to a zone that has not got it: an object that moves from one
  /// zone to another takes its files along.
  ///
  /// - Returns: Why it cannot be sent; nil when it is there, and when no zone has it.
  private func bring(
    _ asset: CloudAsset, _ place: AssetPlace, to zone: CloudZone
  ) async throws -> String? {
    guard try await !(sharedZones() + stoppedZones()).isEmpty else { return nil }
    _ = try await openFiles(of: zone)
    guard try await !hasFile(asset, zone) else { return nil }
    return try await files.downloads.run {
      defer { files.setTransfer(asset.hash, nil) }
      do {
        let part = try await download(asset, Progress(totalUnitCount: 0))
        let reason = try await send(asset, .file(part), place, to: zone)
        try files.folder.working { try FileManager.default.removeItem(at: part) }
        return reason
      } catch let error as CloudError where error.code == .notFound {
        return nil
      }
    }
  }

  /// Sends a file unless the server has it, from the chunk on at which an earlier push ended.
  ///
  /// - Returns: Why it cannot be sent; nil when it is there.
  @concurrent private func send(
    _ asset: CloudAsset, _ source: AssetSource, _ place: AssetPlace, to zone: CloudZone
  ) async throws -> String? {
    let (limit, chunk) = files.state.withLock { ($0.limit, $0.chunk) }
    guard asset.size <= limit else {
      return "It has \(asset.size) bytes, and assetLimit of the engine is \(limit)."
    }
    let generation = try await openFiles(of: zone)
    do {
      guard try await !hasFile(asset, zone) else {
        // A program may have ended between the last record of a file and this.
        try files.folder.setSentChunks(nil, of: asset, to: generation)
        return nil
      }
      let file = ServedFile(size: asset.size, chunk: chunk)
      var next = files.folder.sentChunks(of: asset, to: "\(generation)/\(chunk)")
      while next < file.count {
        files.setTransfer(place.key, .uploading(Double(next) / Double(file.count)))
        monitor.tell()
        let (offset, count) = file.range(of: next)
        let content = ServedFile.content(try source.bytes(at: offset, count: count))
        try await put(ServedFile.name(asset, next), content, in: ServedFile.chunks(of: zone))
        next += 1
        try files.folder.setSentChunks(next, of: asset, to: "\(generation)/\(chunk)")
      }
      try await put(asset.hash, file.manifest, in: ServedFile.manifests(of: zone))
      try files.folder.setSentChunks(nil, of: asset, to: generation)
      return nil
    } catch let error as CloudError where error.code == .tooLarge || error.code == .file {
      return error.message
    } catch let refusal as Refusal {
      return refusal.reason
    } catch let error as CloudError where error.code == .zoneMissing {
      files.state.withLock { $0.generations[zone] = nil }
      throw error
    }
  }

  /// A server that will not take a record.
  private struct Refusal: Error {
    let reason: String
  }

  /// Opens the zones of the files, which are made when need be.
  ///
  /// - Returns: The generation of that of the chunks.
  private func openFiles(of zone: CloudZone) async throws -> String {
    if let known = files.state.withLock({ $0.generations[zone] }) { return known }
    _ = try await request {
      try await transport.open(ServedFile.manifests(of: zone), create: true)
    }
    let made = try await request {
      try await transport.open(ServedFile.chunks(of: zone), create: true)
    }
    files.state.withLock { $0.generations[zone] = made.generation }
    return made.generation
  }

  /// Whether the server has a whole file, and keeps it: its mark of being unused is taken off.
  private func hasFile(_ asset: CloudAsset, _ zone: CloudZone) async throws -> Bool {
    let manifests = ServedFile.manifests(of: zone)
    while true {
      let record = try await request { try await transport.record(asset.hash, in: manifests) }
      guard let record, let file = ServedFile(record, of: asset) else { return false }
      guard file.unused != nil else { return true }
      let wanted = CloudSave.replace(name: asset.hash, tag: record.tag, content: file.manifest)
      let result = try await request { try await transport.save([wanted], in: manifests) }
      switch result.first {
      // In a zone that is refused, the owner looks at the records once more before a file goes.
      case .saved, .refused: return true
      // Another engine has written the manifest since.
      case .conflict, .missing: continue
      case nil: throw Self.incomplete
      }
    }
  }

  /// Writes a record, whatever else is there under its name.
  private func put(_ name: String, _ content: JSONObject, in zone: CloudZone) async throws {
    var save = CloudSave.create(name: name, content: content)
    while true {
      let next = save
      let results = try await request { try await transport.save([next], in: zone) }
      switch results.first {
      case .saved: return
      case .conflict(let record):
        if record.content == content { return }
        save = .replace(name: name, tag: record.tag, content: content)
      case .missing: save = .create(name: name, content: content)
      case .refused(let reason): throw Refusal(reason: reason)
      case nil: throw Self.incomplete
      }
    }
  }

  private static let incomplete = CloudError(
    .unreachable, message: "The server did not answer for a part of a file. Sync again later.")
}
