import Foundation

/// What came to a set since there was a copy of it.
extension RowSet {
  /// Rows that came to a set, 64 to a word.
  package struct Growth: Sendable {
    /// Numbers of words and their new bits, in turn.
    fileprivate var words: [UInt64] = []

    package var isEmpty: Bool { words.isEmpty }
  }

  /// The rows that an earlier copy does not have.
  ///
  /// - Complexity: O(*n*) in the rows of the pages that changed; the others are shared with the copy.
  package func growth(since earlier: RowSet) -> Growth {
    var growth = Growth()
    for (number, page) in pages.enumerated() where !page.isEmpty {
      let before = number < earlier.pages.count ? earlier.pages[number] : []
      guard !RowSet.areOne(page, before) else { continue }
      for (index, word) in page.enumerated() {
        let new = before.isEmpty ? word : word & ~before[index]
        guard new != 0 else { continue }
        growth.words.append(UInt64(number * RowSet.wordsPerPage + index))
        growth.words.append(new)
      }
    }
    return growth
  }

  /// Adds the rows that came to the set that this one is a copy of.
  package mutating func add(_ growth: Growth) {
    for index in stride(from: 0, to: growth.words.count, by: 2) {
      let word = Int(growth.words[index])
      let page = word / RowSet.wordsPerPage
      makePage(page)
      pages[page][word % RowSet.wordsPerPage] |= growth.words[index + 1]
    }
  }

  /// Whether two pages are the same memory, as they are until one of them changes.
  private static func areOne(_ page: [UInt64], _ other: [UInt64]) -> Bool {
    page.withUnsafeBufferPointer { page in
      other.withUnsafeBufferPointer { page.baseAddress == $0.baseAddress }
    }
  }
}

extension RowSet.Growth: Codable {
  /// Words of a set of row numbers: beyond, the bytes are not what was kept.
  private static let wordLimit: UInt64 = 1 << 32

  package init(from decoder: any Decoder) throws {
    let data = try KeptPieces.decode(from: decoder)
    words = data.withUnsafeBytes { bytes in
      (0..<bytes.count / 8).map {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
      }
    }
    let isWhole = words.count % 2 == 0
    let numbers = stride(from: 0, to: words.count, by: 2)
    guard isWhole, numbers.allSatisfy({ words[$0] < RowSet.Growth.wordLimit }) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "Row numbers are damaged."))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var data = Data(capacity: words.count * 8)
    for word in words {
      withUnsafeBytes(of: word.littleEndian) { data.append(contentsOf: $0) }
    }
    try KeptPieces.encode(data, to: encoder)
  }
}
