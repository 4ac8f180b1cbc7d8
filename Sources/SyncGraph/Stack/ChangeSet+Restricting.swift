import SyncCore

extension ChangeSet {
  /// The changes of an entity and those below it; nil when there are none. A change set whose
  /// changes are unknown may be about everything.
  func restricted(to entity: EntityDescription) -> ChangeSet? {
    var result = self
    result.entities = entities.filter { $0.entity.isKind(of: entity) }
    return result.isEmpty ? nil : result
  }

  /// The changes of one object; nil when there are none.
  ///
  /// - Complexity: O(log *n*) in the changes of the object's entity.
  func restricted(to id: ManagedObjectID) -> ChangeSet? {
    var result = self
    result.entities = entities.compactMap { changes in
      guard changes.entity.rootIndex == id.entity.rootIndex else { return nil }
      let only = changes.restricted(to: id.row)
      return only.isEmpty ? nil : only
    }
    return result.isEmpty ? nil : result
  }
}

extension ChangeSet.EntityChanges {
  fileprivate func restricted(to row: Int64) -> ChangeSet.EntityChanges {
    var result = ChangeSet.EntityChanges(entity: entity)
    if let index = index(inserted.count, { inserted[$0] }, of: row) {
      result.inserted = [row]
      result.insertedKeys = key(index, in: insertedKeys)
    }
    if let index = index(updated.count, { updated[$0].row }, of: row) {
      result.updated = [updated[index]]
      result.updatedKeys = key(index, in: updatedKeys)
    }
    if let index = index(deleted.count, { deleted[$0] }, of: row) {
      result.deleted = [row]
      result.deletedKeys = key(index, in: deletedKeys)
    }
    return result
  }

  /// The place of a row among rows that ascend.
  private func index(_ count: Int, _ rowAt: (Int) -> Int64, of row: Int64) -> Int? {
    let place = firstPlace(among: count) { rowAt($0) < row }
    return place < count && rowAt(place) == row ? place : nil
  }

  private func key(_ index: Int, in keys: ChangeKeys) -> ChangeKeys {
    keys.indices.contains(index) ? [keys[index]] : []
  }
}
