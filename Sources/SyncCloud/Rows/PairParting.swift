import SyncCore
import SyncStore

/// Pairs of objects that live though they were deleted, which that deletion parts unless they are
/// said anew. Found before the records of the objects are written, and written after them. Confined
/// to the body of a write.
struct ShakenPairs: WritingPart {
  let writing: CloudWriting
  private(set) var pairs: [(record: RemoteRecord, kind: PairKind, survivor: Stamp?)] = []

  /// Notes the pairs of an object that were joined as far as the living side of a merge knew.
  mutating func note(_ merge: Merge, _ before: RemoteRecord?) throws {
    guard merge.isAlive, let text = merge.record.deletion, let deletion = Stamp(text) else {
      return
    }
    let known = merge.outlived ?? before?.deletion ?? ""
    guard known < text, before?.row != nil || merge.outlived != nil else { return }
    for zone in writing.pairZones(merge.record.zone) {
      for pair in try transaction.remotePairs(of: merge.record.name, isFirst: nil, in: zone) {
        guard let kind = writing.fields.kinds[pair.relationship],
          let record = try transaction.remoteRecord(pair.name, in: zone), record.isJoined,
          record.stamp > known, record.stamp <= text
        else { continue }
        let other = pair.first == merge.record.name ? pair.second : pair.first
        guard
          try other == merge.record.name || record.stamp > writing.deletion(of: other, for: zone)
        else { continue }
        pairs.append(
          (record, kind, merge.outlived == nil ? nil : writing.clock.survivor(of: deletion)))
      }
    }
  }

  /// Parts them, or says them anew.
  func settle(_ writer: PairWriter) throws {
    for (noted, kind, survivor) in pairs {
      var record = try transaction.remoteRecord(noted.name, in: noted.zone) ?? noted
      if let survivor, survivor.text > record.stamp {
        writing.clock.see(survivor)
        record.stamp = survivor.text
        record.waiting = [.whole]
        try transaction.setRemoteRecord(record)
      }
      try writer.apply(record, kind)
    }
  }
}

@available(*, unavailable, message: "Confined to the body of a write.")
extension ShakenPairs: Sendable {}
