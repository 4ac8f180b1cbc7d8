/// A set of row numbers: one bit a row, in pages of 32,768 that are made when they are first needed.
///
/// ```
/// pages   │ 0 │ 1 │ 2 │ …      page: 512 words of 64 rows, or nothing
/// ```
///
/// Row numbers are dense, so a million objects are 125 kB, and one object of a large table is 4 kB. A
/// copy shares the pages that neither changes afterwards.
package struct RowSet: Codable, Sendable {
  private var pages: [[UInt64]] = []
  private var madePages = 0

  private static let pageShift = 15
  private static let wordsPerPage = 512

  package init() {}

  package init(_ rows: some Sequence<Int64>) {
    for row in rows { insert(row) }
  }

  /// - Complexity: O(1).
  package func contains(_ row: Int64) -> Bool {
    let page = Int(row >> RowSet.pageShift)
    guard row >= 0, page < pages.count, !pages[page].isEmpty else { return false }
    return pages[page][RowSet.word(row)] & (1 << UInt64(row & 63)) != 0
  }

  /// Adds a row number, which must not be negative.
  ///
  /// - Returns: Whether it was not there.
  /// - Complexity: O(1).
  @discardableResult
  package mutating func insert(_ row: Int64) -> Bool {
    let page = Int(row >> RowSet.pageShift)
    if page >= pages.count {
      pages.append(contentsOf: repeatElement([], count: page + 1 - pages.count))
    }
    if pages[page].isEmpty {
      pages[page] = Array(repeating: 0, count: RowSet.wordsPerPage)
      madePages += 1
    }
    let bit: UInt64 = 1 << UInt64(row & 63)
    let word = RowSet.word(row)
    if pages[page][word] & bit != 0 { return false }
    pages[page][word] |= bit
    return true
  }

  /// Whether no row was ever added.
  package var isEmpty: Bool { pages.isEmpty }

  /// How many rows are in the set.
  ///
  /// - Complexity: O(*n*) in the largest row number, of which 64 are looked at together.
  package var count: Int {
    pages.reduce(0) { $0 + $1.reduce(0) { $0 + $1.nonzeroBitCount } }
  }

  private static func word(_ row: Int64) -> Int { Int(row >> 6) & (wordsPerPage - 1) }

  /// Memory of the pages.
  package var byteCount: Int { madePages * RowSet.wordsPerPage * 8 }

  /// All rows, ascending.
  package var rows: [Int64] {
    var result: [Int64] = []
    result.reserveCapacity(pages.reduce(0) { $0 + $1.reduce(0) { $0 + $1.nonzeroBitCount } })
    for (number, page) in pages.enumerated() {
      for (index, word) in page.enumerated() {
        var rest = word
        while rest != 0 {
          let bit = rest.trailingZeroBitCount
          result.append(Int64(number << RowSet.pageShift + index << 6 + bit))
          rest &= rest - 1
        }
      }
    }
    return result
  }
}
