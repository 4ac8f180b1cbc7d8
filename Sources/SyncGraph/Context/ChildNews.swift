import SyncCore

/// The unsaved changes of a context that its child contexts were not told of yet.
///
/// They are told in the same form as commits: as a change set, with temporary row numbers for new
/// objects. Its generation is 0, which no commit has.
struct ChildNews {
  private var objects: [ManagedObject] = []
  private var slots: [ObjectIdentifier: SlotSet] = [:]

  /// Notes that an object came, went or changed in a slot.
  mutating func note(_ object: ManagedObject, _ slot: Int?) {
    let id = ObjectIdentifier(object)
    if slots[id] == nil {
      slots[id] = SlotSet()
      objects.append(object)
    }
    if let slot { slots[id]?.insert(slot) }
  }

  /// Takes out the changes to be told.
  mutating func take() -> ChangeSet {
    var builder = ChangeSetBuilder()
    for object in objects {
      if object.isKnownDeleted {
        builder.delete(object.identifier)
      } else if object.isInserted, object.flags.insert(.told).inserted {
        builder.insert(object.identifier)
      } else if let slots = slots[ObjectIdentifier(object)], !slots.isEmpty {
        builder.update(object.identifier, slots)
      }
    }
    self = ChildNews()
    return builder.changes
  }
}

/// Brings changes to single objects into the form of a change set.
struct ChangeSetBuilder {
  private var entities: [Int: ChangeSet.EntityChanges] = [:]

  mutating func insert(_ id: ManagedObjectID) {
    entities[id.entity.index, default: .init(entity: id.entity)].inserted.append(id.row)
  }

  mutating func update(_ id: ManagedObjectID, _ slots: SlotSet) {
    entities[id.entity.index, default: .init(entity: id.entity)].updated.append((id.row, slots))
  }

  mutating func delete(_ id: ManagedObjectID) {
    entities[id.entity.index, default: .init(entity: id.entity)].deleted.append(id.row)
  }

  /// The change set, in the order that one has. Without primary keys, for which it is never asked.
  var changes: ChangeSet {
    ChangeSet(entities: entities.inKeyOrder.map(\.value.ordered))
  }
}

extension ChangeSet {
  /// The same changes with other row numbers.
  ///
  /// - Parameter rows: new row numbers by old ones.
  func renamed(_ rows: [Int64: Int64]) -> ChangeSet {
    var result = self
    result.entities = entities.map { changes in
      var changes = changes
      guard changes.hasTemporaryRows else { return changes }
      changes.inserted = ChangeRows(changes.inserted.lazy.map { rows[$0] ?? $0 })
      changes.updated = changes.updated.map { (rows[$0.row] ?? $0.row, $0.slots) }
      changes.deleted = ChangeRows(changes.deleted.lazy.map { rows[$0] ?? $0 })
      return changes.ordered
    }
    return result
  }

  /// The changes to other objects than these.
  func without(_ ids: Set<ManagedObjectID>) -> ChangeSet {
    var result = self
    result.entities = entities.compactMap { changes in
      var rest = ChangeSet.EntityChanges(entity: changes.entity)
      func isKept(_ row: Int64) -> Bool {
        !ids.contains(ManagedObjectID(entity: changes.entity, row: row))
      }
      rest.inserted = ChangeRows(changes.inserted.filter(isKept))
      rest.updated = changes.updated.filter { isKept($0.row) }
      rest.deleted = ChangeRows(changes.deleted.filter(isKept))
      return rest.isEmpty ? nil : rest
    }
    return result
  }
}

extension ChangeSet.EntityChanges {
  /// The same with rows in ascending order. Keys do not follow: only changes without any come here.
  fileprivate var ordered: ChangeSet.EntityChanges {
    var result = self
    result.inserted = ChangeRows(inserted.sorted())
    result.updated = updated.sorted(on: \.row)
    result.deleted = ChangeRows(deleted.sorted())
    return result
  }

  fileprivate var hasTemporaryRows: Bool {
    (inserted.first ?? 0) < 0 || (updated.first?.row ?? 0) < 0 || (deleted.first ?? 0) < 0
  }
}
