import SyncCore

extension FingerprintSet {
  /// Adds the objects at the top of records.
  func appendObjects(
    of records: Range<Int>, _ model: ManagedObjectModel, to objects: inout ObjectList
  ) {
    var first = records.lowerBound
    while first < records.upperBound {
      let shape = self.records.shape(of: first)
      // Most items have the form of the one before.
      let end = (first..<records.upperBound).first { self.records.shape(of: $0) != shape }
      let alike = first..<(end ?? records.upperBound)
      let entity = EntityDescription(model: model, index: shapes[shape].entries[0].entity)
      objects.append(alike.count, of: entity) {
        Int64(self.records.rows(of: alike.lowerBound + $0)[0])
      }
      first = alike.upperBound
    }
  }

  /// How many matched records have each shape.
  func shapeCounts() -> [Int] {
    var counts = Array(repeating: 0, count: shapes.count)
    for record in 0..<count where isMatched(record) { counts[records.shape(of: record)] += 1 }
    return counts
  }

  /// Tells the report what matched items would have told it, had they been read.
  func replay(to stager: Stager) {
    for (shape, count) in zip(shapes, shapeCounts()) where count > 0 {
      stager.replay(shape.usage, count: count)
    }
  }
}

/// The rows of items that were not read, collected once for all who have to know of them.
///
/// ```
/// rows    those described, entity after entity │ those only referred to, entity after entity
/// starts  where each of these lists begins, and the end
/// ```
///
/// Confined to its sync.
final class UnreadRows {
  private let rows: UnsafeMutableBufferPointer<UInt32>
  private let starts: [Int]

  /// The table of each entity.
  private let tables: [Int]

  var tableIndexes: Set<Int> { Set(tables) }

  /// The shapes of the items, and how many have each.
  let shapes: [(shape: FingerprintShape, count: Int)]

  /// Collects the rows of all matched records.
  init(_ set: FingerprintSet, model: ManagedObjectModel) {
    let tables = model.entities.map(\.rootIndex)
    let lists = set.shapes.map { shape in
      shape.entries.map { $0.entity + ($0.isDescribed ? 0 : tables.count) }
    }
    let counts = set.shapeCounts()
    var lengths = Array(repeating: 0, count: tables.count * 2)
    for (lists, count) in zip(lists, counts) { for list in lists { lengths[list] += count } }
    var starts = [0]
    for length in lengths { starts.append(starts[starts.count - 1] + length) }
    // Every place is filled below: the lists are as long as there are rows for them.
    let rows = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: starts[lengths.count])
    var ends = starts
    ends.withUnsafeMutableBufferPointer { ends in
      for record in 0..<set.count where set.isMatched(record) {
        let shape = set.records.shape(of: record)
        for (position, row) in set.records.rows(of: record).enumerated() {
          let list = lists[shape][position]
          rows.initializeElement(at: ends[list], to: row)
          ends[list] += 1
        }
      }
    }
    self.tables = tables
    self.starts = starts
    self.rows = rows
    shapes = zip(set.shapes, counts).compactMap { $1 > 0 ? ($0, $1) : nil }
  }

  deinit {
    rows.deallocate()
  }

  private func list(_ number: Int) -> UnsafeBufferPointer<UInt32> {
    UnsafeBufferPointer(rebasing: rows[starts[number]..<starts[number + 1]])
  }

  /// Adds the rows to sets by table.
  ///
  /// - Returns: How many of the described rows were not there, for each entity.
  func insert(into sets: inout [Int: RowSet], describedOnly: Bool) -> [Int] {
    tables.enumerated().map { entity, table in
      let referred = list(tables.count + entity)
      if !describedOnly, !referred.isEmpty {
        _ = sets[table, default: RowSet()].insert(contentsOf: referred)
      }
      let described = list(entity)
      return described.isEmpty
        ? 0 : sets[table, default: RowSet()].insert(contentsOf: described)
    }
  }
}

/// What items that were not read say all the same: to the claims, so that nothing of theirs is deleted, and to the report.
extension UnreadRows {
  /// Tells the claims what the items mention.
  func mention(to claims: Claims) {
    for (shape, count) in shapes {
      claims.state.memberCount += count * shape.memberCount
      claims.state.usableItemCount += count
    }
    var mentioned: [Int: RowSet] = [:]
    for table in tableIndexes {
      mentioned[table] = claims.new.sets.removeValue(forKey: .mentioned(table))
    }
    _ = insert(into: &mentioned, describedOnly: false)
    for (table, rows) in mentioned { claims.new.sets[.mentioned(table)] = rows }
  }

  /// Counts the items' objects as unchanged.
  func mention(to count: inout ChangeCount, _ model: ManagedObjectModel) {
    let counts = insert(into: &count.mentioned, describedOnly: true)
    for (index, unchanged) in counts.enumerated() where unchanged > 0 {
      count.report[EntityDescription(model: model, index: index)].unchanged += unchanged
    }
  }
}
