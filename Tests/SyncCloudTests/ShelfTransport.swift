import Foundation
import SyncCloud
import SyncStack

/// The example of the page on remote sync, word by word.
actor ShelfTransport: CloudTransport {
  private var generation: String?
  private var records: [String: CloudRecord] = [:]
  /// Names of records in the order of their changes; a place is a token.
  private var changed: [String] = []

  func account() -> String { "shelf" }

  func limits() -> CloudLimits { CloudLimits(batch: 100, page: 500) }

  func open(_ zone: CloudZone, create: Bool) throws -> CloudZoneState {
    if generation == nil, create { generation = UUID().uuidString }
    guard let generation else {
      throw CloudError(.zoneMissing, message: "There is no zone \(zone.name).")
    }
    return CloudZoneState(generation: generation)
  }

  func changes(in zone: CloudZone, after token: CloudToken?, limit: Int) throws -> CloudPage {
    _ = try open(zone, create: false)
    let place = token.map { Int($0.rawValue) ?? -1 } ?? 0
    guard (0...changed.count).contains(place) else {
      throw CloudError(.tokenRefused, message: "There is no such place.")
    }
    let end = min(place + max(limit, 1), changed.count)
    // Only the latest version counts: one that changed again comes later.
    let latest = changed[place..<end].enumerated().filter { offset, name in
      records[name]?.tag == String(place + offset + 1)
    }
    return CloudPage(
      records: latest.compactMap { records[$1] }, token: CloudToken(rawValue: String(end)),
      hasMore: end < changed.count)
  }

  func save(_ saves: [CloudSave], in zone: CloudZone) throws -> [CloudSaveResult] {
    _ = try open(zone, create: false)
    guard saves.count <= limits().batch else {
      throw CloudError(.tooLarge, message: "Not more than \(limits().batch) records at once.")
    }
    return saves.map { save in
      guard save.name.wholeMatch(of: /[a-z0-9][a-z0-9_-]*/) != nil else {
        return .refused("“\(save.name)” is no name of a record.")
      }
      let present = records[save.name]
      // The guard: a version that must be there, or none that may be.
      if let present, present.tag != save.tag { return .conflict(present) }
      if present == nil, save.tag != nil { return .missing }
      var content = save.content
      if case .update = save, let before = present?.content {
        content = before
        for member in save.content { content[member.key] = member.value }
      }
      changed.append(save.name)
      let record = CloudRecord(
        name: save.name, tag: String(changed.count), content: content,
        time: Int64(Date().timeIntervalSince1970 * 1000))
      records[save.name] = record
      return .saved(record)
    }
  }

  func remove(_ zone: CloudZone) {
    generation = nil
    records = [:]
    changed = []
  }
}
