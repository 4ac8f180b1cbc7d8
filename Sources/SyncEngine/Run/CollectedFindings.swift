import SyncCore
import SyncStore

/// Findings in the parts of a payload that the report tells once for all of it.
struct CollectedFindings {
  /// Contradictions between places of the payload, by entity.
  private var contradictions: [Int: Contradictions] = [:]

  /// The new objects of serializers with groupers, by entity and group.
  var newObjects: [String: NewObjectsOfGroup] = [:]

  /// The entities whose objects are looked up without an index, and of which that was said.
  var withoutIndex: Set<Int> = []

  /// Takes over the findings of a part whose items are all decided.
  mutating func add(_ matches: Matches, _ planner: LinkPlanner) {
    for batch in matches.batches {
      for found in [batch.staged.contradictions, batch.contradictions] where found.count > 0 {
        contradictions[batch.entity.index, default: .init()].add(found)
      }
      if !batch.staged.groups.isEmpty { addNewObjects(of: batch) }
    }
    for (entity, found) in planner.contradictions {
      contradictions[entity, default: .init()].add(found)
    }
  }

  /// Notes the new objects of a batch that were looked for in a group.
  private mutating func addNewObjects(of batch: MatchedBatch) {
    let groups = batch.staged.groups
    var rows = [[Int64]](repeating: [], count: groups.filters.count)
    for (index, occurrence) in batch.occurrences.enumerated()
    where occurrence.flags.contains(.inserted) && !occurrence.flags.contains(.folded) {
      let group = Int(groups.group(of: Int32(index)))
      if group >= 0 { rows[group].append(occurrence.row) }
    }
    for (group, rows) in zip(groups.filters, rows) where !rows.isEmpty {
      let name = "\(batch.entity.index) \(group.wholeText)"
      newObjects[name, default: NewObjectsOfGroup(batch, group)].rows += rows
    }
  }

  /// Reports the contradictions.
  func noteContradictions(_ model: ManagedObjectModel, in report: ReportBuilder) {
    for (entity, contradictions) in contradictions.inKeyOrder {
      contradictions.note(of: model.entities[entity], in: report)
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
}

/// New objects that do not meet the groupers of their serializer: the next sync does not find them,
/// and makes them again.
extension SyncPass {
  /// Reports those that do not meet their group now, when everything is linked.
  func noteObjectsOutsideGroups(in transaction: StoreTransaction) throws {
    let groups = collected.newObjects.inKeyOrder.map(\.value)
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
        try note(outside, new, in: transaction)
      }
    }
    collected.newObjects = [:]
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

  private func note(
    _ outside: [Int64], _ new: NewObjectsOfGroup, in transaction: StoreTransaction
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

extension NewObjectsOfGroup {
  fileprivate func message(_ key: String) -> String {
    """
    \(entity.name) \(key) is new and does not meet the groupers of its serializer, so the next sync will not find it \
    and makes another one. Map what the groupers ask for, or let policy.identityScope be .entity.
    """
  }
}

/// A payload in parts looks up the keys of each part. Without an index that reads the whole table
/// each time.
extension SyncPass {
  /// Rows of a table that are read in no time.
  private static let smallTable = 1_000

  /// Says so before the first part is matched, once for each entity.
  func noteMissingIndexes(_ batches: [Batch], in transaction: StoreTransaction) throws {
    guard !isWholeList else { return }
    for batch in batches
    where !batch.occurrences.isEmpty && claims.seenKeys[batch.number] == nil
      && !collected.withoutIndex.contains(batch.entity.index)
    {
      let layout = transaction.layout[batch.entity]
      guard let slot = batch.node.identity.first,
        !layout.table.indexes.contains(where: { $0.columns.first == layout.ordinals[slot] }),
        try transaction.estimatedCount(of: batch.entity) > SyncPass.smallTable
      else { continue }
      collected.withoutIndex.insert(batch.entity.index)
      let name = batch.entity.properties[slot].name
      report.note(
        .mappingRemark, batch.entity, property: name,
        message: """
          Objects of “\(batch.entity.name)” are looked up by “\(name)”, which has no index, so each batch or page \
          reads the whole table. Give it a fetch index in the model, or make it the primary key.
          """)
    }
  }
}
