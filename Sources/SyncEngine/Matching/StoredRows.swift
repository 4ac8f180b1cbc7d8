import SyncCore
import SyncStore

/// The stored rows that take part in a sync, as far as linking needs them: number, entity and
/// destinations of the to-one columns. Attribute values are compared while the rows are read and
/// not kept. Confined to the sync that owns it.
final class StoredRows {
  let rows = PlainArray<Int64>()

  /// The occurrence that turned out to be the row's object, or -1.
  let occurrences = PlainArray<Int32>()

  /// Entity index of each row; empty when the entity has no subentities.
  let entities = PlainArray<Int16>()

  /// Destination rows of each to-one column, 0 for none; in the order of the node's to-one slots.
  let references: [PlainArray<Int64>]

  /// The row of a given parent, of which nothing is known yet but its number.
  var placeholder: Int32?

  /// Whether the whole table was read, so that nothing has to be looked up.
  var isComplete = false

  /// Whether each row's number is larger than the one before, as after one scan.
  var isAscending = true
  private var indexByRow: [Int64: Int32] = [:]
  private var indexedCount = 0

  init(referenceCount: Int) {
    references = (0..<referenceCount).map { _ in PlainArray() }
  }

  var count: Int { rows.count }

  /// Sets memory aside for so many rows.
  func reserve(_ count: Int) {
    rows.reserve(count)
    occurrences.reserve(count)
    for column in references { column.reserve(count) }
  }

  @inline(__always)
  func append(row: Int64, entity: Int?, reference: (Int) -> Int64) -> Int32 {
    if let last = rows.last, last >= row { isAscending = false }
    rows.append(row)
    occurrences.append(-1)
    if let entity { entities.append(Int16(entity)) }
    for index in references.indices { references[index].append(reference(index)) }
    return Int32(rows.count - 1)
  }

  /// Fills in the references of a row that was known by its number only.
  func setReferences(of index: Int32, reference: (Int) -> Int64) {
    for column in references.indices { references[column][index] = reference(column) }
  }

  /// Index of the stored row of that number, or nil when it was not read.
  ///
  /// - Complexity: O(log *n*) while rows came in order; else O(1) expected, and the first call
  ///   after rows were added indexes those.
  func index(ofRow row: Int64) -> Int32? {
    if isAscending { return sortedIndex(ofRow: row) }
    while indexedCount < rows.count {
      indexByRow[rows[indexedCount]] = Int32(indexedCount)
      indexedCount += 1
    }
    return indexByRow[row]
  }

  private func sortedIndex(ofRow row: Int64) -> Int32? {
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if rows[middle] < row { low = middle + 1 } else { high = middle }
    }
    return low < rows.count && rows[low] == row ? Int32(low) : nil
  }
}

@available(*, unavailable, message: "Stored rows are confined to the sync that reads them.")
extension StoredRows: Sendable {}

/// Which stored rows the keys mean that the payload only refers to, by the number of the reference.
struct ReferencedRows {
  /// Index of each reference's stored row, or -1; of several the oldest.
  private(set) var first: [Int32] = []
  /// All stored rows of a reference's key where there are several.
  private(set) var duplicates: [Int32: [Int32]] = [:]

  init(count: Int = 0) {
    first = Array(repeating: -1, count: count)
  }

  /// Notes a stored row that has the key of a reference.
  mutating func note(_ index: Int32, for reference: Int32, among rows: PlainArray<Int64>) {
    let known = first[Int(reference)]
    guard known >= 0 else {
      first[Int(reference)] = index
      return
    }
    duplicates[reference, default: [known]].append(index)
    if rows[index] < rows[known] { first[Int(reference)] = index }
  }
}
