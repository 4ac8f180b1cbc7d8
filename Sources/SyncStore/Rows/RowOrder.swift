/// Orders row numbers by radix sort: three hundred thousand in a few milliseconds, where sorting an
/// index list by comparisons takes sixty, in which a cancelled sync would not end.
package enum RowOrder {
  /// Indexes of the rows, ascending by row number; equal ones keep their order.
  ///
  /// There may be as many as objects, so the indexes take half a word.
  ///
  /// - Parameter rows: Numbers that are not negative.
  /// - Complexity: O(*n*), once for every eleven bits of the largest number.
  package static func ascending(_ rows: [Int64]) -> [Int32] {
    var bits: Int64 = 0
    for row in rows { bits |= row }
    var order = rows.indices.map { Int32($0) }
    var next = order
    var shift = 0
    while shift < Int64.bitWidth - 1, bits >> shift != 0 {
      var starts = [Int](repeating: 0, count: RowOrder.buckets)
      for row in rows { starts[digit(row, shift)] += 1 }
      var start = 0
      for bucket in starts.indices {
        let count = starts[bucket]
        starts[bucket] = start
        start += count
      }
      for index in order {
        let bucket = digit(rows[Int(index)], shift)
        next[starts[bucket]] = index
        starts[bucket] += 1
      }
      swap(&order, &next)
      shift += RowOrder.digitBits
    }
    return order
  }

  private static let digitBits = 11
  private static let buckets = 1 << digitBits

  private static func digit(_ row: Int64, _ shift: Int) -> Int {
    Int(row >> shift) & (buckets - 1)
  }
}
