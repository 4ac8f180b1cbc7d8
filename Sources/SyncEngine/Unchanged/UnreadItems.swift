import SyncCore

/// The effects of items that were not read: on the report, on the claims, so that none of their
/// objects is deleted, and on the counts of unchanged objects. Confined to its sync.
struct UnreadItems {
  private let fingerprints: FingerprintSet
  private let model: ManagedObjectModel
  /// The table of each entity, by the index of its root.
  private let tables: [Int]

  /// The matched records, those of one shape one behind the other, and where those of each begin.
  private let matched: PlainArray<Int32>
  private let starts: [Int]

  init(_ fingerprints: FingerprintSet, _ model: ManagedObjectModel) {
    self.fingerprints = fingerprints
    self.model = model
    tables = model.entities.map(\.rootIndex)
    let records = fingerprints.records
    var starts = Array(repeating: 0, count: fingerprints.head.shapes.count + 1)
    fingerprints.forEachMatched { starts[records.shape(of: $0) + 1] += 1 }
    for shape in fingerprints.head.shapes.indices { starts[shape + 1] += starts[shape] }
    let matched = PlainArray<Int32>(repeating: 0, count: fingerprints.matchedCount)
    var places = starts
    fingerprints.forEachMatched { record in
      let shape = records.shape(of: record)
      matched[places[shape]] = Int32(truncatingIfNeeded: record)
      places[shape] += 1
    }
    self.starts = starts
    self.matched = matched
  }

  /// The shapes that any of them has, and their records.
  private var shapes: [(shape: FingerprintShape, records: Range<Int>)] {
    fingerprints.head.shapes.indices.compactMap { shape in
      let records = starts[shape]..<starts[shape + 1]
      return records.isEmpty ? nil : (fingerprints.head.shapes[shape], records)
    }
  }

  // MARK: - Telling

  /// Tells the report the attributes that their keys filled.
  func replay(to stager: Stager) {
    for (shape, records) in shapes { stager.replay(shape.usage, count: records.count) }
  }

  /// Tells the claims their objects.
  func mention(to claims: Claims) {
    let shapes = shapes
    for (shape, records) in shapes {
      claims.state.memberCount += records.count * shape.memberCount
      claims.state.usableItemCount += records.count
    }
    for table in Set(shapes.flatMap { $0.shape.entries.map { tables[$0.entity] } }) {
      claims.update(.mentioned(table)) { rows in
        for (shape, records) in shapes {
          for (position, entry) in shape.entries.enumerated() where tables[entry.entity] == table {
            _ = insert(records, position, into: &rows)
          }
        }
      }
    }
  }

  /// Tells the claims which of their objects are nested in which lists, for the parts that follow:
  /// a member that one of those nests below another owner stays.
  func list(in claims: Claims) {
    for (shape, records) in shapes {
      for (position, entry) in shape.entries.enumerated() {
        guard let list = entry.list else { continue }
        claims.update(.listed(list)) { _ = insert(records, position, into: &$0) }
      }
    }
  }

  /// Counts their objects as unchanged.
  func mention(to count: inout ChangeCount) {
    for (shape, records) in shapes {
      for (position, entry) in shape.entries.enumerated() where entry.isDescribed {
        let entity = EntityDescription(model: model, index: entry.entity)
        let new = insert(
          records, position, into: &count.mentioned[tables[entry.entity], default: RowSet()])
        if new > 0 { count.report[entity].unchanged += new }
      }
    }
  }

  /// Adds the rows that stand in one place of some records.
  ///
  /// - Returns: How many were not there.
  private func insert(_ range: Range<Int>, _ position: Int, into rows: inout RowSet) -> Int {
    // Where they lie: asked for each row, they would be looked up as often.
    let (words, starts) = (fingerprints.records.rows(position), fingerprints.records.starts.start)
    let matched = matched.start + range.lowerBound
    var new = 0
    rows.insert(range.count) {
      Int64(words[starts[Int(matched[$0])]])
    } onNew: { _ in
      new += 1
    }
    return new
  }
}

extension FingerprintSet {
  /// Adds the objects at the top of records.
  func appendObjects(
    of records: Range<Int>, _ model: ManagedObjectModel, to objects: inout ObjectList
  ) {
    for record in records {
      let entity = head.shapes[self.records.shape(of: record)].entries[0].entity
      objects.append(
        self.records.row(0, of: record), EntityDescription(model: model, index: entity))
    }
  }
}

@available(*, unavailable, message: "Items that were not read are confined to their sync.")
extension UnreadItems: Sendable {}
