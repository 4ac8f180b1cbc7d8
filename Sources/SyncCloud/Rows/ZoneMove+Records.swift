import SyncCore
import SyncStore

/// The records of objects that go to another zone.
extension ZoneMove {
  /// Gives a record, with its object, another zone, and has both zones told.
  ///
  /// - Returns: Its name there.
  func move(
    _ record: RemoteRecord, to target: String, _ stamp: Stamp, isKnown: Bool
  ) throws -> String {
    let home = writing.homeName
    let name = try take(record, to: target, follows: false)
    if record.zone != home, target != home {
      // The account's own zone has no record of an object that another account has made, until it
      // is moved.
      var mark =
        try transaction.remoteRecord(name, in: home)
        ?? RemoteRecord(zone: home, name: name, entity: record.entity, stamp: stamp.text)
      if mark.hasLeft || mark.tag == nil {
        (mark.moved, mark.waiting) = (.to(target), [.whole])
        try transaction.setRemoteRecord(mark)
      }
    }
    guard isKnown else { return name }
    var left = RemoteRecord(
      zone: record.zone, name: record.name, entity: record.entity, stamp: stamp.text)
    left.tag = record.tag
    if record.zone == home, name != record.name {
      (left.deletion, left.waiting) = (stamp.text, [.deletion])
    } else {
      (left.moved, left.waiting) = (.to(target), [.whole])
    }
    try transaction.setRemoteRecord(left)
    return name
  }

  /// Gives a record, with its object, another zone. An object that is taken out of another
  /// account's share gets a name of its own, in another share, too, unless the account's own zone
  /// knows it: then the account has made or moved it. All machines of the account draw the same
  /// name, so an object that two of them take out is one.
  ///
  /// - Parameter follows: Whether another machine of the account has moved it.
  /// - Returns: Its name there.
  @discardableResult
  func take(_ record: RemoteRecord, to target: String, follows: Bool) throws -> String {
    var holder = try transaction.remoteRecord(record.name, in: target)
    if follows, let double = holder, double.row != nil {
      // It came by itself before it was known to be the same.
      try drop(double)
      holder?.row = nil
    }
    var name = record.name
    let isOwn = try transaction.remoteRecord(name, in: writing.homeName)?.hasLeft == true
    let isOthers = CloudZone(key: record.zone).owner != nil && !isOwn
    if holder?.row != nil || isOthers && !follows {
      repeat { name = otherName(name, record.zone) } while try isTaken(name, in: target)
    }
    var taken = RemoteRecord(zone: target, name: name, entity: record.entity, stamp: record.stamp)
    taken.row = record.row
    taken.stamps = record.stamps
    taken.deletion = record.deletion
    taken.kept = record.kept
    taken.waiting = [.whole]
    if name == record.name {
      if !follows { taken.moved = .from(record.zone) }
      taken.tag = holder?.tag
      if let deletion = holder?.deletion.flatMap(Stamp.init) { outlive(deletion, &taken) }
    }
    try transaction.removeRemoteRecord(record.name, from: record.zone, to: target, as: name)
    try transaction.setRemoteRecord(taken)
    try writing.keep(target)
    writing.arrivals[target, default: []].insert(name)
    return name
  }

  /// The name that all machines of the account give to an object that they take out of a zone.
  private func otherName(_ name: String, _ zone: String) -> String {
    RecordName.hash([zone, name, writing.home.account ?? ""].joined(separator: "\u{0}"))
  }

  /// The object that was made here of one that was taken out of a shared zone.
  func copy(of left: RemoteRecord) throws -> RemoteRecord? {
    let others = try transaction.remoteRecords(named: otherName(left.name, left.zone))
    let known = others.isEmpty ? try transaction.remoteRecords(named: left.name) : others
    return known.first { $0.row != nil && $0.zone != left.zone && writing.isOurs($0.zone) }
  }

  private func isTaken(_ name: String, in zone: String) throws -> Bool {
    try [zone, writing.homeName].contains { try transaction.remoteRecord(name, in: $0) != nil }
  }

  /// Lets a record outlive its deletion in the zone that it comes to once more.
  private func outlive(_ deletion: Stamp, _ record: inout RemoteRecord) {
    let survivor = writing.clock.survivor(of: deletion).text
    record.deletion = max(deletion.text, record.deletion ?? "")
    record.stamp = max(record.stamp, survivor)
    record.stamps = record.stamps.mapped { $0.isEmpty ? $0 : max($0, survivor) }
  }

  /// Takes an object out of the store that is there twice; references to it wait for the other.
  func drop(_ record: RemoteRecord) throws {
    guard let object = writing.object(of: record) else { return }
    try writing.enter(record.zone) {
      try ObjectDeleter(writing: writing).delete(object, name: record.name)
    }
    try transaction.removeRemoteRecord(record.name, in: record.zone)
  }
}
