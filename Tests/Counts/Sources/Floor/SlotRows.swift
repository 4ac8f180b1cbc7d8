import CPrefetch
import Foundation

/// Slots of one table, row after row, in payload order.
final class SlotRows {
  let width: Int
  private(set) var count = 0
  private var slots: UnsafeMutablePointer<Slot>
  private var capacity = 64

  init(width: Int) {
    self.width = width
    slots = SlotRows.memory(nil, width * capacity)
  }

  deinit { free(slots) }

  @inline(__always)
  subscript(row: UInt32) -> UnsafeMutablePointer<Slot> { slots + Int(row) * width }

  /// A new row of nulls; its place is good until the next one.
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
    slots = SlotRows.memory(slots, width * capacity)
  }

  /// Memory for so many slots, the old ones at its start: the C library moves pages where Swift
  /// would copy.
  private static func memory(
    _ old: UnsafeMutablePointer<Slot>?, _ count: Int
  ) -> UnsafeMutablePointer<Slot> {
    guard let memory = realloc(old, count * MemoryLayout<Slot>.stride) else {
      fatalError("There is no memory for \(count) values.")
    }
    return memory.assumingMemoryBound(to: Slot.self)
  }

  /// Rows in the order of the keys in the first slot.
  func sortedByKey() -> [KeyedRow] {
    var keys = (0..<UInt32(count)).map { KeyedRow(key: self[$0][0].integer, row: $0) }
    RadixSort.sort(&keys)
    return keys
  }

  /// Asks for the memory that will be read soon when rows are visited in this order: texts of the
  /// row a few positions ahead, and slots of the one behind that, because they say where its texts
  /// are.
  ///
  /// In the order of keys each row lies somewhere else, and would have to be waited for.
  @inline(__always)
  func prefetch(_ order: [KeyedRow], after position: Int) {
    let line = 64
    let distance = 4
    if position + 2 * distance < order.count {
      let row = UnsafeRawPointer(self[order[position + 2 * distance].row])
      for offset in stride(from: 0, to: width * MemoryLayout<Slot>.stride, by: line) {
        CPrefetch.prefetch(row + offset)
      }
    }
    if position + distance < order.count {
      let row = self[order[position + distance].row]
      for column in 1..<width where row[column].kind == .text {
        guard let bytes = row[column].bytes else { continue }
        for offset in stride(from: 0, to: Int(row[column].length), by: line) {
          CPrefetch.prefetch(bytes + offset)
        }
      }
    }
  }
}

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
