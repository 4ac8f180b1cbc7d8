/// Open addressing over the bytes of keys.
///
/// ```
/// records   head: first 8 bytes, zero-filled    length    offset of the whole key in `bytes`
/// buckets   number of a record, or -1; a power of two of them, at most half full
/// ```
///
/// A key of up to 8 bytes is compared by its record alone. Safe to share without a lock: memory is
/// written by the initialiser only and freed by the last owner.
final class MemberIndex: @unchecked Sendable {
  private struct Record {
    var head: UInt64
    var length: Int
    var offset: Int
  }

  private let count: Int
  private let mask: Int
  private let records: UnsafeMutablePointer<Record>
  private let buckets: UnsafeMutablePointer<Int32>
  private let bytes: UnsafeMutableRawPointer

  /// Makes an index of different keys; they are numbered in order.
  init(keys: [[UInt8]]) {
    count = keys.count
    var size = 4
    while size < keys.count * 2 { size *= 2 }
    mask = size - 1
    records = .allocate(capacity: max(count, 1))
    buckets = .allocate(capacity: size)
    buckets.initialize(repeating: -1, count: size)
    bytes = .allocate(byteCount: max(keys.reduce(0) { $0 + $1.count }, 1), alignment: 1)
    var offset = 0
    for (number, key) in keys.enumerated() {
      key.withUnsafeBytes { key in
        (bytes + offset).copyMemory(
          from: key.baseAddress ?? UnsafeRawPointer(bytes), byteCount: key.count)
        let head = MemberIndex.head(key)
        (records + number).initialize(
          to: Record(head: head, length: key.count, offset: offset))
        var bucket = MemberIndex.hash(key, head: head) & mask
        while buckets[bucket] >= 0 { bucket = (bucket + 1) & mask }
        buckets[bucket] = Int32(number)
      }
      offset += key.count
    }
  }

  deinit {
    records.deallocate()
    buckets.deallocate()
    bytes.deallocate()
  }

  /// Whether the key is the one of that number; false for a number that does not exist.
  @inline(__always)
  func matches(_ number: Int, _ key: UnsafeRawBufferPointer) -> Bool {
    guard number >= 0, number < count else { return false }
    return matches(records[number], key, head: MemberIndex.head(key))
  }

  /// The number of the key, or -1.
  func find(_ key: UnsafeRawBufferPointer) -> Int {
    let head = MemberIndex.head(key)
    var bucket = MemberIndex.hash(key, head: head) & mask
    while buckets[bucket] >= 0 {
      let number = Int(buckets[bucket])
      if matches(records[number], key, head: head) { return number }
      bucket = (bucket + 1) & mask
    }
    return -1
  }

  @inline(__always)
  private func matches(_ record: Record, _ key: UnsafeRawBufferPointer, head: UInt64) -> Bool {
    guard record.head == head, record.length == key.count else { return false }
    guard key.count > 8 else { return true }
    var position = 8
    while position + 8 <= key.count {
      let left = key.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let right = (bytes + record.offset + position).loadUnaligned(as: UInt64.self)
      if left != right { return false }
      position += 8
    }
    guard position < key.count else { return true }
    let last = key.count - 8
    return key.loadUnaligned(fromByteOffset: last, as: UInt64.self)
      == (bytes + record.offset + last).loadUnaligned(as: UInt64.self)
  }

  /// The first eight bytes, zero-filled. Never reads behind the key.
  @inline(__always)
  private static func head(_ key: UnsafeRawBufferPointer) -> UInt64 {
    if key.count >= 8 { return key.loadUnaligned(as: UInt64.self) }
    if key.count >= 4 {
      let first = UInt64(key.loadUnaligned(as: UInt32.self))
      let last = UInt64(key.loadUnaligned(fromByteOffset: key.count - 4, as: UInt32.self))
      return first | last << 32
    }
    var head: UInt64 = 0
    for byte in key { head = head << 8 | UInt64(byte) }
    return head
  }

  @inline(__always)
  private static func hash(_ key: UnsafeRawBufferPointer, head: UInt64) -> Int {
    var hash = (head ^ UInt64(key.count)) &* 0x9E37_79B9_7F4A_7C15
    if key.count > 8 {
      let last = key.loadUnaligned(fromByteOffset: key.count - 8, as: UInt64.self)
      hash = (hash ^ last) &* 0xC2B2_AE3D_27D4_EB4F
    }
    return Int(truncatingIfNeeded: hash >> 32)
  }
}
