/// Finds the end of a value without looking at more than strings and brackets.
enum JSONSkipping {
  /// Offset of the first byte behind the value that begins at an offset; nil when the text ends
  /// before it does.
  ///
  /// - Complexity: O(*n*).
  static func endOfValue(_ bytes: UnsafeRawBufferPointer, from offset: Int) -> Int? {
    guard let start = bytes.baseAddress, offset < bytes.count else { return nil }
    let base = start.assumingMemoryBound(to: UInt8.self)
    let end = base + bytes.count
    let cursor = base + offset
    switch cursor.pointee {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      return endOfContainer(cursor, end).map { $0 - base }
    case UInt8(ascii: "\""):
      return endOfString(cursor + 1, end).map { $0 - base }
    default:
      return endOfScalar(cursor, end) - base
    }
  }

  private static func endOfContainer(
    _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8>? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var cursor = start
    var depth = 0
    while cursor < end {
      while end - cursor >= 8 {
        let word = JSONText.load(cursor)
        let quotes = word ^ (ones &* 0x22)
        // With these bits set all four brackets are 0x7F. So are “Y”, “_” and “y”, which do not
        // stand outside of strings, and are passed over below if they do.
        let brackets = (word | ones &* 0x26) ^ (ones &* 0x7F)
        let found =
          ((quotes &- ones) & ~quotes | (brackets &- ones) & ~brackets) & 0x8080_8080_8080_8080
        if found != 0 {
          cursor += found.trailingZeroBitCount >> 3
          break
        }
        cursor += 8
      }
      if cursor == end { return nil }
      switch cursor.pointee {
      case UInt8(ascii: "\""):
        guard let behind = endOfString(cursor + 1, end) else { return nil }
        cursor = behind
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return cursor + 1 }
      default:
        break
      }
      cursor += 1
    }
    return nil
  }

  @inline(__always)
  private static func endOfString(
    _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8>? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var cursor = start
    while true {
      while end - cursor >= 8 {
        let word = JSONText.load(cursor)
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        let found =
          ((quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes)
          & 0x8080_8080_8080_8080
        if found != 0 {
          cursor += found.trailingZeroBitCount >> 3
          break
        }
        cursor += 8
      }
      guard cursor < end else { return nil }
      switch cursor.pointee {
      case UInt8(ascii: "\""):
        return cursor + 1
      case UInt8(ascii: "\\"):
        guard end - cursor >= 2 else { return nil }
        cursor += 2
      default:
        cursor += 1
      }
    }
  }

  /// A number or literal ends before the first byte that cannot be part of one.
  private static func endOfScalar(
    _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8> {
    var cursor = start + 1
    while cursor < end {
      switch cursor.pointee {
      case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"):
        return cursor
      default:
        cursor += 1
      }
    }
    return cursor
  }
}
