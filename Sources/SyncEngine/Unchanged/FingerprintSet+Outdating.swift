import SyncCore

/// Records that do not count any more: their items are read.
extension FingerprintSet {
  /// Has nothing count any more, so that everything is read.
  func outdateAll() {
    guard count > 0 else { return }
    for record in states.indices where states[record] != .absent { states[record] = .outdated }
    matchedCount = 0
  }

  /// Has no matched record count any more, so that all of the part is read.
  func outdateMatched() {
    guard count > 0 else { return }
    forEachMatched { states[$0] = .outdated }
    matchedCount = 0
  }

  /// Has those matched records not count any more whose items hold some rows.
  ///
  /// - Parameter rows: By the root entity of their table.
  /// - Returns: Whether there were any.
  func outdateMatched(any rows: [RowSet], model: ManagedObjectModel) -> Bool {
    guard matchedCount > 0, let looks = Looks(rows, [], head.shapes, model) else { return false }
    let before = matchedCount
    forEachMatched { record in
      guard looks.find(record, in: records) else { return }
      states[record] = .outdated
      matchedCount -= 1
    }
    return matchedCount < before
  }

  /// Has those records not count any more that have to do with some rows.
  ///
  /// - Parameters:
  ///   - any: Rows, by the root entity of their table, that concern the items that hold them.
  ///   - strongly: Rows that concern the items that refer to them as well.
  /// - Returns: Whether there were matched ones among them.
  @discardableResult
  func outdate(any: [RowSet], strongly: [RowSet] = [], model: ManagedObjectModel) -> Bool {
    guard let looks = Looks(any, strongly, head.shapes, model) else { return false }
    let before = matchedCount
    for record in states.indices where states[record] == .unseen || states[record] == .matched {
      guard looks.find(record, in: records) else { continue }
      if states[record] == .matched { matchedCount -= 1 }
      states[record] = .outdated
    }
    return matchedCount < before
  }

  /// Takes all new records back, so that their items are read next time.
  func withdrawAll() {
    for record in count..<records.count { records.setShape(nil, of: record) }
  }

  /// Takes back those new records whose items hold some rows, so that the items are read next time.
  ///
  /// - Parameter rows: By the root entity of their table.
  func withdraw(_ rows: [RowSet], model: ManagedObjectModel) {
    guard let looks = Looks(rows, [], head.shapes, model) else { return }
    for record in count..<records.count where !records.isGone(record) {
      if looks.find(record, in: records) { records.setShape(nil, of: record) }
    }
  }

  /// Rows that are looked for in records.
  private struct Looks {
    /// Of each shape the rows to look for, and their places: mostly few of many, since most rows
    /// are only referred to.
    private let sets: [[(position: Int, rows: RowSet)]]

    /// - Returns: Nil when there are no rows.
    init?(
      _ any: [RowSet], _ strongly: [RowSet], _ shapes: [FingerprintShape],
      _ model: ManagedObjectModel
    ) {
      guard any.contains(where: { !$0.isEmpty }) || strongly.contains(where: { !$0.isEmpty }) else {
        return nil
      }
      sets = shapes.map { shape in
        shape.entries.enumerated().compactMap { position, entry in
          let table = EntityDescription(model: model, index: entry.entity).rootIndex
          let sets = entry.isHeld ? any : strongly
          return table < sets.count && !sets[table].isEmpty ? (position, sets[table]) : nil
        }
      }
    }

    /// Whether a record has one of the rows.
    @inline(__always)
    func find(_ record: Int, in records: FingerprintRecords) -> Bool {
      let shape = records.shape(of: record)
      // Asked in place: to take a set out would count its references, as often as there are rows.
      for look in sets[shape].indices
      where sets[shape][look].rows.contains(records.row(sets[shape][look].position, of: record)) {
        return true
      }
      return false
    }
  }
}
