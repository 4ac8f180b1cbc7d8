import SyncCore
import SyncStore

/// Writes pairs of many-to-many relationships that a server shows. While one of the ends of a
/// joined pair is not here, it waits for it.
struct PairWriter: WritingPart {
  let writing: CloudWriting

  /// Merges the server's record of a pair; the rows are written by ``apply(_:_:)``.
  ///
  /// - Returns: The record as it is now.
  func merge(
    _ shown: CloudRecord, _ content: RecordContent, _ kind: PairKind, _ before: RemoteRecord?
  ) throws -> RemoteRecord {
    for stamp in [content.stamp, content.deletion] {
      if let stamp { writing.clock.see(stamp) }
    }
    let theirs = (joined: content.stamp?.text ?? "", parted: content.deletion?.text ?? "")
    var record =
      before?.corrected(content.corrections)
      ?? RemoteRecord(zone: zone, name: shown.name, entity: kind.name, stamp: "")
    record.tag = content.type == nil ? nil : shown.tag
    record.stamp = max(record.stamp, theirs.joined)
    let parted = max(record.deletion ?? "", theirs.parted)
    record.deletion = parted.isEmpty ? nil : parted
    record.waiting = []
    if record.isJoined {
      if record.tag == nil || record.stamp > theirs.joined { record.waiting = [.whole] }
    } else if parted > theirs.parted {
      record.waiting = [.deletion]
    }
    if !content.corrections.isEmpty, writing.heals, record.waiting.isEmpty {
      record.waiting = [record.isJoined ? .whole : .deletion]
    }
    record.problem = nil
    record.kept = nil
    if let first = end("first", content), let second = end("second", content) {
      try transaction.setRemotePair(
        RemotePair(
          name: shown.name, relationship: kind.name, first: first.name, second: second.name),
        in: zone)
    }
    try writing.store(record, before: before)
    return record
  }

  private func end(_ name: String, _ content: RecordContent) -> FieldCoding.Reference? {
    guard let field = content.fields.first(where: { $0.name == name }) else { return nil }
    return FieldCoding.decodeReference(field.value) ?? nil
  }

  /// Joins or parts the objects, as far as they are here and the pair is said where they are.
  ///
  /// - Parameter parts: Whether objects that are joined here are parted.
  func apply(_ record: RemoteRecord, _ kind: PairKind, parts: Bool = true) throws {
    guard let pair = try transaction.remotePair(record.name, in: record.zone) else { return }
    try writing.enter(record.zone) { try writing.removeLinks(from: record.name) }
    let first = try writing.end(pair.first, of: record.zone)
    let second = try writing.end(pair.second, of: record.zone)
    let isJoined = try writing.isJoined(record, pair)
    guard let first, let second, let owner = first.row, let member = second.row else {
      if isJoined { try wait(record, pair) }
      return
    }
    guard writing.pairZone(first.zone, second.zone) == record.zone else { return }
    guard isKind(first, of: kind.entity), isKind(second, of: kind.destination) else { return }
    if isJoined {
      guard
        try transaction.addLinks(
          kind.relationship, of: kind.entity, pairs: [(owner: owner, member: member)])
      else { return }
      writing.touchList(owner, kind.entity, kind.relationship)
      if let inverse = kind.entity.inverse(of: kind.relationship) {
        writing.touchList(member, kind.destination, inverse)
      }
    } else if parts {
      // An object that could not be deleted here keeps the members that denied it.
      let isDenied = first.isDeadButHere || second.isDeadButHere
      if isDenied, record.isJoined { return }
      try transaction.removeLinks(
        kind.relationship, of: kind.entity, pairs: [(owner: owner, member: member)])
    }
  }

  /// Keeps links from a pair to objects that may still come. A known name without an object was
  /// deleted, or removed here: the pair is joined when it comes back.
  private func wait(_ record: RemoteRecord, _ pair: RemotePair) throws {
    for (field, target) in [("first", pair.first), ("second", pair.second)]
    where try writing.mayCome(target, of: record.zone) {
      try writing.enter(record.zone) {
        try writing.setLink(
          RemoteLink(source: record.name, field: field, target: target, entity: record.entity))
      }
    }
  }

  private func isKind(_ record: RemoteRecord, of entity: EntityDescription) -> Bool {
    writing.model.entity(named: record.entity)?.isKind(of: entity) == true
  }

  /// The pairs of an object that came in which it is parted from others.
  enum Parting {
    /// None: edits that have joined it here may not have been read yet.
    case none
    /// Those that a deletion of it or of the other has parted.
    case deletions
    case all
  }

  /// Joins an object that came with the objects it was joined with before, or that waited for it.
  func follow(_ object: String, parting: Parting = .deletions) throws {
    for zone in writing.pairZones(zone) {
      for pair in try transaction.remotePairs(of: object, isFirst: nil, in: zone) {
        guard let kind = writing.fields.kinds[pair.relationship],
          let record = try transaction.remoteRecord(pair.name, in: zone),
          parting == .all || record.isJoined
        else { continue }
        try apply(record, kind, parts: parting != .none)
      }
    }
  }

  /// The record that is sent of a pair.
  static func save(
    _ record: RemoteRecord, _ reader: StoreReader, _ fields: TravellingFields
  ) throws -> CloudSave? {
    var content: JSONObject = ["type": .string(record.entity)]
    if record.isJoined {
      guard let pair = try reader.remotePair(record.name, in: record.zone) else { return nil }
      content["t"] = .string(record.stamp)
      for (field, name) in [("f_first", pair.first), ("f_second", pair.second)] {
        let known =
          try reader.remoteRecord(name, in: record.zone) ?? reader.remoteRecords(named: name).first
        let entity = known?.entity ?? ""
        content[field] = FieldCoding.encode(
          FieldCoding.Reference(name: name, entity: fields.type(of: entity)))
      }
    }
    if let deletion = record.deletion { content["d"] = .string(deletion) }
    return record.replaced(by: content)
  }
}
