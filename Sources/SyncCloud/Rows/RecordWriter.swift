import SyncCore
import SyncStore

/// Merges records that a server shows into the store, in the transaction that is open.
///
/// ```
/// known versions are passed over ─▶ merge ─▶ objects that go ─▶ objects that come get numbers ─▶ references are
/// resolved ─▶ rows ─▶ records ─▶ links that waited for what came
/// ```
struct RecordWriter {
  /// What was written.
  struct Counts {
    var inserted = 0
    var updated = 0
    var deleted = 0

    /// Records that could not be used, or only in part.
    var problems = 0
  }

  let writing: CloudWriting
  private let zone: String
  private(set) var counts = Counts()

  init(_ writing: CloudWriting) {
    self.writing = writing
    zone = writing.zone.name
  }

  private var transaction: StoreTransaction { writing.transaction }

  /// A record on its way into the store.
  struct Item {
    let shown: CloudRecord
    let before: RemoteRecord?
    var merge: Merge
    let entity: EntityDescription

    /// Values to write by slot; references still by name.
    var values: [(slot: Int, value: Value)] = []
    var references: [(slot: Int, target: FieldCoding.Reference?)] = []
  }

  /// Merges records, at most one of a name.
  ///
  /// - Parameter isFeed: Whether versions that are known already may be passed over.
  mutating func write(_ records: [CloudRecord], isFeed: Bool) throws {
    let known = try transaction.remoteRecords(records.map(\.name), in: zone)
    var items: [Item] = []
    for record in records {
      let before = known[record.name]
      if isFeed, let before, before.tag == record.tag { continue }
      do throws(RecordContent.Malformed) {
        let content = try RecordContent(record)
        if let item = try merge(record, content, before) { items.append(item) }
      } catch {
        try keepMalformed(record, before, error.reason)
      }
    }
    for index in items.indices { decode(&items[index]) }
    try delete(items)
    try place(&items)
    try writeRows(items)
    for item in items where item.merge.fate != .delete {
      try writing.store(item.merge.record, before: item.before)
    }
    try followLinks(to: items)
  }

  /// Puts a record aside whose values are not unique.
  mutating func setAside(_ record: CloudRecord, _ reason: String) throws {
    let before = try transaction.remoteRecord(record.name, in: zone)
    try keepAside(record, before, reason)
  }

  // MARK: - Merging

  private mutating func merge(
    _ shown: CloudRecord, _ content: RecordContent, _ before: RemoteRecord?
  ) throws(RecordContent.Malformed) -> Item? {
    if let type = content.type, let before, before.row != nil, before.entity != type {
      throw RecordContent.Malformed(
        reason: "The record was of entity \(before.entity) and now says that it is of \(type).")
    }
    // A deletion by another program of what was never here.
    guard let name = content.type ?? before?.entity else { return nil }
    let entity = writing.model.entity(named: name).flatMap { $0.isAbstract ? nil : $0 }
    var merge = Merge(
      before, with: content, tag: shown.tag, name: shown.name, zone: zone,
      fields: entity.map { writing.fields.names(of: $0) }, clock: &writing.clock)
    merge.setProblem(nil)
    if let before, before.row != nil, !before.waiting.isEmpty { merge.setProblem(before.problem) }
    guard let entity else {
      // Kept until a model knows it.
      do {
        var record = merge.record
        record.waiting = []
        record.kept = shown.content?.description
        try writing.store(record, before: before)
      } catch {
        throw RecordContent.Malformed(reason: "\(error)")
      }
      return nil
    }
    merge.setKept(merge.hasUnknownFields ? shown.content?.description : nil)
    return Item(shown: shown, before: before, merge: merge, entity: entity)
  }

  private mutating func keepMalformed(
    _ record: CloudRecord, _ before: RemoteRecord?, _ reason: String
  ) throws {
    counts.problems += 1
    var kept =
      before
      ?? RemoteRecord(
        zone: zone, name: record.name, entity: record.content?["type"]?.stringValue ?? "",
        stamp: "")
    kept.tag = record.tag
    kept.problem = reason
    try writing.store(kept, before: before)
  }

  /// Keeps a record whose object cannot be made; the next version of it, or a later model, tries again.
  private mutating func keepAside(
    _ shown: CloudRecord, _ before: RemoteRecord?, _ reason: String
  ) throws {
    counts.problems += 1
    var kept =
      before
      ?? RemoteRecord(
        zone: zone, name: shown.name, entity: shown.content?["type"]?.stringValue ?? "", stamp: "")
    kept.tag = shown.tag
    kept.kept = shown.content?.description
    kept.problem = reason
    try writing.store(kept, before: before)
  }

  // MARK: - Values

  private mutating func decode(_ item: inout Item) {
    guard item.merge.fate == .insert || item.merge.fate == .update else { return }
    for (field, json) in item.merge.values.sorted(by: { $0.key < $1.key }) {
      guard let property = item.entity.property(named: field) else { continue }
      if let attribute = property.attribute {
        if let value = FieldCoding.decode(json, as: attribute.type) {
          item.values.append((property.slot, value))
        } else {
          refuse(
            "Field “\(field)” holds \(json.kindText) that is no \(attribute.type.rawValue); the value "
              + "here stays as it is.", &item)
        }
      } else if let reference = FieldCoding.decodeReference(json) {
        item.references.append((property.slot, reference))
      } else {
        refuse("Field “\(field)” holds no reference; the value here stays as it is.", &item)
      }
    }
  }

  private mutating func refuse(_ reason: String, _ item: inout Item) {
    item.merge.setProblem(reason)
    counts.problems += 1
  }

  /// Gives objects that come their row numbers, and fills in what their records leave out.
  private mutating func place(_ items: inout [Item]) throws {
    var comers: [Int: [Int]] = [:]
    var usable: [Item] = []
    for var item in items {
      if item.merge.fate == .insert, let missing = fillDefaults(&item) {
        try keepAside(
          item.shown, item.before,
          "The required value “\(missing)” is missing, and the model has "
            + "no default for it.")
        continue
      }
      if item.merge.fate == .insert {
        comers[item.entity.index, default: []].append(usable.count)
      }
      usable.append(item)
    }
    for (index, places) in comers.sorted(by: { $0.key < $1.key }) {
      let entity = EntityDescription(model: writing.model, index: index)
      let first = try transaction.reserveRows(places.count, in: entity)
      for (offset, place) in places.enumerated() {
        usable[place].merge.setRow(first + Int64(offset))
      }
    }
    items = usable
    var rows: [String: (row: Int64, entity: EntityDescription)] = [:]
    for item in items where item.merge.fate == .insert {
      rows[item.shown.name] = item.merge.record.row.map { ($0, item.entity) }
    }
    for index in items.indices { try resolve(&items[index], rows) }
  }

  /// - Returns: the name of a required value that is missing.
  private func fillDefaults(_ item: inout Item) -> String? {
    let given = Set(item.values.map(\.slot))
    for attribute in item.entity.attributes
    where !attribute.isTransient && !given.contains(attribute.slot) {
      if !attribute.defaultValue.isNull {
        item.values.append((attribute.slot, attribute.storedDefault))
      } else if !attribute.isOptional {
        return attribute.name
      }
    }
    let null = item.values.first { slot, value in
      value.isNull && item.entity.properties[slot].attribute?.isOptional == false
    }
    return null.map { item.entity.properties[$0.slot].name }
  }

  private mutating func resolve(
    _ item: inout Item, _ rows: [String: (row: Int64, entity: EntityDescription)]
  ) throws {
    for (slot, target) in item.references {
      let property = item.entity.properties[slot]
      try writing.removeLink(from: item.shown.name, property.name)
      guard let target else {
        item.values.append((slot, .null))
        continue
      }
      guard let relationship = property.relationship else { continue }
      let destination = item.entity.destination(of: relationship)
      let row: Int64?
      if let comer = rows[target.name] {
        row = comer.entity.isKind(of: destination) ? comer.row : nil
      } else {
        let known = try transaction.remoteRecord(target.name, in: zone)
        let entity = known.flatMap { writing.model.entity(named: $0.entity) }
        row = entity?.isKind(of: destination) == true ? known?.row : nil
      }
      item.values.append((slot, row.map(Value.int) ?? .null))
      if row == nil {
        try writing.setLink(
          RemoteLink(
            source: item.shown.name, field: property.name, target: target.name,
            entity: target.entity))
      }
    }
  }

  // MARK: - Rows

  private mutating func writeRows(_ items: [Item]) throws {
    var comers: [Int: [Item]] = [:]
    for item in items {
      switch item.merge.fate {
      case .insert: comers[item.entity.index, default: []].append(item)
      case .update: try update(item)
      case .none, .delete: break
      }
    }
    for (index, list) in comers.sorted(by: { $0.key < $1.key }) {
      try insert(list, EntityDescription(model: writing.model, index: index))
    }
  }

  private mutating func insert(_ items: [Item], _ entity: EntityDescription) throws {
    let writer = RowValueWriter(transaction, entity)
    try writer.insert(items.map { ($0.merge.record.row ?? 0, $0.values) })
    counts.inserted += items.count
  }

  private mutating func update(_ item: Item) throws {
    guard let row = item.merge.record.row else { return }
    if !item.merge.losses.isEmpty { try keepLosses(of: item, row) }
    guard !item.values.isEmpty else { return }
    try RowValueWriter(transaction, item.entity).update(row, item.values)
    counts.updated += 1
  }

  private func keepLosses(of item: Item, _ row: Int64) throws {
    guard let before = item.before,
      let stored = try transaction.rows(item.entity, rows: [row]).first
    else { return }
    let reader = FieldReader(reader: transaction, zone: zone, fields: writing.fields)
    for loss in item.merge.losses {
      for (field, value) in try reader.values(stored, of: before, only: { $0 == loss.field }) {
        try transaction.addRemoteConflict(
          RemoteConflict(
            name: item.shown.name, entity: item.entity.name, field: field,
            value: value.description, stamp: loss.stamp, winner: loss.winner),
          in: zone, limit: CloudConflictLimit.count)
      }
    }
  }

  private mutating func delete(_ items: [Item]) throws {
    let goers = items.filter { $0.merge.fate == .delete }
    guard !goers.isEmpty else { return }
    for item in goers {
      if let row = item.before?.row, !item.merge.losses.isEmpty { try keepLosses(of: item, row) }
    }
    let deleter = ObjectDeleter(writing)
    for item in goers {
      guard let row = item.before?.row else { continue }
      var merge = item.merge
      do {
        try deleter.delete(row, item.entity, name: item.shown.name)
        merge.setRow(nil)
        try writing.removeLinks(from: item.shown.name)
        counts.deleted += 1
      } catch let error as StoreError where error.code == .deletionDenied {
        merge.setProblem("It was deleted elsewhere and cannot be deleted here. \(error.message)")
        counts.problems += 1
      }
      try writing.store(merge.record, before: item.before)
    }
  }

  /// Sets the relationships that waited for what came.
  private func followLinks(to items: [Item]) throws {
    guard writing.hasLinks else { return }
    for item in items where item.merge.fate == .insert {
      guard let row = item.merge.record.row else { continue }
      for link in try transaction.remoteLinks(to: item.shown.name, in: zone) {
        guard let source = try transaction.remoteRecord(link.source, in: zone),
          let sourceRow = source.row, let entity = writing.model.entity(named: source.entity),
          let property = entity.property(named: link.field),
          let relationship = property.relationship,
          item.entity.isKind(of: entity.destination(of: relationship))
        else { continue }
        try RowValueWriter(transaction, entity).update(sourceRow, [(property.slot, .int(row))])
        try writing.removeLink(from: link.source, link.field)
      }
    }
  }
}

/// How many values that lost are kept.
enum CloudConflictLimit {
  static let count = 1000
}

extension RecordWriter.Counts {
  mutating func add(_ other: RecordWriter.Counts) {
    inserted += other.inserted
    updated += other.updated
    deleted += other.deleted
    problems += other.problems
  }
}
