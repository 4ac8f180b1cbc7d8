/// 128 bits that stand for some bytes: bytes with the same fingerprint are the same, as far as
/// chance is concerned. Bytes that are made to fit a fingerprint are not told apart, which is why
/// there is a seed that stays inside the program.
///
/// Two chains of full-width multiplications, each over all bytes, 16 at a time; they wait for each
/// other only at the end. About 9 GB/s.
package struct ContentFingerprint: Hashable, BitwiseCopyable, Sendable {
  package var low: UInt64
  package var high: UInt64

  package init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// - Complexity: O(*n*).
  package init(_ bytes: UnsafeRawBufferPointer, seed: UInt64) {
    let keys = ContentFingerprint.keys
    var first = seed ^ keys.0
    var second = (seed &+ keys.1) ^ UInt64(truncatingIfNeeded: bytes.count)
    var left: UInt64 = 0
    var right: UInt64 = 0
    if let start = bytes.baseAddress {
      // Two pointers: an index would be checked for overflow in every step.
      var next = start
      let end = start + bytes.count
      let lastBlock = start + (bytes.count & ~15)
      while next < lastBlock {
        let left = next.loadUnaligned(as: UInt64.self)
        let right = (next + 8).loadUnaligned(as: UInt64.self)
        first = ContentFingerprint.fold(left ^ keys.2, right ^ first)
        second = ContentFingerprint.fold(left ^ second, right ^ keys.3)
        next += 16
      }
      (left, right) = ContentFingerprint.rest(next, end, hasBlock: bytes.count >= 16)
    }
    first = ContentFingerprint.fold(left ^ keys.2, right ^ first)
    second = ContentFingerprint.fold(left ^ second, right ^ keys.3)
    let count = UInt64(truncatingIfNeeded: bytes.count)
    low = ContentFingerprint.fold(first ^ keys.0, second ^ keys.2 ^ count)
    high = ContentFingerprint.fold(second ^ keys.1, first &+ keys.3)
  }

  /// The fingerprint of a text.
  package init(_ text: String, seed: UInt64 = 0) {
    var text = text
    self = text.withUTF8 { ContentFingerprint(UnsafeRawBufferPointer($0), seed: seed) }
  }

  /// The bytes behind the last whole block, fewer than sixteen, as two numbers; 0 behind the end.
  @inline(__always)
  private static func rest(
    _ start: UnsafeRawPointer, _ end: UnsafeRawPointer, hasBlock: Bool
  ) -> (left: UInt64, right: UInt64) {
    let count = end - start
    guard hasBlock else {
      return (number(start, min(count, 8)), number(start + min(count, 8), max(count - 8, 0)))
    }
    // Bytes before them may be read: eight bytes that end where they do, moved.
    if count < 8 { return (ending(at: end, count), 0) }
    return (UInt64(littleEndian: start.loadUnaligned(as: UInt64.self)), ending(at: end, count - 8))
  }

  /// The last bytes before an address, fewer than eight of at least eight, as a number.
  @inline(__always)
  private static func ending(at end: UnsafeRawPointer, _ count: Int) -> UInt64 {
    UInt64(littleEndian: (end - 8).loadUnaligned(as: UInt64.self)) >> UInt64(64 - 8 * count)
  }

  /// Up to eight bytes as a number.
  @inline(__always)
  private static func number(_ start: UnsafeRawPointer, _ count: Int) -> UInt64 {
    var result: UInt64 = 0
    for index in stride(from: count - 1, through: 0, by: -1) {
      result = result << 8 | UInt64(start.load(fromByteOffset: index, as: UInt8.self))
    }
    return result
  }

  @inline(__always)
  private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }

  /// Numbers without pattern, as many ones as zeros in each byte.
  private static let keys: (UInt64, UInt64, UInt64, UInt64) = (
    0xA33C_5AC6_69B4_D2E1, 0x9669_C5A3_4E8D_72B1, 0x53A6_9C2B_E4D1_78C5, 0xC93A_E172_5CB4_A659
  )
}
