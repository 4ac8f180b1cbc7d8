/// Row numbers of changed objects.
///
/// A collection of `Int64`. Numbers that follow each other, as those of inserted objects do, take
/// no memory of their own.
package struct ChangeRows: Sendable {
  /// All numbers, as long as each is one more than the one before.
  private var run: Range<Int64> = 0..<0
  /// All numbers, from the first one on that is not.
  private var list: [Int64] = []

  package init() {}

  /// Adds the number of the next object.
  ///
  /// - Complexity: O(1), amortised; once O(*n*) at the first number that does not follow.
  package mutating func append(_ row: Int64) {
    if list.isEmpty {
      if run.isEmpty {
        run = row..<row + 1
        return
      }
      if row == run.upperBound {
        run = run.lowerBound..<row + 1
        return
      }
      list.reserveCapacity(run.count + 1)
      list.append(contentsOf: run)
      run = 0..<0
    }
    list.append(row)
  }

  /// Whether each number is larger than the one before.
  package var isAscending: Bool {
    list.withUnsafeBufferPointer { list in
      list.indices.dropFirst().allSatisfy { list[$0 - 1] < list[$0] }
    }
  }

  /// All numbers as an array.
  package var numbers: [Int64] { list.isEmpty ? Array(run) : list }

  /// Puts the numbers into another order. Here and not in a module above, where each number would
  /// go through a dozen calls: 0.1 s for 300,000 of them, in which a cancelled sync would not end.
  ///
  /// - Parameter order: The present place of each.
  package mutating func reorder(_ order: [Int32]) {
    var result = ChangeRows()
    for index in order { result.append(self[Int(index)]) }
    self = result
  }
}

extension ChangeRows: RandomAccessCollection {
  package var startIndex: Int { 0 }

  package var endIndex: Int { list.isEmpty ? run.count : list.count }

  package subscript(index: Int) -> Int64 {
    if list.isEmpty {
      require(index >= 0 && index < run.count, "There is no row number \(index).")
      return run.lowerBound + Int64(index)
    }
    return list[index]
  }
}

extension ChangeRows: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: Int64...) {
    self.init(elements)
  }

  package init(_ rows: some Sequence<Int64>) {
    for row in rows { append(row) }
  }
}

extension ChangeRows: Hashable, CustomStringConvertible {
  package static func == (left: ChangeRows, right: ChangeRows) -> Bool {
    left.elementsEqual(right)
  }

  package func hash(into hasher: inout Hasher) {
    for row in self { hasher.combine(row) }
  }

  package var description: String { Array(self).description }
}
