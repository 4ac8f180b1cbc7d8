/// Values that are sorted by a number.
protocol RadixKeyed {
  var key: Int64 { get }
}

/// A key, and the row that has it.
struct KeyedRow: RadixKeyed {
  var key: Int64
  var row: UInt32
}

enum RadixSort {
  private static let bits: UInt64 = 11
  private static let mask: UInt64 = 1 << bits - 1

  /// Least significant digit first, eleven bits at a time, as many times as the distance between
  /// the smallest and the largest key needs.
  static func sort<Row: RadixKeyed>(_ rows: inout [Row]) {
    guard let first = rows.first?.key else { return }
    let bounds = rows.reduce(into: (first, first)) { bounds, row in
      bounds = (min(bounds.0, row.key), max(bounds.1, row.key))
    }
    let distance = UInt64(bitPattern: bounds.1 &- bounds.0)
    var other = rows
    var shift: UInt64 = 0
    while shift < 64, distance >> shift > 0 {
      if pass(rows, &other, smallest: bounds.0, shift) { swap(&rows, &other) }
      shift += bits
    }
  }

  /// Distributes by one digit.
  ///
  /// - Returns: False when all have the same digit and nothing was written.
  private static func pass<Row: RadixKeyed>(
    _ rows: [Row], _ result: inout [Row], smallest: Int64, _ shift: UInt64
  ) -> Bool {
    @inline(__always) func digit(_ row: Row) -> Int {
      Int(truncatingIfNeeded: UInt64(bitPattern: row.key &- smallest) >> shift & mask)
    }
    return withUnsafeTemporaryAllocation(of: Int.self, capacity: Int(mask) + 1) { starts in
      starts.initialize(repeating: 0)
      for row in rows { starts[digit(row)] += 1 }
      if let first = rows.first, starts[digit(first)] == rows.count { return false }
      var start = 0
      for index in starts.indices { (starts[index], start) = (start, start + starts[index]) }
      result.withUnsafeMutableBufferPointer { result in
        for row in rows {
          let place = digit(row)
          result[starts[place]] = row
          starts[place] += 1
        }
      }
      return true
    }
  }
}
