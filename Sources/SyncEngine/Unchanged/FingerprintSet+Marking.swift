import SyncCore

/// What does not count any more.
extension FingerprintSet {
  /// Changes the state of records that have to do with changed rows.
  ///
  /// - Parameters:
  ///   - states: the states that are looked at.
  ///   - any: rows, by table, that concern whoever holds them.
  ///   - strongly: rows that concern whoever refers to them as well.
  /// - Returns: whether there were any.
  @discardableResult
  func mark(
    _ marked: State, from states: [State], any: [Int: RowSet], strongly: [Int: RowSet],
    model: ManagedObjectModel
  ) -> Bool {
    guard
      any.values.contains(where: { !$0.isEmpty })
        || strongly.values.contains(where: { !$0.isEmpty })
    else { return false }
    // Of each shape, the rows to look up, and in what: mostly few of many, since most are only referred to.
    let sets = shapes.map { shape in
      shape.entries.enumerated().compactMap { position, entry -> (position: Int, rows: RowSet)? in
        let table = EntityDescription(model: model, index: entry.entity).rootIndex
        guard let rows = entry.isHeld ? any[table] : strongly[table], !rows.isEmpty else {
          return nil
        }
        return (position, rows)
      }
    }
    var found = false
    let looked = states.reduce(0 as UInt8) { $0 | 1 << $1.rawValue }
    for record in self.states.indices where looked & 1 << self.states[record].rawValue != 0 {
      let shape = Int(records[record].shape)
      let rows = rows(of: record)
      // Asked in place: to take a set out would count who holds it, as often as there are rows.
      for look in sets[shape].indices
      where sets[shape][look].rows.contains(Int64(rows[sets[shape][look].position])) {
        if self.states[record] == .matched { matchedCount -= 1 }
        self.states[record] = marked
        found = true
        break
      }
    }
    return found
  }
}
