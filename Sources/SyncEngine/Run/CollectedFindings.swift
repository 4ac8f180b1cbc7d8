import SyncCore

/// What the parts of a payload have found that is said once for all of it.
struct CollectedFindings {
  /// What several places of the payload say differently, by entity.
  private var contradictions: [Int: Contradictions] = [:]

  /// The new objects of serializers with groupers, by entity and group.
  var newObjects: [String: NewObjectsOfGroup] = [:]

  /// The entities whose objects are looked up without an index, and of which that was said.
  var withoutIndex: Set<Int> = []

  /// Takes in what was found in a part, once it is decided what becomes of it.
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

  /// Reports what several places say differently.
  func noteContradictions(_ model: ManagedObjectModel, in report: ReportBuilder) {
    for (entity, contradictions) in contradictions.sorted(by: { $0.key < $1.key }) {
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
