import SyncCore

extension KeyIndex {
  static func hash(_ cell: Cell) -> UInt32 {
    UInt32(truncatingIfNeeded: wideHash(cell))
  }

  /// Multiply-and-fold over the number, or over the text eight bytes at a time.
  static func wideHash(_ cell: Cell) -> UInt64 {
    let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
    switch cell.kind {
    case .text, .blob:
      let bytes = cell.bytes
      var state = UInt64(bytes.count) &* factor
      var offset = 0
      while offset + 8 <= bytes.count {
        state = (state ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* factor
        state ^= state >> 29
        offset += 8
      }
      while offset < bytes.count {
        state = (state ^ UInt64(bytes[offset])) &* factor
        offset += 1
      }
      return state ^ (state >> 32)
    default:
      let product = cell.word &* factor
      return product ^ (product >> 32)
    }
  }
}
