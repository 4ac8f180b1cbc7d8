import SyncCore
import SyncStore

/// Records that went to another zone, or came from one; see ``ZoneMove``.
extension RecordWriter {
  /// Follows a record to where it is now.
  ///
  /// - Parameters:
  ///   - shown: The server's record; a deletion afterwards where it was taken out of a shared zone.
  ///   - before: The record as it is known here; another one afterwards when it came back.
  /// - Returns: Whether there is nothing of it to merge in this zone.
  mutating func goes(_ shown: inout CloudRecord, _ before: inout RemoteRecord?) throws -> Bool {
    let move = RemoteRecord.Move(shown.content?["m"])
    if case .to(let target)? = move {
      if zone == writing.homeName {
        try follow(shown, before, to: target)
      } else if let here = before, here.row != nil {
        return try leaves(&shown, here)
      }
      var left =
        before.flatMap { $0.row == nil ? $0 : nil }
        ?? RemoteRecord(zone: zone, name: shown.name, entity: self.type(of: shown), stamp: "")
      if zone != writing.homeName, left.hasLeft, !left.waiting.isEmpty,
        let mark = RemoteRecord.Move.mark(shown.content?["m"])
      {
        try compare(left, mark)
      }
      // A deletion in the zone that the object left parts no pairs any more.
      if left.deletion != nil { writing.arrivals[zone, default: []].insert(shown.name) }
      (left.tag, left.moved, left.waiting, left.deletion) = (shown.tag, move, [], nil)
      try transaction.setRemoteRecord(left)
      return true
    }
    if case .to(let target)? = before?.moved, var left = before, !left.waiting.isEmpty {
      // It was written by a machine that did not know yet that it goes.
      left.tag = shown.tag
      try writing.store(left, before: before)
      try merge(shown, into: target)
      return true
    }
    guard zone == writing.homeName, before?.row == nil, let source = (move ?? before?.moved)?.zone,
      var there = try elsewhere(shown.name, or: source)
    else { return false }
    if there.row != nil {
      try take(there, to: zone)
    } else {
      try carry(there, to: zone)
      there.waiting = []
      try transaction.setRemoteRecord(there)
    }
    before = try transaction.remoteRecord(shown.name, in: zone)
    return false
  }

  /// Moves the object of a record of the account's own zone to the zone that another machine has
  /// given it.
  private mutating func follow(
    _ shown: CloudRecord, _ before: RemoteRecord?, to target: String
  ) throws {
    guard let before else { return }
    if before.row != nil {
      try take(before, to: target)
    } else if let moved = before.moved, moved.zone != target,
      let there = try elsewhere(shown.name, or: moved.zone), there.row != nil, there.zone != target
    {
      try take(there, to: target)
    } else if before.waiting.contains(.deletion) {
      try carry(before, to: target)
    }
    // Edits and deletions from before it went count by their stamps.
    try merge(shown, into: target)
  }

  /// The record of that name in another zone, where it has an object, or a deletion that was not
  /// sent: one that the account shares, or has shared, and that one.
  private func elsewhere(_ name: String, or source: String) throws -> RemoteRecord? {
    for other in try transaction.remoteZoneNames() {
      let place = CloudZone(key: other)
      guard other == source || place.root != nil && place.owner == nil, other != zone,
        let record = try transaction.remoteRecord(name, in: other),
        record.row != nil || record.waiting.contains(.deletion)
      else { continue }
      return record
    }
    return nil
  }

  /// Others have taken an object out of a shared zone: it goes here, and its waiting fields have
  /// lost.
  ///
  /// - Returns: Whether it stays, because it comes here only now.
  private mutating func leaves(_ shown: inout CloudRecord, _ here: RemoteRecord) throws -> Bool {
    if here.tag == nil, case .from? = here.moved {
      var comer = here
      comer.tag = shown.tag
      try writing.store(comer, before: here)
      return true
    }
    let latest = max(here.latestStamp, here.deletion ?? "")
    let stamp = Stamp(latest) ?? writing.clock.oldest
    shown = CloudRecord(
      name: shown.name, tag: shown.tag,
      content: ["type": .string(writing.fields.type(of: here.entity)), "d": .string(stamp.text)],
      time: shown.time)
    left.append(shown.name)
    return false
  }

  /// Looks at who has taken an object out of a shared zone that was taken out here, too, which the
  /// server was not told yet. Where that is another account, the object is theirs: the one that was
  /// made of it here goes, and the values that were given to it are among the conflicts.
  private mutating func compare(_ left: RemoteRecord, _ mark: String) throws {
    let account = writing.home.account
    guard mark != RemoteRecord.Move.mark(of: left.name, in: left.zone, by: account),
      let copy = try ZoneMove(writing: writing).copy(of: left),
      let object = writing.object(of: copy)
    else { return }
    do {
      try keepValues(of: copy, since: left.stamp, object.row, object.entity)
      try writing.enter(copy.zone) {
        try ObjectDeleter(writing: writing).delete(object, name: copy.name)
        try writing.forgetReferences(of: copy.name)
      }
    } catch let error as StoreError where error.code == .deletionDenied {
      return
    }
    let stamp = writing.clock.next(at: transaction.milliseconds).text
    var gone = copy
    (gone.row, gone.deletion, gone.stamp) = (nil, stamp, stamp)
    (gone.stamps, gone.waiting, gone.problem, gone.kept) = (RemoteStamps(), [.deletion], nil, nil)
    try transaction.setRemoteRecord(gone)
    counts.deleted += 1
  }

  /// Keeps values as conflicts that were given to an object since it was taken out, or were not
  /// sent then.
  private func keepValues(
    of record: RemoteRecord, since stamp: String, _ row: Int64, _ entity: EntityDescription
  ) throws {
    guard let stored = try transaction.rows(entity, rows: [row]).first else { return }
    let rules = writing.fields.rules(of: entity)
    let reader = FieldReader(reader: transaction, zone: record.zone, fields: writing.fields)
    let values = try reader.values(stored, of: record) { field in
      rules.sent.contains(field) && rules.lists[field] == nil && field != rules.parent?.name
        && (record.stamp(of: field) >= stamp || record.base(of: field) != nil)
    }
    for (field, value) in values where !value.isNull {
      try transaction.addRemoteConflict(
        RemoteConflict(
          name: record.name, entity: entity.name, field: field.name, value: value.description,
          stamp: record.stamp(of: field.name), winner: ""),
        in: writing.homeName, limit: CloudConflictLimit.count)
    }
  }

  /// Notes that objects are not deleted but elsewhere, so that they may come back as they are.
  func closeLeft() throws {
    for name in left {
      guard var record = try transaction.remoteRecord(name, in: zone), record.row == nil else {
        continue
      }
      (record.moved, record.deletion, record.waiting) = (.to(""), nil, [])
      try transaction.setRemoteRecord(record)
    }
  }

  /// Has a deletion that was not sent go where its record went.
  private func carry(_ record: RemoteRecord, to target: String) throws {
    var carried =
      try transaction.remoteRecord(record.name, in: target)
      ?? RemoteRecord(zone: target, name: record.name, entity: record.entity, stamp: record.stamp)
    guard carried.row == nil else { return }
    (carried.deletion, carried.waiting, carried.moved) = (record.deletion, [.deletion], nil)
    try transaction.setRemoteRecord(carried)
    try writing.keep(target)
  }

  private mutating func take(_ record: RemoteRecord, to target: String) throws {
    hasMoved = true
    let move = ZoneMove(writing: writing)
    let name = try move.take(record, to: target, follows: true)
    try move.carryPairs(of: [record.name: name], from: record.zone)
    guard let object = writing.object(of: record) else { return }
    try move.connect(object, as: name, in: target)
  }

  /// Merges the record of a zone that an object has left into its record where it is now.
  private mutating func merge(_ shown: CloudRecord, into target: String) throws {
    guard let there = try transaction.remoteRecord(shown.name, in: target), there.row != nil else {
      return
    }
    // An object that went home from there has another name: it is not the one that came from
    // elsewhere before.
    if zone != writing.homeName, case .from(let source)? = there.moved, source != zone { return }
    var content = shown.content
    content?["m"] = JSONValue?.none
    // It is no version of that zone.
    let plain = CloudRecord(name: shown.name, tag: shown.tag, content: content, time: 0)
    counts.add(
      try writing.enter(target) {
        var writer = RecordWriter(writing)
        writer.source = zone
        try writer.write([plain], isFeed: false)
        guard var merged = try transaction.remoteRecord(shown.name, in: target) else {
          return writer.counts
        }
        (merged.tag, merged.moved) = (there.tag, there.moved)
        if merged.row != nil {
          merged.waiting.formUnion(there.waiting)
        } else {
          merged.waiting = there.tag == nil ? [] : [.deletion]
        }
        try transaction.setRemoteRecord(merged)
        return writer.counts
      })
  }
}
