import Foundation
import SyncCore

/// Files on the server that nobody refers to.
extension CloudEngine {
  /// Removes files from the server to which no record has referred for a while. Whoever may write the zone may do it, and nobody
  /// does unasked: call it on one machine, once a week say.
  ///
  /// A file that no record refers to is marked with the time of the server; one whose mark is old enough goes. Who sends a record
  /// with such a file takes the mark off before. So a file goes at the second call at the earliest.
  ///
  /// - Parameter grace: Seconds for which nobody has to have referred to it.
  /// - Returns: How many files went.
  /// - Throws: ``CloudError``; `CancellationError`.
  /// - Complexity: Linear in what the server has: all records are read.
  @discardableResult
  public func removeUnusedAssets(after grace: Double = 30 * 86_400) async throws -> Int {
    try await turn.run {
      let known = try await connect()
      var unused: [(name: String, record: CloudRecord)] = []
      var manifests: [String: CloudRecord] = [:]
      // First the files: one that comes meanwhile is looked at the next time.
      do {
        try await readAll(ServedFile.manifests(of: zone), known.limits) { manifests[$0.name] = $0 }
      } catch let error as CloudError where error.code == .zoneMissing {
        return 0
      }
      var used: Set<String> = []
      try await readAll(zone, known.limits) { record in
        for member in record.content ?? [:] {
          if let asset = CloudAsset(member.value) { used.insert(asset.hash) }
        }
      }
      for (name, record) in manifests {
        guard var content = record.content, content["size"] != nil else { continue }
        if !used.contains(name) {
          unused.append((name, record))
        } else if content["unused"] != nil {
          content["unused"] = nil
          let wanted = CloudSave.replace(name: name, tag: record.tag, content: content)
          _ = try await request {
            try await transport.save([wanted], in: ServedFile.manifests(of: zone))
          }
        }
      }
      let latest = manifests.values.map(\.time).max() ?? 0
      var count = 0
      for (name, record) in unused.sorted(by: { $0.name < $1.name }) {
        count += try await judge(name, record, grace, now: max(latest, Self.now)) ? 1 : 0
      }
      return count
    }
  }

  private func readAll(
    _ zone: CloudZone, _ limits: CloudLimits, _ body: (CloudRecord) -> Void
  ) async throws {
    var token: CloudToken?
    while true {
      let place = token
      let page = try await request {
        try await transport.changes(in: zone, after: place, limit: limits.page)
      }
      page.records.forEach(body)
      guard page.hasMore else { return }
      token = page.token
    }
  }

  /// Marks a file, or removes one whose mark is old enough.
  ///
  /// - Returns: Whether it went.
  private func judge(
    _ name: String, _ record: CloudRecord, _ grace: Double, now: Int64
  ) async throws -> Bool {
    let manifests = ServedFile.manifests(of: zone)
    guard var content = record.content, let size = content["size"]?.integerValue,
      let asset = CloudAsset(hash: name, size: size), let file = ServedFile(record, of: asset)
    else { return false }
    guard let since = file.unused else {
      content["unused"] = .integer(now)
      let mark = CloudSave.replace(name: name, tag: record.tag, content: content)
      _ = try await request { try await transport.save([mark], in: manifests) }
      return false
    }
    guard Double(now - since) >= grace * 1000 else { return false }
    // The manifest first: who wants the file again finds none, and sends it.
    let removal = CloudSave.replace(name: name, tag: record.tag, content: [:])
    guard
      case .saved? = try await request({ try await transport.save([removal], in: manifests) }).first
    else { return false }
    for index in 0..<file.count {
      let chunks = ServedFile.chunks(of: zone)
      let name = ServedFile.name(asset, index)
      guard let chunk = try await request({ try await transport.record(name, in: chunks) }) else {
        continue
      }
      let empty = CloudSave.replace(name: name, tag: chunk.tag, content: [:])
      _ = try await request { try await transport.save([empty], in: chunks) }
    }
    return true
  }
}
