/// A set of row numbers: one bit a row. Row numbers are dense, so a million objects are 125 kB.
struct RowSet: Codable {
  private var words: [UInt64] = []

  func contains(_ row: Int64) -> Bool {
    let index = Int(row >> 6)
    return index < words.count && words[index] & (1 << UInt64(row & 63)) != 0
  }

  mutating func insert(_ row: Int64) {
    let index = Int(row >> 6)
    if index >= words.count {
      words.append(contentsOf: repeatElement(0, count: index + 1 - words.count))
    }
    words[index] |= 1 << UInt64(row & 63)
  }
}
