import Foundation
public import SyncCore
import SyncStore

/// Files that are on the server go here.
extension CloudEngine {
  /// Removes bytes here that can be fetched again, those first that were not used for longest,
  /// until those that stay are not more than so many. Attributes that say `onDemand` count, and
  /// files that no object names. Unsent bytes stay.
  ///
  /// - Parameters:
  ///   - bytes: How many may stay.
  ///   - pinned: Objects that keep theirs.
  /// - Returns: How many bytes went.
  /// - Throws: `StoreError`.
  /// - Complexity: Linear in the objects that name files, and in the files here.
  @discardableResult
  public func evictAssets(
    keeping bytes: Int64, pinned: Set<ManagedObjectID> = []
  ) async throws -> Int64 {
    guard fields.hasAssets else { return 0 }
    let content = files.folder.content()
    let (freed, names) = try await write { writing in
      let eviction = AssetEviction(writing: writing, pinned: pinned)
      let bodies = try eviction.bodies()
      let kept = try eviction.keptNames()
      var candidates: [(used: Int64, size: Int64, body: AssetEviction.Body?, name: String)] =
        bodies.map { ($0.body.used, $0.body.size, $0, "") }
      for file in content where CloudAsset(fileName: file.name) != nil {
        let isKept = kept[file.name] ?? !file.used.isLongAgo
        guard !isKept else { continue }
        candidates.append((file.used.milliseconds, file.size, nil, file.name))
      }
      var left = candidates.reduce(0) { $0 + $1.size }
      let all = left
      var names: [String: Int64] = [:]
      for candidate in candidates.sorted(by: { ($0.used, $0.name) < ($1.used, $1.name) }) {
        if left <= bytes { break }
        if let body = candidate.body {
          try eviction.remove(body)
        } else {
          names[candidate.name] = candidate.used
        }
        left -= candidate.size
      }
      return (all - left, names)
    }
    for file in files.folder.content() {
      let isHalf = CloudAsset(fileName: file.name) == nil && file.used.isLongAgo
      // A file that was used since stays.
      if isHalf || names[file.name] == file.used.milliseconds { files.folder.remove(file.name) }
    }
    monitor.tell()
    return freed
  }

  /// Removes files of the folder that no object names.
  ///
  /// - Parameter names: Files that may go, with their parts; nil is all.
  func removeUnnamedAssets(_ names: Set<String>? = nil) async throws {
    guard fields.hasAssets, names?.isEmpty != true else { return }
    let kept = try await write { try AssetEviction(writing: $0, pinned: []).keptNames() }
    for file in files.folder.content() where kept[file.name] == nil {
      guard let names else {
        files.folder.remove(file.name)
        continue
      }
      let isPart = names.contains { name in
        kept[name] == nil
          && CloudAsset(fileName: name).map(files.folder.part)?.lastPathComponent == file.name
      }
      if isPart || names.contains(file.name) { files.folder.remove(file.name) }
    }
  }

  /// The files that objects of a zone name.
  static func fileNames(in writing: CloudWriting) throws -> Set<String> {
    var names: Set<String> = []
    for record in try writing.transaction.allRemoteRecords(in: writing.zone.name) {
      guard let object = writing.object(of: record) else { continue }
      let entity = object.entity
      for field in writing.fields.rules(of: entity).assets.keys {
        guard let attribute = entity.property(named: field)?.attribute, attribute.type == .string,
          case .string(let name) = try writing.transaction.value(attribute.slot, of: object)
        else { continue }
        names.insert(name)
      }
    }
    return names
  }
}

extension Date {
  /// Whether a download that was left alone since then is given up.
  fileprivate var isLongAgo: Bool { timeIntervalSinceNow < -30 * 86_400 }

  fileprivate var milliseconds: Int64 { Int64(timeIntervalSince1970 * 1000) }
}

/// The bytes here that may go. Confined to the body of a write.
private struct AssetEviction: WritingPart {
  /// Bytes in a row.
  struct Body {
    let body: RemoteBody
    let place: AssetPlace
  }

  let writing: CloudWriting
  let pinned: Set<ManagedObjectID>

  /// Bytes in rows that are as the server has them.
  func bodies() throws -> [Body] {
    return try writing.zoneNames().flatMap(transaction.remoteBodies).compactMap { body in
      guard let record = try transaction.remoteRecord(body.record, in: body.zone),
        let row = record.row, let entity = writing.model.entity(named: record.entity),
        let rule = writing.fields.rules(of: entity).assets[body.field],
        let slot = entity.property(named: body.field)?.slot,
        record.stamp(of: body.field) == body.stamp
      else {
        try transaction.removeRemoteBody(body.record, body.field, in: body.zone)
        return nil
      }
      let object = ManagedObjectID(entity: entity, row: row)
      guard rule == .onDemand, !record.isWaiting(body.field), !pinned.contains(object) else {
        return nil
      }
      return Body(body: body, place: AssetPlace(object: object, slot: slot))
    }
  }

  func remove(_ item: Body) throws {
    let body = item.body
    guard let asset = CloudAsset(hash: body.hash, size: body.size) else { return }
    try RowValueWriter(writing, item.place.object.entity).update(
      item.place.object.row, [(item.place.slot, .data(asset.placeholder))])
    try writing.transaction.removeRemoteBody(body.record, body.field, in: body.zone)
  }

  /// Names of files that objects hold, and whether the file has to stay.
  func keptNames() throws -> [String: Bool] {
    var kept: [String: Bool] = [:]
    for entity in writing.model.entities {
      // Another engine's.
      for attribute in entity.attributes
      where attribute.userInfo["cloud.asset"] != nil && !writing.fields.travels(entity) {
        for (_, name) in try names(attribute, entity) { kept[name] = true }
      }
      for (field, rule) in writing.fields.rules(of: entity).assets {
        guard let attribute = entity.property(named: field)?.attribute, attribute.type == .string
        else { continue }
        for (row, name) in try names(attribute, entity) {
          let record = try writing.transaction.remoteRecord(of: row, entity)
          let isSent = record?.tag != nil && record?.isWaiting(field) == false
          let stays =
            rule == .eager || !isSent || pinned.contains(ManagedObjectID(entity: entity, row: row))
          kept[name] = kept[name] == true || stays
        }
      }
    }
    return kept
  }

  private func names(
    _ attribute: AttributeDescription, _ entity: EntityDescription
  ) throws -> [(row: Int64, name: String)] {
    var found: [(row: Int64, name: String)] = []
    try writing.transaction.scan(
      entity, .all, slots: [attribute.slot], isOrdered: false
    ) { cursor in
      guard cursor.entity == entity, case .string(let name) = cursor.value(attribute.slot) else {
        return
      }
      found.append((cursor.row, name))
    }
    return found
  }
}

@available(*, unavailable, message: "Confined to the body of a write.")
extension AssetEviction: Sendable {}
