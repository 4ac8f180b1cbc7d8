/// The numbers that rows of a table can have.
///
/// A store gives them out from 1 on and never again. A file may hold others, when another program
/// wrote to it or its disk failed: whoever reads one says so, and nobody calculates with it.
@usableFromInline
package enum RowNumber {
  /// The largest number that is given out: 68,719,476,736. Enough for a million new objects a
  /// second over nineteen hours, and small enough that a ``RowSet`` of one such row takes 16 MB.
  @inlinable package static var limit: Int64 { 1 << 36 }

  /// Whether a row can have the number.
  @inlinable @inline(__always)
  package static func isValid(_ row: Int64) -> Bool {
    UInt64(bitPattern: row &- 1) < UInt64(bitPattern: limit)
  }
}
