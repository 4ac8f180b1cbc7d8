import SyncCore
import SyncStore

/// Merges records that a server shows into the store, in the transaction that is open.
///
/// ```
/// known versions are passed over ─▶ merge ─▶ objects that go ─▶ objects that come get numbers ─▶ references are
/// resolved ─▶ rows ─▶ records ─▶ one-to-ones ─▶ links that waited for new objects ─▶ pairs
/// ```
struct RecordWriter: WritingPart {
  let writing: CloudWriting
  let zone: String
  var counts = Counts()

  /// Whether any record went to another zone.
  var hasMoved = false

  /// Records of objects that others have taken out of a shared zone.
  var left: [String] = []

  /// The zone that shows the records, which are merged into another one where their objects went.
  var source: String

  /// References of a shared zone to objects of other zones, which are not taken.
  var foreign: [(item: Item, link: RemoteLink)] = []

  init(_ writing: CloudWriting) {
    self.writing = writing
    zone = writing.zone.name
    source = zone
  }

  /// Merges records, at most one of a name.
  ///
  /// - Parameters:
  ///   - isFeed: Whether versions that are known already may be passed over.
  ///   - sent: Records that the server has as they were here when they were sent.
  mutating func write(
    _ shown: [CloudRecord], isFeed: Bool, sent: [String: RemoteRecord] = [:]
  ) throws {
    writing.see(shown)
    let records = sent.isEmpty ? shown : try shown.filter { try !settle($0, sent[$0.name]) }
    let known = try transaction.remoteRecords(records.map(\.name), in: zone)
    var items: [Item] = []
    var pairs: [(record: RemoteRecord, kind: PairKind)] = []
    let pairWriter = PairWriter(writing: writing)
    for record in records {
      var record = record
      var before = known[record.name]
      if isFeed, let before, before.tag == record.tag { continue }
      if var before, before.isEvicted {
        before.tag = record.content == nil ? nil : record.tag
        try writing.store(before, before: known[record.name])
        continue
      }
      if try goes(&record, &before) { continue }
      do {
        let content = try RecordContent(record, writing.fields.wire)
        if let kind = (content.type ?? before?.entity).flatMap({ writing.fields.kinds[$0] }) {
          // Objects that went may have carried it here.
          if hasMoved { before = try transaction.remoteRecord(record.name, in: zone) }
          let pair = try pairWriter.merge(record, content, kind, before)
          counts.isBehind = counts.isBehind || Self.isBehind(pair, before, content)
          pairs.append((pair, kind))
          continue
        }
        if before?.row == nil, let name = content.type,
          let entity = writing.model.entity(named: name),
          let reason = try stranger(entity, record.name, among: records)
        {
          try keepAside(record, before, reason)
          continue
        }
        guard let item = try merge(record, content, before) else { continue }
        item.merge.record.moved = RemoteRecord.Move(record.content?["m"])
        counts.isBehind = counts.isBehind || item.merge.isBehind
        items.append(item)
      } catch let error as RecordContent.Malformed {
        try keep(record, before, before?.kept, error.reason)
      }
    }
    var shaken = ShakenPairs(writing: writing)
    for item in items {
      decode(item)
      try shaken.note(item.merge, item.before)
    }
    try delete(items)
    try closeLeft()
    try place(&items)
    try writeRows(items)
    for item in items where item.merge.fate != .delete {
      try writing.store(item.merge.record, before: item.before)
    }
    for item in items where !item.partners.isEmpty {
      guard let row = item.merge.record.row else { continue }
      try RowValueWriter(writing, item.entity).update(row, item.partners)
    }
    for item in items where item.merge.fate == .insert || item.isBackAlive {
      // Where no link waits, none can wait for an object that comes by the feed for the first time.
      // One that went from one zone to another may be known there, though.
      let isNew = item.before == nil && item.merge.record.moved == nil
      let mayBeKnown = !isNew || !isFeed || zone != writing.homeName
      guard writing.hasLinks || mayBeKnown, let row = item.merge.record.row else { continue }
      try writing.follow(item.shown.name, row, item.entity)
    }
    // References to an object that went lead to the one of that name that came home before.
    if !left.isEmpty { try writing.follow(left) }
    try refuseForeign()
    try shaken.settle(pairWriter)
    for (record, kind) in pairs { try pairWriter.apply(record, kind) }
  }

  /// Notes that the server has a record as it was sent, where that is all and it is the same still.
  private func settle(_ shown: CloudRecord, _ sent: RemoteRecord?) throws -> Bool {
    guard let sent, let taken = sent.taken(shown) else { return false }
    return try transaction.settleRemoteRecord(sent, tag: shown.tag, stamps: taken.stamps)
  }

  /// Whether a pair waits to be sent that did not: the server was seen to have it.
  private static func isBehind(
    _ pair: RemoteRecord, _ before: RemoteRecord?, _ content: RecordContent
  ) -> Bool {
    before?.tag != nil && before?.waiting.isEmpty == true && !pair.waiting.isEmpty
      && content.type != nil && content.corrections.isEmpty
  }

  /// Puts a record aside whose values are not unique.
  mutating func setAside(_ record: CloudRecord) throws {
    let before = try transaction.remoteRecord(record.name, in: zone)
    try keepAside(record, before, try SetAside(writing: writing).obstacle(of: record, before))
  }

  // MARK: - Merging

  private mutating func merge(
    _ shown: CloudRecord, _ content: RecordContent, _ before: RemoteRecord?
  ) throws -> Item? {
    if let type = content.type, let before, before.row != nil, before.entity != type {
      throw RecordContent.Malformed(
        reason: "The record was of entity \(before.entity) and now says that it is of \(type).")
    }
    // A deletion by another program, of an object that was never here.
    guard let name = content.type ?? before?.entity else { return nil }
    let entity = writing.model.entity(named: name).flatMap {
      $0.isAbstract || !writing.fields.travels($0) ? nil : $0
    }
    let rules = entity.map { writing.fields.rules(of: $0, named: shown.name, in: zone) }
    let mine = choosable(before, entity, rules)
    var merge = Merge(
      before, with: content, tag: shown.tag, name: shown.name, zone: zone, rules: rules,
      heals: writing.heals, clock: &writing.clock
    ) { field, theirs in
      mine[field].flatMap {
        rules?.policies[field]?.choose($0, theirs, entity?.property(named: field)?.attribute?.type)
      }
    }
    merge.record.problem = nil
    if let before, before.row != nil, before.kept == nil, !before.waiting.isEmpty {
      merge.record.problem = before.problem
    }
    guard let entity else {
      // Kept until a model knows it.
      var record = merge.record
      record.waiting = []
      record.kept = shown.content?.description
      try writing.store(record, before: before)
      if name == SharedZones.type { writing.findSharedZones() }
      return nil
    }
    merge.record.kept = merge.hasUnknownFields ? shown.content?.description : nil
    return Item(shown: shown, before: before, merge: merge, entity: entity)
  }

  /// The values here of waiting fields that have policies.
  private func choosable(
    _ before: RemoteRecord?, _ entity: EntityDescription?, _ rules: FieldRules?
  ) -> [String: JSONValue] {
    guard let before, let entity, let rules, let row = before.row,
      rules.policies.keys.contains(where: { before.isWaiting($0) }),
      let stored = try? transaction.rows(entity, rows: [row]).first
    else { return [:] }
    let reader = FieldReader(reader: transaction, zone: zone, fields: writing.fields)
    let values = try? reader.values(stored, of: before) { rules.policies[$0] != nil }
    return Dictionary(values?.map { ($0.field.name, $0.value) } ?? []) { first, _ in first }
  }

  func type(of record: CloudRecord) -> String {
    record.content?["type"]?.stringValue.map(writing.fields.wire.entity) ?? ""
  }

  /// Keeps a record whose object cannot be made; the next version of it, or a later model, tries
  /// again.
  mutating func keepAside(_ shown: CloudRecord, _ before: RemoteRecord?, _ reason: String) throws {
    try keep(shown, before, shown.content?.description, reason)
  }

  /// Keeps a record that cannot be used, with the reason.
  private mutating func keep(
    _ shown: CloudRecord, _ before: RemoteRecord?, _ content: String?, _ reason: String
  ) throws {
    counts.problems += 1
    var record =
      before
      ?? RemoteRecord(zone: zone, name: shown.name, entity: type(of: shown), stamp: "")
    record.tag = shown.tag
    record.kept = content
    record.problem = reason
    stopWaiting(&record, shown)
    try writing.store(record, before: before)
  }

  /// Has those fields wait no more that the server shows as they were sent, or later.
  private func stopWaiting(_ record: inout RemoteRecord, _ shown: CloudRecord) {
    guard !record.waiting.isEmpty,
      record.moved == nil || record.moved == RemoteRecord.Move(shown.content?["m"]),
      let content = try? RecordContent(shown, writing.fields.wire)
    else { return }
    var waiting = record.waiting.intersection([.deletion])
    if record.row != nil, let entity = writing.model.entity(named: record.entity) {
      let theirs = Dictionary(content.fields.map { ($0.name, $0.stamp.text) }) { first, _ in first }
      let sent = writing.fields.rules(of: entity, named: record.name, in: zone).sent
      for field in sent
      where record.isWaiting(field) && record.stamp(of: field) > theirs[field] ?? "" {
        waiting.insert(.field(field))
      }
    }
    record.waiting = waiting
    record.forgetBases()
  }
}
