import SyncCore
import SyncStore

/// Makes the records that are sent of those that wait.
struct SaveBuilder {
  private let reader: StoreReader
  private let fields: FieldReader

  /// Files that are on the server.
  private let ready: ReadyAssets

  init(
    _ reader: StoreReader, zone: String, fields: TravellingFields,
    ready: ReadyAssets = ReadyAssets()
  ) {
    self.reader = reader
    self.ready = ready
    self.fields = FieldReader(reader: reader, zone: zone, fields: fields)
  }

  /// The save of each record, in their order; records without anything to send are left out, and
  /// those whose files are not on the server.
  func saves(_ records: [RemoteRecord]) throws -> [CloudSave] {
    let (rows, empty) = try read(records)
    return try records.compactMap { record in
      if record.isPair { return try PairWriter.save(record, reader, fields.fields) }
      guard let row = record.row else {
        return try departure(record) ?? kept(record) ?? deletion(record)
      }
      guard let entity = reader.model.entity(named: record.entity) else { return nil }
      let id = ManagedObjectID(entity: entity, row: row)
      guard
        ready.allow(record, fields.fields.rules(of: entity), empty: empty[id] ?? []),
        // Rows with bytes that may be many are read one by one.
        let stored = try rows[id] ?? reader.rows(entity, rows: [row]).first
      else { return nil }
      return try save(record, stored)
    }
  }

  /// Reads the rows of records, but those with bytes that are files; and which of their attributes
  /// for files are empty.
  private func read(
    _ records: [RemoteRecord]
  ) throws -> (rows: [ManagedObjectID: StoredRow], empty: [ManagedObjectID: Set<String>]) {
    var numbers: [String: [Int64]] = [:]
    for record in records {
      if let row = record.row { numbers[record.entity, default: []].append(row) }
    }
    var result: [ManagedObjectID: StoredRow] = [:]
    var empty: [ManagedObjectID: Set<String>] = [:]
    for (name, list) in numbers {
      guard let entity = reader.model.entity(named: name) else { continue }
      var light = list
      for field in fields.fields.rules(of: entity).assets.keys {
        guard let attribute = entity.property(named: field)?.attribute else { continue }
        let rows = try reader.emptyRows(among: list, of: entity, slot: attribute.slot)
        for row in rows {
          empty[ManagedObjectID(entity: entity, row: row), default: []].insert(field)
        }
        if attribute.type == .binary { light.removeAll { !rows.contains($0) } }
      }
      for row in try reader.rows(entity, rows: light) { result[row.id] = row }
    }
    return (result, empty)
  }

  /// A deleted object's record shrinks to its type and the stamp of the deletion.
  private func deletion(_ record: RemoteRecord) -> CloudSave? {
    guard let deletion = record.deletion, record.waiting.contains(.deletion) else { return nil }
    var content: JSONObject = [
      "type": .string(fields.fields.type(of: record.entity)), "d": .string(deletion),
    ]
    content["m"] = record.moved?.json
    return record.replaced(by: content)
  }

  /// A record that went to another zone says so, and else stays as it was; in a shared zone it says
  /// who took it out, and nothing else.
  private func departure(_ record: RemoteRecord) throws -> CloudSave? {
    guard let move = record.moved, record.hasLeft else { return nil }
    let type = JSONValue.string(fields.fields.type(of: record.entity))
    guard CloudZone(key: record.zone).root != nil else {
      return record.updated(by: ["type": type, "m": move.json])
    }
    let account = try reader.remoteZone(CloudZone(fields.fields.scope).key)?.account
    let mark = RemoteRecord.Move.mark(of: record.name, in: record.zone, by: account)
    return record.replaced(by: ["type": type, "m": RemoteRecord.Move.departure(by: mark)])
  }

  /// A record that the server has lost, or that went to another zone, and that cannot be used here
  /// is sent as it came.
  private func kept(_ record: RemoteRecord) -> CloudSave? {
    guard record.waiting.contains(.whole), var content = record.keptContent else { return nil }
    if let moved = record.moved { content["m"] = moved.json }
    return record.replaced(by: content)
  }

  /// Adds the fields that this model does not know, or of which it could not use the values.
  private func addKept(_ record: RemoteRecord, _ rules: FieldRules, to content: inout JSONObject) {
    guard let kept = record.keptContent else { return }
    let names = Dictionary(rules.fields.map { ($0.member, $0.name) }) { first, _ in first }
    for member in kept where member.key.hasPrefix("f_") {
      let stampMember = "t_" + member.key.dropFirst(2)
      guard let stamp = kept[stampMember] ?? kept["t"] else { continue }
      if let name = names[member.key], stamp.stringValue ?? "" <= record.stamp(of: name) {
        continue
      }
      content[member.key] = member.value
      content[stampMember] = stamp
    }
  }

  private func save(_ record: RemoteRecord, _ row: StoredRow) throws -> CloudSave? {
    let rules = fields.fields.rules(of: row.entity, named: record.name, in: record.zone)
    let isWhole = record.isSentWhole
    var content = JSONObject()
    if isWhole {
      content["type"] = .string(rules.type)
      if !record.stamp.isEmpty { content["t"] = .string(record.stamp) }
      content["m"] = record.moved?.json
    }
    let sendsDeletion = isWhole || record.waiting.contains(.deletion)
    if sendsDeletion, let deletion = record.deletion { content["d"] = .string(deletion) }
    let files = rules.assets.keys.reduce(into: [String: JSONValue]()) { files, field in
      guard row.entity.property(named: field)?.attribute?.type == .binary else { return }
      files[field] = ready.asset(of: record, field)?.json
    }
    var values = try fields.values(row, of: record) { field in
      record.sends(field, rules) && files[field] == nil
    }
    for field in files.isEmpty ? [] : rules.fields where record.sends(field.name, rules) {
      if let file = files[field.name] { values.append((field, file)) }
    }
    for (field, value) in values {
      content[field.member] =
        rules.sealed.contains(field.name)
        ? try fields.fields.wire.seal?.seal(value, field.member, of: record.name) : value
      let stamp = record.stamp(of: field.name)
      // Of a record that is there the stamps stay, too, that are not said.
      if record.tag != nil || stamp != record.stamp { content[field.stampMember] = .string(stamp) }
    }
    if isWhole { addKept(record, rules, to: &content) }
    return content.isEmpty ? nil : record.updated(by: content)
  }
}

extension RemoteRecord {
  /// Writes members in the place of all that the server was seen to have; makes the record where it
  /// has none.
  func replaced(by content: JSONObject) -> CloudSave {
    guard let tag else { return .create(name: name, content: content) }
    return .replace(name: name, tag: tag, content: content)
  }

  /// The same beside the members that are not named.
  func updated(by content: JSONObject) -> CloudSave {
    guard let tag else { return .create(name: name, content: content) }
    return .update(name: name, tag: tag, content: content)
  }
}
