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
      case .none, .delete: break
      }
    }
    for (index, list) in comers.sorted(by: { $0.key < $1.key }) {
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
    if !item.merge.losses.isEmpty { try keepLosses(of: item, row) }
    guard !item.values.isEmpty || !item.orders.isEmpty else { return }
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

  func keepLosses(of item: Item, _ row: Int64) throws {
    guard let before = item.before,
      let stored = try transaction.rows(item.entity, rows: [row]).first
    else { return }
    let reader = FieldReader(reader: transaction, zone: zone, fields: writing.fields)
    for loss in item.merge.losses {
      for (field, value) in try reader.values(stored, of: before, only: { $0 == loss.field })
      where value != item.merge.values[field] {
        try transaction.addRemoteConflict(
          RemoteConflict(
            name: item.shown.name, entity: item.entity.name, field: field,
            value: value.description, stamp: loss.stamp, winner: loss.winner),
          in: zone, limit: CloudConflictLimit.count)
      }
    }
  }

  mutating func delete(_ items: [Item]) throws {
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
        try writing.forgetReferences(of: item.shown.name)
        counts.deleted += 1
      } catch let error as StoreError where error.code == .deletionDenied {
        merge.setProblem("It was deleted elsewhere and cannot be deleted here. \(error.message)")
        counts.problems += 1
      }
      try writing.store(merge.record, before: item.before)
    }
  }

  /// Sets the relationships that waited for what came.
  func followLinks(to items: [Item]) throws {
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
        try RowValueWriter(writing, entity).update(sourceRow, [(property.slot, .int(row))])
        try writing.removeLink(from: link.source, link.field)
      }
    }
  }
}

/// How many values that lost are kept.
enum CloudConflictLimit {
  static let count = 1000
}
