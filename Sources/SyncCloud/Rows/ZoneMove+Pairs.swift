import SyncCore
import SyncStore

/// Pairs of many-to-many relationships go where both of their ends have gone.
extension ZoneMove {
  /// Moves the pairs of a record both of whose ends are there now. The account's own zone keeps
  /// what they are, with where they went.
  ///
  /// - Parameter tells: Whether the zone that they leave is told.
  func movePairs(
    of name: String, from zone: String, to target: String, _ stamp: Stamp, tells: Bool
  ) throws {
    for pair in try transaction.remotePairs(of: name, isFirst: nil, in: zone) {
      let other = pair.first == name ? pair.second : pair.first
      guard let record = try transaction.remoteRecord(pair.name, in: zone),
        try transaction.remoteRecord(other, in: target)?.row != nil
      else { continue }
      guard try transaction.isJoined(record, pair) else { continue }
      try take(record, to: target, follows: true)
      guard tells else { continue }
      var left = RemoteRecord(zone: zone, name: record.name, entity: record.entity, stamp: "")
      left.tag = record.tag
      (left.deletion, left.waiting, left.moved) = (stamp.text, [.deletion], .to(target))
      try transaction.setRemoteRecord(left)
    }
  }

  /// Joins objects that have other names now, as they were joined where they have come from.
  func joinAgain(
    _ renamed: [String: String], from zone: String, to target: String, _ stamp: Stamp
  ) throws {
    for old in renamed.keys.sorted() {
      for pair in try transaction.remotePairs(of: old, isFirst: nil, in: zone) {
        guard let first = renamed[pair.first], let second = renamed[pair.second],
          let kind = writing.fields.kinds[pair.relationship],
          let record = try transaction.remoteRecord(pair.name, in: zone),
          try transaction.isJoined(record, pair)
        else { continue }
        let joined = kind.pair(first, second)
        var made = RemoteRecord(
          zone: target, name: joined.name, entity: kind.name, stamp: stamp.text)
        made.waiting = [.whole]
        try transaction.setRemotePair(joined, in: target)
        try transaction.setRemoteRecord(made)
      }
    }
  }

  /// Moves the pairs of a record that has come along to where both of their ends are, and joins
  /// them; a pair that has come along goes back where its ends have stayed.
  func settlePairs(of record: RemoteRecord, _ stamp: Stamp) throws {
    let home = writing.homeName
    if record.row != nil {
      try movePairs(of: record.name, from: home, to: record.zone, stamp, tells: true)
      try writing.enter(record.zone) { try PairWriter(writing).follow(record.name) }
    } else if let pair = try transaction.remotePair(record.name, in: record.zone),
      try transaction.remoteRecord(pair.first, in: home)?.row != nil
    {
      try movePairs(of: pair.first, from: record.zone, to: home, stamp, tells: false)
      try writing.enter(home) { try PairWriter(writing).follow(pair.first) }
    }
  }
}
