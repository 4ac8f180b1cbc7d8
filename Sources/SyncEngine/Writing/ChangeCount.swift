import SyncCore

/// Counts the changes of a sync for the report: exactly those of its change sets, so that
/// memberships, delete rules and everything else that reaches beyond the payload is in it.
///
/// Confined to its sync.
struct ChangeCount {
  let report: ReportBuilder
  /// Stored objects that the payload mentioned so far, by root entity.
  var mentioned: [Int: RowSet] = [:]
  /// The highest row of those, by root entity.
  private var highest: [Int: Int64] = [:]

  /// The objects counted already, by entity; nil where there is one transaction only.
  private var counted: [Int: Counted]?

  init(report: ReportBuilder, hasBatches: Bool) {
    self.report = report
    if hasBatches { counted = [:] }
  }

  /// Notes the objects of a matched part of the payload. They count as unchanged until a change set
  /// says something else; stored objects that an item mentions which is left out count as skipped
  /// alone.
  ///
  /// - Throws: `CancellationError`.
  mutating func mention(_ batches: [MatchedBatch], _ control: SyncControl) throws {
    for batch in batches {
      var rows = mentioned[batch.entity.rootIndex] ?? RowSet()
      let hasFamily = !batch.entity.subentities.isEmpty
      let hasCounted = counted != nil
      var highest = highest[batch.entity.rootIndex] ?? 0
      var count = 0
      let matches = batch.matches
      try rows.insert(matches.count) { index in
        if index % SyncControl.stride == 0 { try control.checkpoint() }
        let match = matches[index]
        guard match.stored >= 0,
          match.traits.isDisjoint(with: [.referenceOnly, .ofSubentity, .rejected]),
          !(hasCounted && isCounted(match.row, batch.entity(of: match)))
        else { return 0 }
        return match.row
      } onNew: { index in
        let match = matches[index]
        highest = max(highest, match.row)
        if hasFamily { report[batch.entity(of: match)].unchanged += 1 } else { count += 1 }
      }
      if count > 0 { report[batch.entity].unchanged += count }
      mentioned[batch.entity.rootIndex] = rows
      self.highest[batch.entity.rootIndex] = highest
    }
  }

  /// Whether an earlier transaction of the sync inserted or changed an object.
  private func isCounted(_ row: Int64, _ entity: EntityDescription) -> Bool {
    guard let earlier = counted?[entity.index] else { return false }
    return earlier.inserted.contains(row) || earlier.updated.contains(row)
  }

  /// Counts the changes of a transaction. An object is counted once, however many batches of one
  /// sync change it: as one that came, or changed, or went.
  mutating func count(_ changes: ChangeSet) {
    for changes in changes.entities {
      let rows = mentioned[changes.entity.rootIndex] ?? RowSet()
      // Taken out, so that it is changed in place.
      var earlier = counted?.removeValue(forKey: changes.entity.index) ?? Counted()
      var slots = Array(repeating: 0, count: changes.entity.properties.count)
      var alike = AlikeUpdates()
      var entry = report[changes.entity]
      entry.inserted += changes.inserted.count
      // Objects that an earlier part of the transaction inserted were stored for a later one.
      if let first = changes.inserted.first, highest[changes.entity.rootIndex] ?? 0 >= first {
        for row in changes.inserted where rows.contains(row) { entry.unchanged -= 1 }
      }
      for (row, changed) in changes.updated where !earlier.inserted.contains(row) {
        if counted == nil {
          alike.add(changed, to: &slots)
        } else {
          for slot in changed where earlier.isFirst(slot, of: row) { slots[slot] += 1 }
        }
        guard !earlier.updated.contains(row) else { continue }
        entry.updated += 1
        if rows.contains(row) { entry.unchanged -= 1 }
        if counted != nil { earlier.updated.insert(row) }
      }
      alike.finish(&slots)
      for row in changes.deleted {
        if earlier.inserted.contains(row) {
          entry.inserted -= 1
          continue
        }
        entry.deleted += 1
        if earlier.updated.contains(row) {
          entry.updated -= 1
          for (slot, rows) in earlier.slots where rows.contains(row) { slots[slot] -= 1 }
        } else if rows.contains(row) {
          entry.unchanged -= 1
        }
      }
      for (slot, count) in slots.enumerated() where count != 0 {
        let name = changes.entity.properties[slot].name
        let sum = (entry.updatedProperties[name] ?? 0) + count
        entry.updatedProperties[name] = sum > 0 ? sum : nil
      }
      entry.unchanged = max(entry.unchanged, 0)
      report[changes.entity] = entry
      if counted != nil {
        for row in changes.inserted { earlier.inserted.insert(row) }
        counted?[changes.entity.index] = earlier
      }
    }
  }

  /// The changes of earlier transactions of the sync to the objects of an entity.
  private struct Counted {
    var inserted = RowSet()
    var updated = RowSet()
    /// Rows in which a property changed, by its slot.
    var slots: [Int: RowSet] = [:]

    mutating func isFirst(_ slot: Int, of row: Int64) -> Bool {
      slots[slot, default: RowSet()].insert(row)
    }
  }

  /// Objects one behind the other in which the same slots changed: counted at once.
  private struct AlikeUpdates {
    private var slots = SlotSet()
    private var count = 0

    mutating func add(_ changed: SlotSet, to counts: inout [Int]) {
      if changed != slots {
        finish(&counts)
        slots = changed
      }
      count += 1
    }

    mutating func finish(_ counts: inout [Int]) {
      for slot in slots { counts[slot] += count }
      count = 0
    }
  }
}
