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
