/// One value in 16 bytes: a number, or where a text lies.
struct Slot {
  enum Kind: UInt8 {
    case null
    case integer
    case real
    case text
  }

  var word: UInt64 = 0
  var length: UInt32 = 0
  var kind = Kind.null

  static func integer(_ value: Int64) -> Slot {
    Slot(word: UInt64(bitPattern: value), kind: .integer)
  }

  static func real(_ value: Double) -> Slot { Slot(word: value.bitPattern, kind: .real) }

  static func text(_ start: UnsafePointer<UInt8>, _ count: Int) -> Slot {
    Slot(
      word: UInt64(UInt(bitPattern: start)), length: UInt32(truncatingIfNeeded: count), kind: .text)
  }

  var integer: Int64 { Int64(bitPattern: word) }
  var real: Double { Double(bitPattern: word) }
  var bytes: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: UInt(word)) }
}

/// Slots of one table, row after row; grows by half.
final class SlotRows {
  let width: Int
  private(set) var count = 0
  private(set) var slots: UnsafeMutablePointer<Slot>
  private var capacity = 64

  init(width: Int) {
    self.width = width
    slots = .allocate(capacity: width * capacity)
  }

  deinit {
    slots.deallocate()
  }

  @inline(__always)
  subscript(row: Int) -> UnsafeMutablePointer<Slot> { slots + row * width }

  @inline(__always)
  func append() -> UnsafeMutablePointer<Slot> {
    if count == capacity { grow() }
    let row = slots + count * width
    row.initialize(repeating: Slot(), count: width)
    count += 1
    return row
  }

  private func grow() {
    capacity += capacity / 2
    let larger = UnsafeMutablePointer<Slot>.allocate(capacity: width * capacity)
    larger.moveInitialize(from: slots, count: width * count)
    slots.deallocate()
    slots = larger
  }

  /// Row numbers in the order of the keys in the first slot.
  func sortedByKey() -> [UInt32] {
    var keys = (0..<count).map {
      KeyedRow(key: UInt64(bitPattern: self[$0][0].integer), row: UInt32($0))
    }
    RadixSort.sort(&keys)
    return keys.map(\.row)
  }
}

struct KeyedRow {
  var key: UInt64
  var row: UInt32
}

enum RadixSort {
  /// Least significant digit first, eleven bits at a time, as many times as the largest key needs.
  static func sort(_ rows: inout [KeyedRow]) {
    let largest = rows.reduce(0) { max($0, $1.key) }
    var other = rows
    var shift: UInt64 = 0
    while shift < 64, largest >> shift > 0 {
      var starts = [Int](repeating: 0, count: 2049)
      for row in rows { starts[Int(truncatingIfNeeded: row.key >> shift & 2047) + 1] += 1 }
      for digit in 1...2048 { starts[digit] += starts[digit - 1] }
      for row in rows {
        let digit = Int(truncatingIfNeeded: row.key >> shift & 2047)
        other[starts[digit]] = row
        starts[digit] += 1
      }
      swap(&rows, &other)
      shift += 11
    }
  }
}
