import SyncCore
import SyncStore

/// Findings in the parts of a payload that the report tells once for all of it.
struct CollectedFindings {
  /// Contradictions between places of the payload, by entity.
  private var contradictions: [Int: Contradictions] = [:]

  /// The new objects of serializers with groupers; nil while there are none.
  var newObjects: NewObjectsOfGroups?

  /// The entities whose objects are looked up without an index, and of which that was said.
  private var withoutIndex: Set<Int> = []

  /// Takes over the findings of a part whose items are all decided.
  mutating func add(_ planner: LinkPlanner) {
    for batch in planner.batches {
      for found in [batch.staged.contradictions, batch.contradictions] where found.count > 0 {
        contradictions[batch.entity.index, default: .init()].add(found)
      }
      guard !batch.staged.groups.isEmpty else { continue }
      var newObjects = newObjects.take() ?? NewObjectsOfGroups()
      newObjects.add(batch)
      self.newObjects = newObjects
    }
    for (entity, found) in planner.contradictions {
      contradictions[entity, default: .init()].add(found)
    }
  }

  /// Reports the contradictions.
  func noteContradictions(_ model: ManagedObjectModel, in report: ReportBuilder) {
    for (entity, contradictions) in contradictions.inKeyOrder {
      contradictions.note(of: model.entities[entity], in: report)
    }
  }

  // MARK: - Missing indexes

  /// Rows of a table that are read in no time.
  private static let smallTable = 1_000

  /// Reports, before a part of several is matched, the entities whose keys it looks up without an
  /// index, once each: that reads the whole table for each part.
  mutating func noteMissingIndexes(
    _ batches: [Batch], _ seenKeys: [Int: SeenKeys], in transaction: StoreTransaction,
    _ report: ReportBuilder
  ) throws {
    for batch in batches
    where !batch.occurrences.isEmpty && seenKeys[batch.number] == nil
      && !withoutIndex.contains(batch.entity.index)
    {
      guard let slot = batch.node.identity.first,
        !transaction.hasIndex(on: slot, of: batch.entity),
        try transaction.estimatedCount(of: batch.entity) > CollectedFindings.smallTable
      else { continue }
      withoutIndex.insert(batch.entity.index)
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
