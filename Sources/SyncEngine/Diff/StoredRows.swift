import SyncCore

/// The stored rows that take part in a sync, as far as linking needs them: number, entity and
/// destinations of the to-one columns. Attribute values are compared while the rows are read and not
/// kept.
struct StoredRows {
  private(set) var rows: [Int64] = []

  /// The occurrence that turned out to be the row's object, or -1.
  var occurrences: [Int32] = []

  /// Entity index of each row; empty when the entity has no subentities.
  private(set) var entities: [Int16] = []

  /// Destination rows of each to-one column, 0 for none; in the order of the node's to-one slots.
  private(set) var references: [[Int64]]

  private var indexByRow: [Int64: Int32] = [:]
  private var indexedCount = 0

  init(referenceCount: Int) {
    references = Array(repeating: [], count: referenceCount)
  }

  var count: Int { rows.count }

  @inline(__always)
  mutating func append(row: Int64, entity: Int?, reference: (Int) -> Int64) -> Int32 {
    rows.append(row)
    occurrences.append(-1)
    if let entity { entities.append(Int16(entity)) }
    for index in references.indices { references[index].append(reference(index)) }
    return Int32(rows.count - 1)
  }

  /// Index of the stored row of that number, or nil when it was not read.
  ///
  /// - Complexity: O(1) expected; the first call after rows were added indexes those.
  mutating func index(ofRow row: Int64) -> Int32? {
    while indexedCount < rows.count {
      indexByRow[rows[indexedCount]] = Int32(indexedCount)
      indexedCount += 1
    }
    return indexByRow[row]
  }
}
