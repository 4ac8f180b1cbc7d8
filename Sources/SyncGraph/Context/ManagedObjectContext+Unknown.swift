import SyncCore
import SyncStore

/// Commits whose changes are unknown: another process made them, and the file keeps no history. The
/// context compares the objects that it has; lists are read again when they are wanted.
extension ManagedObjectContext {
  /// The change set with the changes of the objects that are live here.
  ///
  /// - Complexity: O(*n*) in the live objects with values, whose rows are read.
  func comparedWithLive(_ changes: ChangeSet) -> ChangeSet {
    var builder = ChangeSetBuilder()
    for root in model.entities where root.superentity == nil {
      let live = identities.objects(root: root.index).filter {
        $0.flags.isDisjoint(with: [.new, .gone]) && $0.rowNumber > 0
      }
      guard !live.isEmpty else { continue }
      let found: [StoredRow]
      do {
        found = try withSource { try readRows(root, live.map(\.rowNumber)) }
      } catch {
        // The store is closed or failing. The next fetch or save says so; the values stay.
        continue
      }
      let rows = Dictionary(uniqueKeysWithValues: found.map { ($0.row, $0) })
      for object in live {
        guard let row = rows[object.rowNumber] else {
          builder.delete(object.identifier)
          continue
        }
        if object.isFault { continue }
        var slots = SlotSet()
        for slot in object.home.shape.columns where row.values[slot] != object.base[slot] {
          slots.insert(slot)
        }
        if !slots.isEmpty { builder.update(object.identifier, slots) }
      }
    }
    var result = changes
    result.entities = builder.changes.entities
    return result
  }
}
