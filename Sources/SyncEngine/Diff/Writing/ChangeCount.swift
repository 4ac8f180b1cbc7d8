import SyncCore

/// Counts for the report what a sync changed: exactly what its change sets say, so that memberships,
/// delete rules and everything else that reaches beyond the payload is in it.
///
/// Confined to its sync.
struct ChangeCount {
  let report: ReportBuilder
  /// Stored objects that the payload mentioned so far, by root entity.
  var mentioned: [Int: RowSet] = [:]

  init(report: ReportBuilder) {
    self.report = report
  }

  /// Notes the objects of a matched part of the payload. They count as unchanged until a change set
  /// says something else.
  ///
  /// - Throws: `CancellationError`.
  mutating func mention(_ batches: [Batch], _ control: SyncControl) throws {
    for batch in batches {
      var rows = mentioned[batch.entity.rootIndex] ?? RowSet()
      let hasFamily = !batch.entity.subentities.isEmpty
      var count = 0
      for (index, occurrence) in batch.occurrences.enumerated() {
        if index % SyncControl.stride == 0 { try control.checkpoint() }
        guard occurrence.stored >= 0, occurrence.row > 0,
          occurrence.flags.isDisjoint(with: [.referenceOnly, .twin]), !rows.contains(occurrence.row)
        else { continue }
        rows.insert(occurrence.row)
        if hasFamily { report[batch.entity(of: occurrence)].unchanged += 1 } else { count += 1 }
      }
      if count > 0 { report[batch.entity].unchanged += count }
      mentioned[batch.entity.rootIndex] = rows
    }
  }

  /// Counts what a transaction changed.
  mutating func count(_ changes: ChangeSet) {
    for changes in changes.entities {
      let rows = mentioned[changes.entity.rootIndex] ?? RowSet()
      var slots = Array(repeating: 0, count: changes.entity.properties.count)
      var entry = report[changes.entity]
      entry.inserted += changes.inserted.count
      entry.updated += changes.updated.count
      entry.deleted += changes.deleted.count
      for (row, changed) in changes.updated {
        for slot in changed { slots[slot] += 1 }
        if rows.contains(row) { entry.unchanged -= 1 }
      }
      for row in changes.deleted where rows.contains(row) { entry.unchanged -= 1 }
      for (slot, count) in slots.enumerated() where count > 0 {
        entry.updatedProperties[changes.entity.properties[slot].name, default: 0] += count
      }
      // An object that two parts of a payload change is one unchanged object less, not two.
      entry.unchanged = max(entry.unchanged, 0)
      report[changes.entity] = entry
    }
  }
}
