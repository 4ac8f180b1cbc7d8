import SyncCore
import SyncStore

/// The objects that a sync made for items of one group.
struct NewObjectsOfGroup {
  let entity: EntityDescription
  let identity: [Int]
  let group: Filter
  var rows: [Int64]
}

/// New objects that do not meet the groupers of their serializer: the next sync does not find them, and makes them again.
extension SyncPass {
  /// Notes the new objects of a part that were looked for in a group.
  func noteNewObjects(of stager: Stager) {
    for batch in stager.batches where !batch.groups.isEmpty {
      var rows = [[Int64]](repeating: [], count: batch.groups.count)
      for index in batch.occurrences.indices
      where batch.occurrences[index].flags.contains(.inserted) {
        let group = Int(batch.group(of: Int32(index)))
        guard group >= 0, !batch.occurrences[index].flags.contains(.folded) else { continue }
        rows[group].append(batch.occurrences[index].row)
      }
      for (group, rows) in rows.enumerated() where !rows.isEmpty {
        note(rows, batch.groups[group], of: batch)
      }
    }
  }

  private func note(_ rows: [Int64], _ group: Filter, of batch: Batch) {
    let text = "\(group)"
    let known = newObjects.firstIndex {
      $0.entity.index == batch.entity.index && "\($0.group)" == text
    }
    if let known {
      newObjects[known].rows += rows
    } else {
      newObjects.append(
        NewObjectsOfGroup(
          entity: batch.entity, identity: batch.node.identity, group: group, rows: rows))
    }
  }

  /// Reports those of them that do not meet their group now, when everything is linked: one scan for each group.
  func noteOutsiders(in transaction: StoreTransaction) throws {
    for new in newObjects {
      var inside = RowSet()
      try transaction.scan(new.entity, .filter(new.group), slots: []) { inside.insert($0.row) }
      let outside = new.rows.filter { !inside.contains($0) }
      guard !outside.isEmpty else { continue }
      let listed = outside.prefix(SyncReport.findingLimit)
      try transaction.scan(new.entity, .rows(Array(listed)), slots: new.identity) { cursor in
        let key = new.identity.map { "\(cursor.value($0))" }.joined(separator: ", ")
        report.note(.outsideGroup, new.entity, key: key, message: new.message(key))
      }
      for _ in outside.dropFirst(listed.count) {
        report.note(.outsideGroup, new.entity, message: new.message("?"))
      }
    }
    newObjects = []
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
