import SyncCore
import SyncStore

/// The rows of records that come, change and go.
extension RecordWriter {
  mutating func writeRows(_ items: [Item]) throws {
    var comers: [Int: [Item]] = [:]
    for item in items {
      switch item.merge.fate {
      case .insert: comers[item.entity.index, default: []].append(item)
      case .update: try update(item)
      case .none: try keepLosses(of: item)
      case .delete: break
      }
    }
    for (index, list) in comers.inKeyOrder {
      try insert(list, EntityDescription(model: writing.model, index: index))
    }
  }

  mutating func insert(_ items: [Item], _ entity: EntityDescription) throws {
    let writer = RowValueWriter(writing, entity)
    try writer.insert(items.map { ($0.merge.record.row ?? 0, $0.values) })
    for item in items { try keepOrders(of: item) }
    counts.inserted += items.count
  }

  mutating func update(_ item: Item) throws {
    guard let row = item.merge.record.row else { return }
    try keepLosses(of: item)
    if writing.bringsAssets { try keepBytes(of: item, row) }
    guard !item.values.isEmpty || !item.orders.isEmpty || !item.partners.isEmpty else { return }
    if !item.values.isEmpty {
      try RowValueWriter(writing, item.entity).update(row, item.values)
    }
    try keepOrders(of: item)
    counts.updated += 1
  }

  /// Keeps orders that were said; their lists are arranged once all members are here.
  private func keepOrders(of item: Item) throws {
    guard let row = item.merge.record.row else { return }
    for (list, names) in item.orders {
      try transaction.setRemoteList(names, of: item.shown.name, list.name, in: zone)
      writing.touchList(row, item.entity, list)
    }
  }

  /// Keeps values that lost, unless the winner is the same.
  func keepLosses(of item: Item) throws {
    let losses = item.merge.losses
    guard let before = item.before, !losses.isEmpty else { return }
    var mine: [String: JSONValue] = [:]
    if let row = before.row, let stored = try transaction.rows(item.entity, rows: [row]).first {
      let reader = FieldReader(reader: transaction, zone: zone, fields: writing.fields)
      let wanted = Set(losses.map(\.field))
      for (field, value) in try reader.values(stored, of: before, only: wanted.contains) {
        mine[field.name] = value
      }
    }
    for loss in losses {
      guard let value = loss.theirs ?? mine[loss.field] else { continue }
      let winner = loss.theirs == nil ? item.merge.values[loss.field] : mine[loss.field]
      guard value != winner, !Self.isSameFile(value, winner),
        !Self.isUnset(value, loss, item.entity)
      else { continue }
      try transaction.addRemoteConflict(
        RemoteConflict(
          name: item.shown.name, entity: item.entity.name, field: loss.field,
          value: value.description, stamp: loss.stamp, winner: loss.winner),
        in: writing.homeName, limit: CloudConflictLimit.count)
    }
  }

  /// Whether a value was never set: the object was made with it by default.
  private static func isUnset(
    _ value: JSONValue, _ loss: Merge.Loss, _ entity: EntityDescription
  ) -> Bool {
    guard Stamp(loss.stamp)?.milliseconds == 0, let property = entity.property(named: loss.field)
    else { return false }
    if let attribute = property.attribute {
      return value == FieldCoding.encode(attribute.storedDefault, as: attribute.type)
    }
    return property.relationship?.isToMany == true
      ? value == FieldCoding.encode(order: []) : value == FieldCoding.encode(nil)
  }

  /// Bytes that are here stay where the placeholder that came is of the same.
  private func keepBytes(of item: Item, _ row: Int64) throws {
    let files = item.values.compactMap { slot, value -> (slot: Int, asset: CloudAsset)? in
      guard case .data(let data) = value, let asset = CloudAsset(placeholder: data) else {
        return nil
      }
      return (slot, asset)
    }
    guard !files.isEmpty, let stored = try transaction.rows(item.entity, rows: [row]).first else {
      return
    }
    for (slot, asset) in files {
      guard case .data(let bytes) = stored.values[slot], bytes.count == asset.size,
        CloudAsset(of: bytes) == asset
      else { continue }
      item.values.removeAll { $0.slot == slot }
    }
  }

  /// Whether one value stands for the bytes that the other is.
  private static func isSameFile(_ left: JSONValue, _ right: JSONValue?) -> Bool {
    let values = [left, right ?? .null].map { FieldCoding.decode($0, as: .binary) }
    guard case .data(let left)? = values[0], case .data(let right)? = values[1] else {
      return false
    }
    let (first, second) = (CloudAsset(placeholder: left), CloudAsset(placeholder: right))
    guard (first == nil) != (second == nil) else { return false }
    return (first ?? CloudAsset(of: left)) == (second ?? CloudAsset(of: right))
  }

  mutating func delete(_ items: [Item]) throws {
    let goers = items.filter { $0.merge.fate == .delete }
    guard !goers.isEmpty else { return }
    for item in goers { try keepLosses(of: item) }
    let deleter = ObjectDeleter(writing: writing)
    for item in goers {
      guard let row = item.before?.row else { continue }
      var merge = item.merge
      do {
        try deleter.delete(ManagedObjectID(entity: item.entity, row: row), name: item.shown.name)
        merge.record.row = nil
        try writing.forgetReferences(of: item.shown.name)
        counts.deleted += 1
      } catch let error as StoreError where error.code == .deletionDenied {
        merge.record.problem =
          "It was deleted elsewhere and cannot be deleted here. \(error.message)"
        counts.problems += 1
      }
      try writing.store(merge.record, before: item.before)
    }
  }
}

/// How many values that lost are kept.
enum CloudConflictLimit {
  static let count = 1000
}
