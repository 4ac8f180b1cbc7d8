import SyncCore
import SyncStore

/// New objects that do not meet the groupers of their serializer: the next sync does not find them,
/// and makes them again.
struct NewObjectsOfGroups {
  /// The new objects of serializers with groupers, by entity and group.
  private var groups: [String: NewObjectsOfGroup] = [:]

  /// Notes the new objects of a batch that were looked for in a group.
  mutating func add(_ batch: MatchedBatch) {
    let groups = batch.staged.groups
    var rows = [[Int64]](repeating: [], count: groups.filters.count)
    for (index, match) in batch.matches.enumerated()
    where match.flags.contains(.inserted) && !match.flags.contains(.folded) {
      let group = Int(groups.group(of: Int32(index)))
      if group >= 0 { rows[group].append(match.row) }
    }
    for (group, rows) in zip(groups.filters, rows) where !rows.isEmpty {
      let name = "\(batch.entity.index) \(group.wholeText)"
      self.groups[name, default: NewObjectsOfGroup(batch, group)].rows += rows
    }
  }

  /// Reports those that do not meet their group now, when everything is linked.
  func report(to report: ReportBuilder, in transaction: StoreTransaction) throws {
    let groups = groups.inKeyOrder.map(\.value)
    for (_, all) in Dictionary(grouping: groups, by: \.entity.index).inKeyOrder {
      let asksInMemory = try StoredGroups.asksInMemory(
        all.count, rows: all.reduce(0) { $0 + $1.rows.count }, of: all[0].entity, transaction)
      let evaluation = try asksInMemory ? evaluation(of: all, in: transaction) : nil
      for new in all {
        let outside =
          try evaluation.map { evaluation in
            let filter = try new.group.resolved(for: new.entity)
            return try new.rows.filter { try !evaluation.contains($0, filter) }
          } ?? rowsOutside(new, in: transaction)
        try NewObjectsOfGroups.note(outside, new, in: transaction, report)
      }
    }
  }

  private func evaluation(
    of all: [NewObjectsOfGroup], in transaction: StoreTransaction
  ) throws -> GroupEvaluation {
    try GroupEvaluation(
      all[0].entity, rows: Set(all.flatMap(\.rows)).sorted(), transaction)
  }

  private func rowsOutside(
    _ new: NewObjectsOfGroup, in transaction: StoreTransaction
  ) throws -> [Int64] {
    var inside = RowSet()
    try transaction.scan(new.entity, .filter(new.group), slots: []) { inside.insert($0.row) }
    return new.rows.filter { !inside.contains($0) }
  }

  private static func note(
    _ outside: [Int64], _ new: NewObjectsOfGroup, in transaction: StoreTransaction,
    _ report: ReportBuilder
  ) throws {
    guard !outside.isEmpty else { return }
    let listed = outside.prefix(SyncReport.findingLimit)
    try transaction.scan(new.entity, .rows(Array(listed)), slots: new.identity) { cursor in
      let key = new.identity.map { "\(cursor.value($0))" }.joined(separator: ", ")
      report.note(.outsideGroup, new.entity, key: key, message: new.message(key))
    }
    for _ in outside.dropFirst(listed.count) {
      report.note(.outsideGroup, new.entity, message: new.message("?"))
    }
  }
}

/// The objects that a sync made for items of one group.
struct NewObjectsOfGroup {
  let entity: EntityDescription
  let identity: [Int]
  let group: Filter
  /// Their rows, in payload order.
  var rows: [Int64] = []

  init(_ batch: MatchedBatch, _ group: Filter) {
    entity = batch.entity
    identity = batch.node.identity
    self.group = group
  }

  func message(_ key: String) -> String {
    """
    \(entity.name) \(key) is new and does not meet the groupers of its serializer, so the next sync will not find it \
    and makes another one. Map what the groupers ask for, or let policy.identityScope be .entity.
    """
  }
}
