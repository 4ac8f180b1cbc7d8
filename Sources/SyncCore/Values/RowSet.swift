/// A set of row numbers: one bit a row, in pages of 32,768 that are made when they are first
/// needed.
///
/// ```
/// pages   │ 0 │ 1 │ 2 │ …      page: 512 words of 64 rows, or nothing
/// ```
///
/// Row numbers are dense, so a million objects are 125 kB, and one object of a large table is 4 kB.
/// A copy shares the pages that neither changes afterwards. A number beyond ``RowNumber/limit``, to
/// which only a reference in a damaged file may lead, never gets in.
@usableFromInline
package struct RowSet: Sendable {
  @usableFromInline var pages: [[UInt64]] = []
  private var madePages = 0

  @inlinable static var pageShift: Int64 { 15 }
  @inlinable static var wordsPerPage: Int { 512 }

  package init() {}

  package init(_ rows: some Sequence<Int64>) {
    for row in rows { insert(row) }
  }

  /// - Complexity: O(1).
  @inlinable
  package func contains(_ row: Int64) -> Bool {
    let page = Int(row >> RowSet.pageShift)
    guard row >= 0, page < pages.count, !pages[page].isEmpty else { return false }
    return pages[page][RowSet.word(row)] & (1 << UInt64(row & 63)) != 0
  }

  /// Adds a row number.
  ///
  /// - Returns: Whether it was not there before.
  /// - Complexity: O(1).
  @discardableResult
  package mutating func insert(_ row: Int64) -> Bool {
    guard UInt64(bitPattern: row) <= UInt64(bitPattern: RowNumber.limit) else { return false }
    let page = Int(row >> RowSet.pageShift)
    makePage(page)
    let bit: UInt64 = 1 << UInt64(row & 63)
    let word = RowSet.word(row)
    if pages[page][word] & bit != 0 { return false }
    pages[page][word] |= bit
    return true
  }

  /// Adds row numbers, a page at a time where they follow each other.
  ///
  /// - Parameters:
  ///   - row: The number at a position; a number that no row can have is passed over. The set
  ///     may not be changed meanwhile.
  ///   - onNew: Told about each position whose number was not there.
  /// - Complexity: O(`count`).
  @inlinable @inline(__always)
  package mutating func insert(
    _ count: Int, row: (Int) throws -> Int64, onNew: (Int) -> Void = { _ in }
  ) rethrows {
    var index = 0
    while index < count {
      let first = try row(index)
      guard RowNumber.isValid(first) else {
        index += 1
        continue
      }
      let page = first >> RowSet.pageShift
      makePage(Int(page))
      try pages[Int(page)].withUnsafeMutableBufferPointer { words in
        var next = first
        repeat {
          if RowNumber.isValid(next) {
            let bit: UInt64 = 1 << UInt64(next & 63)
            let word = RowSet.word(next)
            if words[word] & bit == 0 {
              words[word] |= bit
              onNew(index)
            }
          }
          index += 1
          if index == count { return }
          next = try row(index)
        } while !RowNumber.isValid(next) || next >> RowSet.pageShift == page
      }
    }
  }

  @usableFromInline mutating func makePage(_ page: Int) {
    if page >= pages.count {
      pages.append(contentsOf: repeatElement([], count: page + 1 - pages.count))
    }
    if pages[page].isEmpty {
      pages[page] = Array(repeating: 0, count: RowSet.wordsPerPage)
      madePages += 1
    }
  }

  /// Whether no row was ever added.
  package var isEmpty: Bool { pages.isEmpty }

  /// How many rows are in the set.
  ///
  /// - Complexity: O(*n*) in the largest row number, of which 64 are looked at together.
  package var count: Int {
    pages.reduce(0) { $0 + $1.reduce(0) { $0 + $1.nonzeroBitCount } }
  }

  @inlinable @inline(__always)
  static func word(_ row: Int64) -> Int { Int(row >> 6) & (wordsPerPage - 1) }

  /// Memory of the pages.
  package var byteCount: Int { madePages * RowSet.wordsPerPage * 8 }

  /// All rows, ascending.
  package var rows: [Int64] {
    var result: [Int64] = []
    result.reserveCapacity(count)
    forEachWord { first, word in
      var rest = word
      while rest != 0 {
        result.append(first + Int64(rest.trailingZeroBitCount))
        rest &= rest - 1
      }
    }
    return result
  }

  /// Shows the words that are not zero, each with the row of its lowest bit.
  @inline(__always)
  private func forEachWord(_ body: (_ first: Int64, _ word: UInt64) -> Void) {
    for (number, page) in pages.enumerated() where !page.isEmpty {
      page.withUnsafeBufferPointer { words in
        guard let words = words.baseAddress else { return }
        var index = 0
        while index < RowSet.wordsPerPage {
          if words[index] != 0 {
            body(Int64(number) << RowSet.pageShift + Int64(index) << 6, words[index])
          }
          index += 1
        }
      }
    }
  }
}

// MARK: - Pieces

extension RowSet {
  /// Words of a piece: 4,096 rows.
  package static let pieceWords = 64

  /// The numbers of pieces that rows can lie in.
  package static let pieces = 0...(RowNumber.limit / Int64(64 * pieceWords))

  /// Shows the pieces that are not empty, by their numbers.
  package func forEachPiece(_ body: (_ number: Int, _ words: ArraySlice<UInt64>) throws -> Void)
    rethrows
  {
    let pieces = RowSet.wordsPerPage / RowSet.pieceWords
    for (number, page) in pages.enumerated() where !page.isEmpty {
      for piece in 0..<pieces {
        let words = page[piece * RowSet.pieceWords..<(piece + 1) * RowSet.pieceWords]
        if words.contains(where: { $0 != 0 }) { try body(number * pieces + piece, words) }
      }
    }
  }

  /// The words of a piece.
  package func piece(_ number: Int) -> [UInt64] {
    let pieces = RowSet.wordsPerPage / RowSet.pieceWords
    guard number / pieces < pages.count, !pages[number / pieces].isEmpty else {
      return Array(repeating: 0, count: RowSet.pieceWords)
    }
    let first = number % pieces * RowSet.pieceWords
    return Array(pages[number / pieces][first..<first + RowSet.pieceWords])
  }

  /// Adds the rows of a piece, of which words at the end may be missing.
  package mutating func insert(piece number: Int, _ words: some Collection<UInt64>) {
    let pieces = RowSet.wordsPerPage / RowSet.pieceWords
    guard RowSet.pieces.contains(Int64(number)) else { return }
    makePage(number / pieces)
    let first = number % pieces * RowSet.pieceWords
    for (index, word) in zip(0..<RowSet.pieceWords, words) {
      pages[number / pieces][first + index] |= word
    }
  }

  /// Adds all rows of another set.
  ///
  /// - Complexity: O(*n*) in the pages of the other.
  package mutating func formUnion(_ other: RowSet) {
    guard !pages.isEmpty else {
      self = other
      return
    }
    for (number, page) in other.pages.enumerated() where !page.isEmpty {
      makePage(number)
      for index in page.indices where page[index] != 0 { pages[number][index] |= page[index] }
    }
  }
}

/// The numbers that rows of a table can have.
///
/// A store gives them out from 1 on and never again. A file may hold others, when another program
/// wrote to it or its disk failed: the reader of one reports it, and it enters no calculation.
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
