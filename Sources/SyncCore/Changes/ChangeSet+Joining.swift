/// Several change sets as one: the result of commits that follow each other.
extension ChangeSet {
  /// The sum of the commits of one store, in their order; everything about the commit itself is the
  /// last one's.
  ///
  /// - Complexity: O(*n* log *k*) for *n* changes in *k* sets.
  package static func joining(_ sets: [ChangeSet]) -> ChangeSet {
    guard sets.count > 1 else { return sets.first ?? ChangeSet() }
    let middle = sets.count / 2
    return joining(Array(sets[..<middle])).followed(by: joining(Array(sets[middle...])))
  }

  private func followed(by later: ChangeSet) -> ChangeSet {
    var result = later
    result.isUnknown = isUnknown || later.isUnknown
    let theirs = Dictionary(later.entities.map { ($0.entity.index, $0) }) { first, _ in first }
    let ours = Set(entities.map(\.entity.index))
    result.entities =
      entities.map { mine in theirs[mine.entity.index].map(mine.followed) ?? mine }
      + later.entities.filter { !ours.contains($0.entity.index) }
    result.entities.removeAll(where: \.isEmpty)
    result.entities = result.entities.sorted(on: \.entity.index)
    return result
  }
}

extension ChangeSet.EntityChanges {
  /// An object inserted and then updated was inserted; inserted and then deleted it never was.
  fileprivate func followed(by later: ChangeSet.EntityChanges) -> ChangeSet.EntityChanges {
    var result = ChangeSet.EntityChanges(entity: entity)
    let gone = RowSet(later.deleted)
    let made = RowSet(inserted)
    let renamed = Dictionary(
      zip(later.updated.lazy.map(\.row), later.updatedKeys).filter { made.contains($0.0) }
    ) { first, _ in first }
    for (row, key) in pairs(inserted, insertedKeys) where !gone.contains(row) {
      result.inserted.append(row)
      append(renamed[row] ?? key, to: &result.insertedKeys)
    }
    for (row, key) in later.pairs(later.inserted, later.insertedKeys) {
      result.inserted.append(row)
      append(key, to: &result.insertedKeys)
    }
    join(
      pairs(updated.map(\.row), updatedKeys).filter { !gone.contains($0.0) },
      later.pairs(later.updated.map(\.row), later.updatedKeys).filter { !made.contains($0.0) }
    ) { row, key in
      append(key, to: &result.updatedKeys)
      var slots = slots(of: row)
      slots.formUnion(later.slots(of: row))
      result.updated.append((row, slots))
    }
    join(
      pairs(deleted, deletedKeys),
      later.pairs(later.deleted, later.deletedKeys).filter { !made.contains($0.0) }
    ) { row, key in
      result.deleted.append(row)
      append(key, to: &result.deletedKeys)
    }
    return result
  }

  /// Rows with their keys; without keys where the entity has none.
  private func pairs(_ rows: some Collection<Int64>, _ keys: ChangeKeys) -> [(Int64, Value?)] {
    keys.isEmpty ? rows.map { ($0, nil) } : zip(rows, keys).map { ($0, $1) }
  }

  private func append(_ key: Value?, to keys: inout ChangeKeys) {
    if let key { keys.append(key) }
  }

  /// Goes through two ascending lists at once; of a row in both the later key counts.
  private func join(
    _ first: [(Int64, Value?)], _ second: [(Int64, Value?)], _ body: (Int64, Value?) -> Void
  ) {
    var (left, right) = (first[...], second[...])
    while !left.isEmpty || !right.isEmpty {
      let next = min(left.first?.0 ?? .max, right.first?.0 ?? .max)
      let old = left.first?.0 == next ? left.popFirst()?.1 : nil
      let new = right.first?.0 == next ? right.popFirst()?.1 : nil
      body(next, new ?? old)
    }
  }

  /// The changed slots of a row; empty when it was not updated.
  func slots(of row: Int64) -> SlotSet {
    let place = firstPlace(among: updated.count) { updated[$0].row < row }
    return place < updated.count && updated[place].row == row ? updated[place].slots : SlotSet()
  }
}
